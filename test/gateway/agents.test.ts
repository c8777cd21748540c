import { describe, expect, it } from "vitest";
import type { QuestionRow } from "../../src/store/queues.js";
import { scripted } from "../agents/acp/scripted.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, inGroup, type Person } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const ben = inDm("ben");

/** A gateway whose default agent is the scripted one. */
async function started(more: { options?: string; acp?: object; config?: object } = {}) {
  const agent = scripted(more.options);
  const config = {
    agent: { backend: "acp", restart_drain_timeout: 0.1 },
    acp: { ...agent.settings, ...more.acp },
    ...more.config,
  };
  return { agent, config, gateway: await TestGateway.start({ config }) };
}

async function questionIn(gateway: TestGateway): Promise<QuestionRow> {
  return until("a question is open", async () => (await gateway.store.listQuestions("open"))[0]);
}

async function answered(gateway: TestGateway, person: Person, count = 1): Promise<string> {
  const sent = await gateway.sentTo(person, count);
  await gateway.idle();
  return sent.at(-1)!.text;
}

describe("agent.backend: acp", () => {
  it("answers chats, keeps its conversation and leaves the rows of any agent", async () => {
    const { gateway, agent } = await started();
    expect(await gateway.ask(ann, "hello")).toEqual(["you said: hello"]);
    expect(await gateway.ask(ann, "again")).toEqual(["you said: again"]);
    expect(agent.prompts()[1]).toBe("again");
    const session = await gateway.session(ann);
    const rows = await gateway.store.getMessages(session.id);
    expect(rows.map(({ role, content }) => [role, content])).toEqual([
      ["user", "hello"],
      ["assistant", "you said: hello"],
      ["user", "again"],
      ["assistant", "you said: again"],
    ]);
    await gateway.stop();
    expect(agent.alive()).toEqual([]);
  });

  it("emits its steps as events", async () => {
    const { gateway } = await started();
    const tools: string[] = [];
    gateway.events.watch("test", (event) => {
      if (event.type === "tool-started" || event.type === "tool-ended") tools.push(event.tool);
    });
    expect(await gateway.ask(ann, "!tool")).toEqual(["Looking.\n\nFound it."]);
    expect(tools).toEqual(["acp.execute", "acp.execute"]);
  });

  it("asks the person, who answers like any question", async () => {
    const { gateway } = await started();
    await gateway.say(ann, "!ask");
    const question = await questionIn(gateway);
    expect(question).toMatchObject({ kind: "approval", asked: { userId: "ann" } });
    expect(question.text).toContain("rm -rf /tmp/x");
    expect(question.choices.map(({ label }) => label)).toEqual(["Yes", "No"]);
    await gateway.say(ann, "1");
    expect(await answered(gateway, ann, 2)).toBe("permission: yes");
  });

  it("offers to remember an answer to owners only, and denies without an answer in time", async () => {
    const config = { owners: ["test:ann"], approvals: { timeout: 5 } };
    const { gateway } = await started({ config });
    await gateway.say(ann, "!ask");
    const question = await questionIn(gateway);
    expect(question.choices.map(({ label }) => label)).toEqual(["Yes", "Always", "No"]);
    expect(await answered(gateway, ann, 2)).toBe("permission: no");
    expect(await gateway.store.listQuestions({ id: question.id })).toMatchObject([{ state: "expired" }]);
  });

  it("lets another turn run while a person thinks, and /stop withdraws the question", async () => {
    const { gateway } = await started({ config: { max_concurrent_sessions: 1 } });
    await gateway.say(ann, "!ask");
    const { id } = await questionIn(gateway);
    await gateway.say(ben, "hello");
    expect((await gateway.sentTo(ben, 1))[0]!.text).toBe("you said: hello");
    await gateway.say(ann, "/stop");
    await gateway.idle();
    expect(await gateway.store.listQuestions({ id })).toMatchObject([{ state: "withdrawn" }]);
  });

  it("gets an interrupted message once: after a restart it continues and answers once", async () => {
    const { gateway, agent, config } = await started();
    await gateway.say(ann, "!wait for me");
    await until("the prompt arrives", () => agent.prompts().length === 1);
    const again = await gateway.restart({ config });
    const sent = await again.sentTo(ann, 1);
    await again.idle();
    expect(agent.prompts().map((text) => text.split("\n").at(-1)!.slice(0, 10))).toEqual([
      "!wait for ",
      "The connec",
    ]);
    expect(agent.log().filter((entry) => entry.load)).toHaveLength(1);
    expect(sent).toHaveLength(1);
    expect(await again.ask(ann, "next")).toEqual(["you said: next"]);
    expect(again.read("SELECT * FROM gw_steps")).toEqual([]);
    const rows = await again.store.getMessages((await again.session(ann)).id);
    expect(rows.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  it("fails an interrupted message that can't be continued, and never sends it again", async () => {
    const { gateway, agent, config } = await started({ options: "none" });
    await gateway.say(ann, "!wait for me");
    await until("the prompt arrives", () => agent.prompts().length === 1);
    const again = await gateway.restart({ config });
    expect(await answered(again, ann)).toContain("can't continue");
    expect(agent.prompts()).toHaveLength(1);
  });

  it("withdraws the question of an interrupted turn", async () => {
    const { gateway, config } = await started();
    await gateway.say(ann, "!ask");
    const { id } = await questionIn(gateway);
    const again = await gateway.restart({ config });
    await answered(again, ann);
    expect(await again.store.listQuestions({ id })).toMatchObject([{ state: "withdrawn" }]);
  });

  it("reports a crash to the chat, and answers the next message", async () => {
    const { gateway } = await started();
    const [notice] = await gateway.ask(ann, "!crash");
    expect(notice).toContain("ended unexpectedly");
    expect(await gateway.ask(ann, "hello")).toEqual(["you said: hello"]);
  });
});

describe("named agents", () => {
  const withCoder = async (more: object = {}, allow = ["paired"]) => {
    const agent = scripted();
    const config = { agents: { coder: { backend: "acp", acp: agent.settings, allow } }, ...more };
    return { agent, config, gateway: await TestGateway.start({ config }) };
  };

  it("are chosen by /agent and stay chosen", async () => {
    const { gateway, config } = await withCoder();
    expect((await gateway.ask(ann, "/agent"))[0]).toContain("`default` answers in this chat");
    expect(await gateway.ask(ann, "/agent coder")).toEqual([
      "`coder` answers in this chat, from the next turn on.",
    ]);
    expect(await gateway.ask(ann, "hello")).toEqual(["you said: hello"]);
    expect(await gateway.ask(ann, "/agent coder")).toHaveLength(1);
    const again = await gateway.restart({ config });
    expect(await again.ask(ann, "hello")).toEqual(["you said: hello"]);
    await again.ask(ann, "/agent default");
    expect(await again.ask(ann, "plain words")).toEqual(["plain words"]);
    expect((await again.ask(ann, "/agent nope"))[0]).toContain("There is no agent `nope`");
  });

  it("are only for allowed people; others get the default", async () => {
    const { gateway } = await withCoder(
      { channel_overrides: { "test:room": { agent: "coder" } }, group_sessions_per_user: false },
      ["test:ann"],
    );
    expect((await gateway.ask(ben, "/agent coder"))[0]).toContain("There is no agent `coder`");
    expect((await gateway.ask(inGroup("ann", "room"), "hi"))[0]).toBe("you said: [ann] hi");
    expect((await gateway.ask(inGroup("ben", "room"), "hi"))[0]).toBe("[ben] hi");
    const [, , last] = await Promise.all([0, 1, gateway.ask(inGroup("ann", "room"), "back")]);
    expect(last[0]).toBe("you said: [ann] back");
  });

  it("that disappear from the configuration end their interrupted turn with a notice", async () => {
    const { gateway, agent } = await withCoder();
    await gateway.ask(ann, "/agent coder");
    await gateway.say(ann, "!wait");
    await until("the prompt arrives", () => agent.prompts().length === 1);
    const again = await gateway.restart();
    expect(await answered(again, ann)).toContain("no longer available");
  });
});
