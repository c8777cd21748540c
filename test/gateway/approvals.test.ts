import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { HeldTool } from "../support/held-tool.js";
import { type ButtonAdapter, inDm, inGroup, type Person } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const ben = inDm("ben");
const olga = inDm("olga");

async function scene(ask: ToolDefinition["ask"], options: TestGatewayOptions = {}) {
  const act = new HeldTool({ ...(ask ? { ask } : {}) });
  const config = { owners: ["test:olga"], ...options.config };
  const gateway = await TestGateway.start({ buttons: true, ...options, config, tools: [act.definition] });
  return { gateway, act };
}

/** Asks the agent to act, and resolves when the chat shows the question. */
async function asks(gateway: TestGateway, person: Person = ann): Promise<void> {
  const before = questions(gateway);
  await gateway.say(person, "!tool act");
  await until("the question is shown", () => questions(gateway) > before && gateway.adapter.sent.at(-1));
}

const questions = (gateway: TestGateway) =>
  gateway.adapter.sent.filter(({ text }) => text.includes("🔐")).length;
const last = (gateway: TestGateway, person: Person = ann) => gateway.adapter.to(person).at(-1)?.text ?? "";
const settled = (gateway: TestGateway) => (gateway.adapter as ButtonAdapter).settled;

async function answered(gateway: TestGateway, person: Person, act: HeldTool, count: number): Promise<void> {
  await act.called(count);
  await gateway.idle();
  expect(last(gateway, person)).toContain("did act");
}

describe("an approval", () => {
  it.each(["button", "number", "label", "/approve"])(
    "is given by %s, and the call runs once",
    async (way) => {
      const { gateway, act } = await scene("always", { buttons: way === "button" });
      await asks(gateway);
      expect(act.calls).toEqual([]);
      if (way === "button") await gateway.adapter.press(ann, "once");
      else await gateway.say(ann, { number: "1", label: "allow once", "/approve": "/approve" }[way]!);
      await answered(gateway, ann, act, 1);
      expect(gateway.read("SELECT state, decided_by FROM gw_tool_calls")).toEqual([
        { state: "done", decided_by: "test:ann" },
      ]);
      if (way !== "button") return;
      await until("the message shows who decided", () => settled(gateway).length === 1);
      expect(settled(gateway)[0]).toContain("✅ Allow once (ann)");
    },
  );

  it.each(["button", "number", "/deny"])("is denied by %s, and the call doesn't run", async (way) => {
    const { gateway, act } = await scene("always", { buttons: way === "button" });
    await asks(gateway);
    if (way === "button") await gateway.adapter.press(ann, "deny");
    else await gateway.say(ann, way === "number" ? "2" : "/deny");
    await gateway.idle();
    expect(last(gateway)).toContain("the call was denied: a person said no");
    expect(act.calls).toEqual([]);
    expect(gateway.read("SELECT state FROM gw_tool_calls")).toEqual([{ state: "denied" }]);
  });

  it.each([
    ["always", ["once", "deny"]],
    ["session", ["once", "session", "deny"]],
    ["once", ["once", "session", "always", "deny"]],
  ] as const)("offers with ask: %s no more than is remembered", async (ask, ids) => {
    const { gateway } = await scene(ask);
    await asks(gateway);
    expect(gateway.adapter.sent.at(-1)!.question?.choices.map(({ id }) => id)).toEqual(ids);
  });

  it("for one call isn't remembered", async () => {
    const { gateway, act } = await scene("once");
    for (let n = 1; n <= 2; n += 1) {
      await asks(gateway);
      await gateway.adapter.press(ann, "once");
      await answered(gateway, ann, act, n);
    }
  });

  it("for a session is remembered in it, and only for its person", async () => {
    const { gateway, act } = await scene("session");
    await asks(gateway);
    await gateway.adapter.press(ann, "session");
    await answered(gateway, ann, act, 1);
    expect(await gateway.ask(ann, "!tool act")).toEqual(["did act"]);
    await gateway.ask(ann, "/new");
    await asks(gateway, ann);
    await asks(gateway, ben);
  });

  it("for always is remembered for the person, in every session and over a restart", async () => {
    const { gateway, act } = await scene("once");
    await asks(gateway);
    await gateway.adapter.press(ann, "always");
    await answered(gateway, ann, act, 1);
    await gateway.ask(ann, "/new");
    expect(await gateway.ask(ann, "!tool act")).toEqual(["did act"]);
    const next = await gateway.restart({ tools: [act.definition], buttons: true });
    expect(await next.ask(ann, "!tool act")).toEqual(["did act"]);
    await asks(next, ben);
  });

  it("counts for one call: another of the same message is asked about too", async () => {
    const { gateway } = await scene("always");
    await asks(gateway, ann);
    await asks(gateway, ben);
    await gateway.say(olga, "/approve");
    await until("Ann's call ran", () => last(gateway).includes("did act"));
    expect(last(gateway, ben)).toContain("🔐");
  });
});

