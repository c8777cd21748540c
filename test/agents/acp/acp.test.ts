import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { acpAgent } from "../../../src/agents/acp/index.js";
import type { AgentEvent, OwnConversation, TurnRequest } from "../../../src/agents/backend.js";
import { configSchema } from "../../../src/config/schema.js";
import type { ChatMessage } from "../../../src/session.js";
import { atEnd } from "../../support/at-end.js";
import { until } from "../../support/until.js";
import { scripted } from "./scripted.js";

const user = (content: string): ChatMessage => ({ role: "user", content });

/** One session: what is stored about it, and its turns. */
class Session {
  readonly id = randomUUID();
  history: ChatMessage[] = [];
  stored: string | undefined;
  sent: string | undefined;
  hasArrived = false;
  asked: string[] = [];
  answer: string | undefined;

  request(text: string): TurnRequest {
    const own: OwnConversation = {
      read: async () => this.stored,
      write: async (value) => {
        this.stored = value;
      },
      sent: this.sent,
      sending: async (conversation) => {
        this.sent = conversation;
      },
      hasArrived: this.hasArrived,
      arrived: async () => {
        this.hasArrived = true;
      },
    };
    return {
      session: { id: this.id, key: "k", source: "test" },
      principal: { platform: "test", userId: "ann" },
      systemPrompt: "Be kind.",
      history: this.history,
      input: [user(text)],
      tools: [],
      takeSteering: () => [],
      own,
      ask: async ({ text: question }) => {
        this.asked.push(question);
        return this.answer;
      },
    };
  }
}

function start(options?: string, more: object = {}, cancelMs = 200) {
  const agent = scripted(options);
  const { acp } = configSchema.parse({ acp: { ...agent.settings, ...more } });
  const backend = acpAgent(acp, { name: "coder", workspace: "/nowhere", cancelMs });
  atEnd(() => backend.close!());
  const turn = async (session: Session, text: string, signal = new AbortController().signal) => {
    const events: AgentEvent[] = [];
    for await (const event of backend.run(session.request(text), signal)) events.push(event);
    const said = events.flatMap((event) => (event.type === "text" ? event.delta : [])).join("");
    const end = events.at(-1)!;
    const failure = end.type === "failed" ? end.failure : undefined;
    if (!failure) {
      session.history = [...session.history, user(text), { role: "assistant", content: said }];
      session.sent = undefined;
      session.hasArrived = false;
    }
    return { events, said, failure };
  };
  return { agent, backend, turn };
}

