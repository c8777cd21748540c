import { describe, expect, it } from "vitest";
import type { AgentBackend, Auxiliary, TurnRequest } from "../../src/agents/backend.js";
import { echoAgent } from "../../src/agents/echo.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const short = { protect_first_n: 1, protect_last_n: 2 };

async function talk(gateway: TestGateway, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) await gateway.ask(ann, `message ${n}`);
}

/** Each turn takes a while, and so does each summary. The next message waits already. */
async function threeTurnsBeyondTheLimit() {
  let endedMs = Number.POSITIVE_INFINITY;
  let longestGapMs = 0;
  const agent: AgentBackend = {
    ...echoAgent(),
    async *run(request, signal) {
      longestGapMs = Math.max(longestGapMs, performance.now() - endedMs);
      yield* echoAgent().run(request, signal);
      endedMs = performance.now();
    },
  };
  let summaries = 0;
  const auxiliary: Auxiliary = {
    complete: async (task) => {
      if (task !== "compression") return undefined;
      summaries += 1;
      await new Promise((resolve) => setTimeout(resolve, 30));
      return "a summary";
    },
  };
  const config = {
    compression: { ...short, hygiene_hard_message_limit: 40 },
    display: { busy_input_mode: "queue" },
  };
  const gateway = await TestGateway.start({ agent, auxiliary, config });
  await talk(gateway, 19);
  const { id } = await gateway.session(ann);
  longestGapMs = 0;
  endedMs = Number.POSITIVE_INFINITY;
  for (const n of [20, 21, 22]) await gateway.say(ann, `!slow 50 message ${n}`);
  await gateway.idle();
  await until("the session is split", async () => (await gateway.session(ann)).id !== id);
  return { summaries, longestGapMs };
}