describe("without an approval", () => {
  it("a call is denied after the timeout, and a late press changes nothing", async () => {
    const { gateway, act } = await scene("always");
    await asks(gateway);
    const { id } = gateway.adapter.sent.at(-1)!.question!;
    await gateway.crash();
    gateway.change("UPDATE gw_questions SET not_before = 1");
    const next = await TestGateway.start({ home: gateway.home, tools: [act.definition], buttons: true });
    await next.idle();
    expect(last(next)).toContain("the call was denied: the question was not answered in time");
    await until("the message shows it", () => settled(next).length === 1);
    expect(settled(next)[0]).toContain("⌛ Not answered in time: denied");
    const late = await next.say(ann, "once", { choice: { questionId: id, choiceId: "once" } });
    await next.idle();
    expect(next.inbox(late)).toMatchObject({ state: "done", reason: "answer" });
    expect(act.calls).toEqual([]);
    expect(next.adapter.to(ann)).toHaveLength(1);
    expect(settled(next)).toHaveLength(1);
  });

  it("the configuration can deny a call, or run it", async () => {
    const denied = await scene("never", { config: { approvals: { deny: ["a*t"] } } });
    expect((await denied.gateway.ask(ann, "!tool act"))[0]).toContain("approvals.deny lists a*t");
    const free = await scene("always", { config: { approvals: { mode: "off" } } });
    expect(await free.gateway.ask(ann, "!tool act")).toEqual(["did act"]);
  });

  it("owners let every call of a session run with /yolo", async () => {
    const { gateway } = await scene("always");
    await gateway.ask(olga, "hello");
    expect(await gateway.ask(ann, "/yolo")).toEqual(["Only an owner can do that."]);
    await gateway.ask(olga, "/yolo");
    expect(await gateway.ask(olga, "!tool act")).toEqual(["did act"]);
    await gateway.ask(olga, "/yolo off");
    await asks(gateway, olga);
  });
});