describe("a program that speaks ACP", () => {
  it("serves many sessions in one process and gets the instructions once", async () => {
    const { agent, turn } = start();
    const [ann, ben] = [new Session(), new Session()];
    expect((await turn(ann, "hello")).said).toBe("you said: hello");
    expect((await turn(ben, "hi")).said).toBe("you said: hi");
    expect((await turn(ann, "again")).said).toBe("you said: again");
    expect(agent.pids()).toHaveLength(1);
    const prompts = agent.prompts();
    expect(prompts.map((text) => text.includes("Be kind."))).toEqual([true, true, false]);
    expect(prompts[2]).toBe("again");
  });

  it("gets only the usual variables and those that are configured", async () => {
    process.env.HERMES_TEST_SECRET = "x";
    const { agent, turn } = start();
    await turn(new Session(), "hello");
    const { env, cwd } = agent.log().find((entry) => entry.new)!;
    expect(env).toContain("ACP_LOG");
    expect(env).toContain("PATH");
    expect(env).not.toContain("HERMES_TEST_SECRET");
    expect(cwd).toBe(agent.settings.cwd);
  });

  it("streams slow chunks; thoughts aren't part of the answer", async () => {
    const { turn } = start();
    const { said, events } = await turn(new Session(), "!slow");
    expect(said).toBe("one two three");
    expect(events.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
    expect(events.at(-2)).toMatchObject({ type: "message", message: { content: "one two three" } });
  });

  it("reports its steps, and separates the text around them", async () => {
    const { turn } = start();
    const { said, events } = await turn(new Session(), "!tool");
    expect(said).toBe("Looking.\n\nFound it.");
    expect(events.filter(({ type }) => type === "progress")).toMatchObject([
      { tool: "execute", title: "List files", state: "started" },
      { state: "done" },
    ]);
  });

  it.each([
    ["allow", undefined, "yes", 0],
    ["deny", undefined, "no", 0],
    ["ask", "o0", "yes", 1],
    ["ask", undefined, "no", 1],
    ["allow-reads", "deny", "no", 1],
  ])("permissions: %s, answered with %s, select %s", async (permissions, answer, option, asked) => {
    const { turn } = start("load", { permissions });
    const session = new Session();
    session.answer = answer;
    expect((await turn(session, "!ask")).said).toBe(`permission: ${option}`);
    expect(session.asked).toHaveLength(asked);
  });

  it("continues sessions after a restart: resume, load, or a new one with the history", async () => {
    for (const [options, expected] of [
      ["resume,load", "resume"],
      ["load", "load"],
      ["none", "new"],
    ] as const) {
      const first = start(options);
      const session = new Session();
      await first.turn(session, "my name is Ann");
      await first.backend.close!();
      const { turn, agent } = start(options);
      expect((await turn(session, "who am I")).said).toBe("you said: who am I");
      expect(Object.keys(agent.log()[0]!)).toContain(expected);
      expect(agent.prompts()[0]!.includes("User: my name is Ann")).toBe(expected === "new");
    }
  });

  it("gets what was said without it, and begins again if the history was changed", async () => {
    const { turn, agent } = start();
    const session = new Session();
    await turn(session, "one");
    session.history = [...session.history, user("to another agent"), { role: "assistant", content: "ok" }];
    await turn(session, "two");
    expect(agent.prompts()[1]).toContain("User: to another agent");
    expect(agent.prompts()[1]).not.toContain("User: one");
    session.history = session.history.slice(0, 2);
    await turn(session, "three");
    expect(agent.log().filter((entry) => entry.new)).toHaveLength(2);
    expect(agent.prompts()[2]).toContain("User: one");
    expect(agent.prompts()[2]).not.toContain("User: two");
  });

  it("never gets a prompt twice: it is asked to continue", async () => {
    const first = start();
    const session = new Session();
    const stop = new AbortController();
    const running = first.turn(session, "!wait", stop.signal);
    await until("the prompt arrives", () => first.agent.prompts().length === 1);
    stop.abort("shutdown");
    expect((await running).failure).toMatchObject({ kind: "stopped" });
    await first.backend.close!();
    expect(session.sent).toBeDefined();
    const { turn, agent } = start();
    expect((await turn(session, "!wait")).said).toContain("you said: ");
    expect(agent.prompts()).toEqual([expect.stringContaining("was interrupted")]);
    expect(agent.log()[0]).toMatchObject({ load: session.sent ?? expect.any(String) });
  });

  it("gets a prompt that an interrupted attempt didn't send, with all that belongs to it", async () => {
    const { turn, agent } = start();
    const session = new Session();
    await turn(session, "one");
    const { id } = JSON.parse(session.stored!) as { id: string };
    const next = start("load", { env: agent.settings.env });
    session.sent = id;
    session.history = [...session.history, user("to another agent"), { role: "assistant", content: "ok" }];
    expect((await next.turn(session, "two")).said).toBe("you said: two");
    expect(agent.prompts()).toHaveLength(2);
    expect(agent.prompts()[1]).toContain("User: to another agent");
  });

  it("is asked to continue a prompt that it received without an update", async () => {
    const { turn, agent } = start();
    const session = new Session();
    const stop = new AbortController();
    const running = turn(session, "!mute please", stop.signal);
    await until("the prompt arrives", () => agent.prompts().length === 1);
    // As it is after a crash.
    const { stored, sent } = session;
    stop.abort("stopped");
    await running;
    Object.assign(session, { stored, sent, hasArrived: false });
    const next = start("load", { env: agent.settings.env });
    expect((await next.turn(session, "!mute please")).failure).toBeUndefined();
    expect(agent.prompts()).toHaveLength(2);
    expect(agent.prompts()[1]).toContain("was interrupted");
  });

  it("reports what it used: tokens of the turn, and what its cost has grown by", async () => {
    const { turn } = start();
    const session = new Session();
    await turn(session, "hello");
    for (const costUsd of [0.5, 0.25]) {
      const { events } = await turn(session, "!usage");
      const usage = { inputTokens: 60, cacheReadTokens: 40, outputTokens: 60, provider: "acp", costUsd };
      expect(events.find(({ type }) => type === "usage")).toMatchObject({ usage });
      expect(events.at(-2)).toMatchObject({ message: { token_count: 60 } });
    }
    expect((await turn(session, "hello")).events.some(({ type }) => type === "usage")).toBe(false);
  });

  it("fails clearly if it can't continue an interrupted prompt", async () => {
    const { turn, agent } = start("none");
    const session = new Session();
    session.sent = "gone-1";
    expect((await turn(session, "again")).failure).toMatchObject({ kind: "other" });
    expect(agent.prompts()).toEqual([]);
  });

  it("is stopped by a cancellation", async () => {
    const { turn, agent } = start();
    const stop = new AbortController();
    const running = turn(new Session(), "!wait", stop.signal);
    await until("the prompt arrives", () => agent.prompts().length === 1);
    stop.abort("stopped");
    expect((await running).failure).toMatchObject({ kind: "stopped" });
    expect(agent.log().filter((entry) => entry.cancel)).toHaveLength(1);
    expect(agent.alive()).toHaveLength(1);
  });

  it("is ended with everything that it started if it ignores the cancellation", async () => {
    const { turn, agent } = start();
    const stop = new AbortController();
    const session = new Session();
    const running = turn(session, "!deaf", stop.signal);
    await until("its child runs", () => agent.alive().length === 2);
    stop.abort("stopped");
    expect((await running).failure).toMatchObject({ kind: "stopped" });
    expect(agent.alive()).toEqual([]);
    session.sent = undefined;
    expect((await turn(session, "hello")).said).toBe("you said: hello");
    expect(agent.pids()).toHaveLength(2);
  });

  it("fails its turn if it crashes, and is restarted for the next", async () => {
    const { turn, agent } = start();
    const session = new Session();
    const { failure } = await turn(session, "!crash");
    expect(failure).toMatchObject({ kind: "other" });
    expect(failure!.message).toContain("exited with code 3: something broke");
    session.sent = undefined;
    expect((await turn(session, "hello")).said).toBe("you said: hello");
    expect(agent.pids()).toHaveLength(2);
  });

  it("is stopped if it is silent for too long", async () => {
    const { turn } = start("load", { timeout: 0.3 });
    expect((await turn(new Session(), "!wait")).failure).toMatchObject({ kind: "timeout" });
  });

  it("may answer out of order", async () => {
    const { turn } = start();
    const both = await Promise.all([turn(new Session(), "!pair 1"), turn(new Session(), "!pair 2")]);
    expect(both.map(({ said }) => said)).toEqual(["answer to !pair 1", "answer to !pair 2"]);
  });

  it("with a line of 33 MB fails its turn, not the gateway", async () => {
    const { turn, agent } = start();
    const session = new Session();
    expect((await turn(session, "!huge")).failure).toMatchObject({ kind: "other" });
    session.sent = undefined;
    expect((await turn(session, "hello")).said).toBe("you said: hello");
    expect(agent.alive()).toHaveLength(1);
  });

  it("can refuse, lack a login, or not exist", async () => {
    expect((await start().turn(new Session(), "!refuse")).failure).toMatchObject({ kind: "refused" });
    expect((await start("login").turn(new Session(), "hi")).failure).toMatchObject({ kind: "credentials" });
    const { failure } = await start("load", { command: "/no/such/program" }).turn(new Session(), "hi");
    expect(failure).toMatchObject({ kind: "other", message: expect.stringContaining("can't be started") });
  });

  it("ends when it is idle, and with the gateway", async () => {
    const idle = start("load", { idle_timeout: 0.1 });
    await idle.turn(new Session(), "hello");
    await until("it ended", () => idle.agent.alive().length === 0 && idle.backend.processes() === 0);
    const closed = start();
    await closed.turn(new Session(), "hello");
    await closed.backend.close!();
    expect(closed.agent.alive()).toEqual([]);
  });

  it("has no more processes than configured", async () => {
    const { turn, agent } = start("load", { max_processes: 2 });
    await Promise.all(["!slow", "!slow", "!slow", "!slow"].map((text) => turn(new Session(), text)));
    expect(agent.pids()).toHaveLength(2);
  });
});