describe("a long session", () => {
  it("continues in a child and stays unchanged", async () => {
    const gateway = await TestGateway.start({
      config: { compression: { ...short, hygiene_hard_message_limit: 10 } },
    });
    await gateway.ask(ann, "message 0");
    const parent = await gateway.session(ann);
    await gateway.ask(ann, "/title Long talk");
    await talk(gateway, 4);
    const route = await until("the route has moved", async () => {
      const found = await gateway.route(ann);
      return found && found.sessionId !== parent.id && found;
    });
    const kept = await gateway.store.getMessages(parent.id);
    expect(kept.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual(
      [0, 1, 2, 3, 4].map((n) => `message ${n}`),
    );
    expect(await gateway.store.getSession(parent.id)).toMatchObject({
      end_reason: "compression",
      title: "Long talk",
      message_count: 10,
    });
    const child = (await gateway.store.getSession(route.sessionId))!;
    expect(child).toMatchObject({
      parent_session_id: parent.id,
      title: "Long talk #2",
      user_id: "ann",
      ended_at: null,
    });
    const carried = await gateway.store.getConversation(child.id);
    expect(carried.length).toBeLessThan(10);
    expect(carried.at(-1)).toMatchObject({ role: "assistant", content: "message 4" });

    expect(await gateway.ask(ann, "message 5")).toEqual(["message 5"]);
    expect((await gateway.session(ann)).id).toBe(child.id);
    expect(await gateway.store.getLineage(parent.id)).toMatchObject({ tip: child.id });
    for (const reference of [parent.id, "Long talk"]) {
      const [reply] = await gateway.ask(ann, `/resume ${reference}`);
      expect(reply).toContain("You are already in `Long talk #2`");
    }
  });

  it("is compressed after a context-length error, and the message is answered", async () => {
    const requests: TurnRequest[] = [];
    const agent: AgentBackend = {
      ...echoAgent(),
      async *run(request, signal) {
        requests.push(request);
        const failure = { kind: "context_length", message: "too long", notice: "Too long." } as const;
        if (request.history.length >= 8) yield { type: "failed", failure };
        else yield* echoAgent().run(request, signal);
      },
    };
    const gateway = await TestGateway.start({ agent, config: { compression: short } });
    await talk(gateway, 4);
    const parent = await gateway.session(ann);
    expect(await gateway.ask(ann, "message 5")).toEqual(["message 5"]);
    const child = await gateway.session(ann);
    expect(child).toMatchObject({ parent_session_id: parent.id });
    expect(await gateway.store.getSession(parent.id)).toMatchObject({ end_reason: "compression" });
    expect(await gateway.store.getMessages(parent.id)).toHaveLength(8);
    expect(requests).toHaveLength(6);
    expect(gateway.read("SELECT * FROM gw_inbox WHERE state <> 'done'")).toEqual([]);
  });

  it("gets no child if a shorter history doesn't help", async () => {
    let refuses = false;
    const agent: AgentBackend = {
      ...echoAgent(),
      async *run(request, signal) {
        const failure = { kind: "context_length", message: "too long", notice: "Too long." } as const;
        if (refuses) yield { type: "failed", failure };
        else yield* echoAgent().run(request, signal);
      },
    };
    const gateway = await TestGateway.start({ agent, config: { compression: short } });
    await talk(gateway, 6);
    const { id } = await gateway.session(ann);
    refuses = true;
    expect(await gateway.ask(ann, "x".repeat(1000))).toEqual(["Too long."]);
    expect((await gateway.session(ann)).id).toBe(id);
    expect(gateway.read("SELECT id FROM sessions")).toEqual([{ id }]);
  });

  it("that can't be compressed ends the turn with a notice", async () => {
    const gateway = await TestGateway.start();
    const failing = await gateway.say(ann, "!fail context_length");
    await gateway.idle();
    expect(gateway.adapter.to(ann).map(({ text }) => text)).toEqual([
      "The echo agent failed (context_length). Try again.",
    ]);
    expect(gateway.inbox(failing)).toMatchObject({ state: "dead" });
  });

  it("is compressed on request, keeping the old summary", async () => {
    const gateway = await TestGateway.start({ config: { compression: short } });
    await talk(gateway, 5);
    const [first] = await gateway.ask(ann, "/compress the numbers");
    expect(first).toContain("Summarised");
    await talk(gateway, 4);
    const [second] = await gateway.ask(ann, "/compress");
    expect(second).toContain("Summarised");
    const { ancestors } = await gateway.store.getLineage((await gateway.session(ann)).id);
    expect(ancestors.map(({ kind }) => kind)).toEqual(["root", "compression"]);
  });

  it("stays unchanged if /compress is stopped; other messages wait", async () => {
    let asked = 0;
    const auxiliary: Auxiliary = {
      complete: async (task, _, signal) => {
        if (task !== "compression") return undefined;
        asked += 1;
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        return "a summary";
      },
    };
    const config = { compression: short, display: { busy_input_mode: "interrupt" as const } };
    const gateway = await TestGateway.start({ config, auxiliary });
    await talk(gateway, 5);
    const { id } = await gateway.session(ann);
    const before = gateway.adapter.to(ann).length;
    const compressing = await gateway.say(ann, "/compress");
    await until("a summary is being made", () => asked === 1);
    await gateway.say(ann, "are you there?");
    expect(gateway.inbox(compressing)).toMatchObject({ state: "running" });
    await gateway.say(ann, "/stop");
    await gateway.idle();
    const said = gateway.adapter.to(ann).slice(before);
    expect(said.map(({ text }) => text)).toEqual([
      expect.stringContaining("Stopped. 1 waiting message dropped."),
    ]);
    expect(gateway.inbox(compressing)).toMatchObject({ state: "done" });
    expect((await gateway.session(ann)).id).toBe(id);
    expect(await gateway.ask(ann, "go on")).toEqual(["go on"]);
  });

  it("gets a notice about a /compress interrupted by a shutdown", async () => {
    let asked = 0;
    let write = (): void => undefined;
    const auxiliary: Auxiliary = {
      complete: async (task) => {
        if (task !== "compression") return undefined;
        asked += 1;
        await new Promise<void>((resolve) => {
          write = resolve;
        });
        return "a summary";
      },
    };
    const config = { compression: short, agent: { restart_drain_timeout: 0 } };
    const gateway = await TestGateway.start({ config, auxiliary });
    await talk(gateway, 5);
    await gateway.say(ann, "/compress");
    await until("a summary is being made", () => asked === 1);
    const stopped = gateway.stop();
    setTimeout(write, 50);
    await stopped;
    const next = await TestGateway.start({ config: { compression: short }, home: gateway.home });
    await next.idle();
    const said = [...gateway.adapter.to(ann), ...next.adapter.to(ann)].map(({ text }) => text);
    expect(said.at(-1)).toMatch(/compress|Summarised/);
  });

  it("isn't split if messages were undone during the summary", async () => {
    let asked = 0;
    let write = (): void => undefined;
    const written = new Promise<void>((resolve) => {
      write = resolve;
    });
    const auxiliary: Auxiliary = {
      complete: async (task) => {
        if (task !== "compression") return undefined;
        asked += 1;
        await written;
        return "a summary";
      },
    };
    const config = { compression: { ...short, hygiene_hard_message_limit: 10 } };
    const gateway = await TestGateway.start({ config, auxiliary });
    await talk(gateway, 5);
    await until("a summary is being made", () => asked === 1);
    const { id } = await gateway.session(ann);
    await gateway.ask(ann, "/undo");
    write();
    await gateway.stop();
    expect(gateway.read("SELECT session_id FROM gw_routes")).toEqual([{ session_id: id }]);
    const said = "SELECT content FROM messages WHERE session_id = ? AND role = 'user' AND active = 1";
    expect(gateway.read(said, id)).toEqual([1, 2, 3, 4].map((n) => ({ content: `message ${n}` })));
  });

  it("is summarised in a pause, not while messages wait", async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      const { summaries, longestGapMs } = await threeTurnsBeyondTheLimit();
      // On a machine that stalls there is a pause between the turns.
      if (longestGapMs >= 50) continue;
      expect(summaries).toBe(1);
      return;
    }
  });

  it("is never split during a turn", async () => {
    const gateway = await TestGateway.start({
      config: { compression: { ...short, hygiene_hard_message_limit: 6 } },
    });
    const wanted: string[] = [];
    for (let n = 1; n <= 12; n += 1) {
      wanted.push(`message ${n}`);
      await gateway.say(ann, `message ${n}`);
    }
    await gateway.idle();
    const answers = gateway.adapter.to(ann).flatMap(({ text }) => text.split("\n").filter(Boolean));
    expect(answers.filter((line) => line.startsWith("message"))).toEqual(wanted);
  });
});