describe("a question", () => {
  it("isn't answered by others in the room, but by owners", async () => {
    const { gateway, act } = await scene("always");
    const room = [inGroup("ann", "g"), inGroup("ben", "g"), inGroup("olga", "g")] as const;
    await asks(gateway, room[0]);
    const pressed = await gateway.adapter.press(room[1], "once");
    await until("it is refused", () => gateway.inbox(pressed)?.state === "refused");
    await gateway.say(room[1], "/approve");
    await until("he is told", () => last(gateway, room[1]).includes("Nothing is waiting for your approval"));
    await gateway.say(room[1], "1");
    await until("it is a message like any other", () => last(gateway, room[1]).endsWith("1"));
    expect(act.calls).toEqual([]);
    await gateway.adapter.press(room[2], "once");
    await answered(gateway, room[0], act, 1);
    expect(settled(gateway)[0]).toContain("(olga)");
  });

  it("isn't answered by strangers", async () => {
    const { gateway, act } = await scene("always", {
      platform: { allow_all: false, allow_from: ["ann"] },
    });
    await asks(gateway);
    const pressed = await gateway.adapter.press(inGroup("eve", ann.chatId), "once");
    await until("it is refused", () => gateway.inbox(pressed)?.state === "refused");
    expect(act.calls).toEqual([]);
    expect(gateway.read("SELECT state FROM gw_questions")).toEqual([{ state: "open" }]);
  });

  it("is decided once if two people press at the same time, and shows one decision", async () => {
    const { gateway, act } = await scene("always");
    const [annThere, olgaThere] = [inGroup("ann", "g"), inGroup("olga", "g")];
    await asks(gateway, annThere);
    await Promise.all([gateway.adapter.press(annThere, "once"), gateway.adapter.press(olgaThere, "deny")]);
    await gateway.idle();
    await until("the message shows it", () => settled(gateway).length > 0);
    const [question] = gateway.read<{ answer: string }>("SELECT answer FROM gw_questions");
    const { choiceId, by } = JSON.parse(question!.answer) as { choiceId: string; by: { userId: string } };
    expect(settled(gateway)).toEqual([expect.stringContaining(`(${by.userId})`)]);
    expect(act.calls).toHaveLength(choiceId === "once" ? 1 : 0);
    expect(gateway.adapter.to(annThere)).toHaveLength(2);
  });

  it("is for owners only with ask_in: home, even without a home channel", async () => {
    const { gateway, act } = await scene("always", { config: { approvals: { ask_in: "home" } } });
    await asks(gateway);
    const pressed = await gateway.adapter.press(ann, "once");
    await until("she may not", () => gateway.inbox(pressed)?.state === "refused");
    await gateway.say(ann, "/approve");
    await until("she is told", () => last(gateway).includes("Nothing is waiting for your approval"));
    await gateway.say(olga, "/approve");
    await answered(gateway, ann, act, 1);
  });

  it("frees the slot of its turn, while later messages of its chat wait", async () => {
    const { gateway, act } = await scene("always", { config: { max_concurrent_sessions: 1 } });
    await asks(gateway);
    await gateway.say(ann, "and then this");
    await gateway.say(ben, "hello");
    await until("Ben is answered", () => last(gateway, ben).endsWith("hello"));
    expect(gateway.adapter.to(ann)).toHaveLength(1);
    await gateway.adapter.press(ann, "once");
    await act.called(1);
    await gateway.idle();
    const [, first, second] = gateway.adapter.to(ann).map(({ text }) => text);
    expect(first).toContain("did act");
    expect(second).toBe("and then this");
  });

  it("is withdrawn by /stop, and its message shows that", async () => {
    const { gateway, act } = await scene("always");
    await asks(gateway);
    await gateway.say(ann, "/stop");
    await gateway.idle();
    expect(last(gateway)).toContain("🛑 Stopped.");
    expect(settled(gateway)).toEqual([expect.stringContaining("↩️ Withdrawn")]);
    await gateway.adapter.press(ann, "once");
    await gateway.idle();
    expect(act.calls).toEqual([]);
    expect(gateway.adapter.to(ann)).toHaveLength(2);
  });

  it("survives a restart, is asked once, and its answer continues the turn", async () => {
    const { gateway, act } = await scene("always");
    await asks(gateway);
    const { id } = gateway.adapter.sent.at(-1)!.question!;
    await gateway.crash();
    const next = await TestGateway.start({ home: gateway.home, tools: [act.definition], buttons: true });
    expect(next.gateway.depth).toEqual({ waiting: 1, running: 0 });
    await next.say(ann, "once", { choice: { questionId: id, choiceId: "once" } });
    await act.called(1);
    await next.idle();
    expect(next.adapter.to(ann).map(({ text }) => text)).toEqual([expect.stringContaining("did act")]);
  });
});
