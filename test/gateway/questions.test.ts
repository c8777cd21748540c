import path from "node:path";
import { describe, expect, it } from "vitest";
import type { AcceptedMessage } from "../../src/store/queues.js";
import { openStore } from "../../src/store/sqlite/index.js";
import { plain, TestGateway } from "../support/gateway.js";
import { HeldTool } from "../support/held-tool.js";
import { type ButtonAdapter, inDm, inGroup, originOf, type Person } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const olga = inDm("olga");

const clarify = (question: string, choices: string[] = []) =>
  `!tool clarify ${JSON.stringify({ question, choices })}`;
const last = (gateway: TestGateway, person: Person = ann) =>
  plain(gateway.adapter.to(person).at(-1)?.text ?? "");
const settled = (gateway: TestGateway) => (gateway.adapter as ButtonAdapter).settled;

async function asked(gateway: TestGateway, text: string, person: Person = ann): Promise<string> {
  const count = gateway.adapter.to(person).length;
  await gateway.say(person, text);
  await gateway.sentTo(person, count + 1);
  await until(
    "the question is in the chat",
    () => gateway.read("SELECT 1 FROM gw_questions WHERE state = 'open'").length > 0,
  );
  return last(gateway, person);
}

describe("clarify", () => {
  it("accepts an answer in the person's own words", async () => {
    const gateway = await TestGateway.start({ buttons: true });
    expect(await asked(gateway, clarify("Which colour?"))).toBe("Which colour?");
    const answer = await gateway.say(ann, "something like teal");
    await gateway.idle();
    expect(JSON.parse(last(gateway))).toMatchObject({ user_response: "something like teal" });
    expect(gateway.inbox(answer)).toMatchObject({ state: "done", reason: "answer" });
    expect(gateway.adapter.to(ann)).toHaveLength(2);
  });

  it.each(["press", "2", "Blue"])("accepts a choice (%s)", async (way) => {
    const gateway = await TestGateway.start({ buttons: way === "press" });
    const shown = await asked(gateway, clarify("Which colour?", ["Red", "Blue"]));
    expect(shown.includes("2. Blue")).toBe(way !== "press");
    if (way === "press") await gateway.adapter.press(ann, "2");
    else await gateway.say(ann, way);
    await gateway.idle();
    expect(JSON.parse(last(gateway))).toMatchObject({ user_response: "Blue" });
  });

  it("isn't answered by another person's words in a shared session", async () => {
    const gateway = await TestGateway.start({ buttons: true, config: { group_sessions_per_user: false } });
    const [annThere, benThere] = [inGroup("ann", "g"), inGroup("ben", "g")];
    await asked(gateway, clarify("Which colour?"), annThere);
    const bens = await gateway.say(benThere, "green");
    await until("it is routed", () => gateway.gateway.depth.waiting === 2);
    expect(gateway.inbox(bens)).toMatchObject({ state: "waiting" });
    await gateway.say(annThere, "teal");
    await gateway.idle();
    const [, first, second] = gateway.adapter.to(annThere).map(({ text }) => plain(text));
    expect(JSON.parse(first!)).toMatchObject({ user_response: "teal" });
    expect(second).toContain("green");
  });

  it("is asked once by a tool that can't be repeated, which runs again from its start", async () => {
    const act = new HeldTool();
    act.definition.run = async (args, call) => {
      act.calls.push({ args, call });
      const answer = await call.ask({ text: "Sure?", choices: [], acceptsText: true });
      return `heard ${answer?.text ?? "nothing"}`;
    };
    const gateway = await TestGateway.start({ buttons: true, tools: [act.definition] });
    await asked(gateway, "!tool act");
    await gateway.say(ann, "yes");
    await gateway.idle();
    expect(last(gateway)).toBe("heard yes");
    expect(act.calls).toHaveLength(2);
    expect(act.keys[0]).toBe(act.keys[1]);
    expect(gateway.read("SELECT state FROM gw_tool_calls")).toEqual([{ state: "done" }]);
  });
});