describe("a title", () => {
  const naming = (title: string, begin?: Promise<unknown>): Auxiliary => ({
    complete: async (task) => {
      await begin;
      return task === "title_generation" ? title : undefined;
    },
  });

  it("is created after the first exchange", async () => {
    const gateway = await TestGateway.start({ auxiliary: naming("A talk about Rome") });
    await gateway.ask(ann, "hello");
    await until("there is a title", async () => (await gateway.session(ann)).title === "A talk about Rome");
  });

  it("comes from the first message if there is no model", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "Where is the nearest lake?");
    await until(
      "there is a title",
      async () => (await gateway.session(ann)).title === "Where is the nearest lake",
    );
  });

  it("names no one, even for a late message in two pieces in a room", async () => {
    const gateway = await TestGateway.start({ burstMs: 700, config: { group_sessions_per_user: false } });
    const anna = inGroup("anna", "room", "Anna");
    await gateway.say(anna, "where is", { sentAt: Date.now() / 1000 - 100 });
    await gateway.say(anna, "the nearest lake?");
    await gateway.idle();
    const title = await until("there is a title", async () => (await gateway.session(anna)).title);
    expect(title).toBe("where is the nearest lake");
  });

  it("that is taken gets a number", async () => {
    const gateway = await TestGateway.start({ auxiliary: naming("Rome") });
    await gateway.ask(ann, "hello");
    await until("there is a title", async () => (await gateway.session(ann)).title === "Rome");
    await gateway.ask(ann, "/new");
    await gateway.ask(ann, "hello");
    await until("there is another", async () => (await gateway.session(ann)).title === "Rome #2");
  });

  it("never replaces one set by the person", async () => {
    let choose = (): void => undefined;
    const chosen = new Promise<void>((resolve) => {
      choose = resolve;
    });
    const gateway = await TestGateway.start({ auxiliary: naming("Something else", chosen) });
    await gateway.ask(ann, "hello");
    await gateway.ask(ann, "/title Mine");
    choose();
    await gateway.ask(ann, "go on");
    await gateway.stop();
    const [session] = gateway.read<{ title: string }>("SELECT title FROM sessions");
    expect(session).toEqual({ title: "Mine" });
  });
});