describe("the question of a command", () => {
  const models = { owners: ["test:olga"], model: { choices: ["small", "large"] } };

  it("lets owners choose a model", async () => {
    const gateway = await TestGateway.start({ buttons: true, config: models });
    await gateway.ask(olga, "hello");
    await asked(gateway, "/model", olga);
    await gateway.adapter.press(olga, "2");
    await until("the model is set", () => last(gateway, olga).includes("This chat now uses `large`"));
    expect((await gateway.route(olga))?.model).toBe("large");
    expect(settled(gateway)[0]).toContain("✅ large (olga)");
  });

  it("confirms /new, and a cancel keeps the session", async () => {
    const config = { approvals: { destructive_slash_confirm: true } };
    const gateway = await TestGateway.start({ config });
    await gateway.ask(ann, "hello");
    const { id } = await gateway.session(ann);
    await asked(gateway, "/new");
    await gateway.say(ann, "cancel");
    await gateway.idle();
    expect((await gateway.session(ann)).id).toBe(id);
    await asked(gateway, "/new Plans");
    await gateway.say(ann, "1");
    await until("it is new", () => last(gateway).includes("✨ New session"));
    expect((await gateway.session(ann)).title).toBe("Plans");
    expect(last(gateway)).not.toContain("stopped the running turn");
  });

  it("doesn't count as a running turn while it is open", async () => {
    const gateway = await TestGateway.start({ buttons: true, config: models });
    await gateway.ask(olga, "hello");
    await asked(gateway, "/model", olga);
    await gateway.say(olga, "/stop");
    await until("it is answered", () => last(gateway, olga) === "Nothing is running.");
  });

  it("runs once if a crash comes between the typed answer and the command", async () => {
    const config = { approvals: { destructive_slash_confirm: true } };
    const gateway = await TestGateway.start({ config });
    await gateway.ask(ann, "hello");
    const { id } = await gateway.session(ann);
    await asked(gateway, "/new");
    await gateway.crash();
    await decideAndDie(gateway, "1", "1");
    const next = await TestGateway.start({ home: gateway.home, config });
    await until("it is new", () => last(next).includes("✨ New session"));
    await next.idle();
    expect(next.adapter.to(ann)).toHaveLength(1);
    expect((await next.session(ann)).id).not.toBe(id);
    expect((await next.store.getConversation((await next.session(ann)).id)).length).toBe(0);
  });
});

it("an answer in words isn't a message for the agent too, if a crash comes right after it", async () => {
  const gateway = await TestGateway.start();
  await asked(gateway, clarify("Which colour?"));
  await gateway.crash();
  await decideAndDie(gateway, "teal", undefined);
  const next = await TestGateway.start({ home: gateway.home });
  await next.idle();
  expect(next.adapter.to(ann)).toHaveLength(1);
  expect(JSON.parse(last(next))).toMatchObject({ user_response: "teal" });
});

/** A message came and decided the question; the gateway died before it did anything else. */
async function decideAndDie(gateway: TestGateway, text: string, choiceId: string | undefined): Promise<void> {
  const store = await openStore({ path: path.join(gateway.home, "state.db"), threads: false });
  const [question] = await store.listQuestions("open");
  const message: AcceptedMessage["message"] = {
    ...{ platform: "test", account: "bot", eventId: "typed", origin: originOf(ann), text, attachments: [] },
    ...{ sentAt: Date.now() / 1000, mentioned: true, repliedToBot: false, threadWithBot: false },
    ...{ isBot: false, authenticated: false },
  };
  const [row] = await store.acceptMessages([
    { message, sessionKey: gateway.keyOf(ann), receivedAt: Date.now() / 1000 },
  ]);
  const by = { platform: "test", userId: "ann", userName: "ann" };
  const answer = { choiceId, text, by, at: Date.now() / 1000, inboxId: row!.id };
  await store.decideQuestion(question!.id, { state: "answered", answer });
  await store.close();
}
