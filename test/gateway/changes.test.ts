import { describe, expect, it } from "vitest";
import { plain, TestGateway } from "../support/gateway.js";
import { inDm, inGroup, type Person } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");

/** Starts a turn, so the next messages have to wait. */
async function busy(gateway: TestGateway, person: Person = ann): Promise<string> {
  const id = await gateway.say(person, "!slow 400 first");
  await until("it runs", () => gateway.inbox(id)?.state === "running");
  return id;
}

const answers = (gateway: TestGateway, person = ann) =>
  gateway.adapter.to(person).map(({ text }) => plain(text));

describe("an edit before the turn", () => {
  it("changes what the agent is asked", async () => {
    const gateway = await TestGateway.start();
    await busy(gateway);
    const id = await gateway.say(ann, "secnod");
    await gateway.adapter.edit(ann, id, "second");
    await gateway.idle();
    expect(answers(gateway)).toEqual(["first", "second"]);
  });

  it("never turns a message into a command, even after a restart", async () => {
    const gateway = await TestGateway.start();
    await busy(gateway);
    const id = await gateway.say(ann, "hello");
    await gateway.adapter.edit(ann, id, "/new");
    const before = (await gateway.session(ann)).id;
    const again = await gateway.restart();
    await again.idle();
    expect(answers(again).at(-1)).toMatch(/\/new$/);
    expect((await again.session(ann)).id).toBe(before);
  });

  it("keeps neighbouring messages if it deletes one", async () => {
    const gateway = await TestGateway.start();
    await busy(gateway);
    const id = await gateway.say(ann, "secret");
    await gateway.say(ann, "public");
    await gateway.adapter.remove(ann, id);
    await gateway.idle();
    expect(answers(gateway)).toEqual(["first", "public"]);
    expect(gateway.inbox(id)).toMatchObject({ state: "cancelled", reason: "taken back" });
  });
});

describe("an edit during or after the turn", () => {
  it("reaches the agent with the next message, once, and never runs", async () => {
    const gateway = await TestGateway.start();
    const id = await busy(gateway);
    await gateway.adapter.edit(ann, id, "/new");
    await gateway.idle();
    expect(answers(gateway)).toEqual(["first"]);
    await gateway.ask(ann, "next");
    expect(answers(gateway).at(-1)).toBe(
      '[Note: The earlier message "!slow 400 first" was edited and now reads "/new"]\nnext',
    );
    expect(await gateway.ask(ann, "and then")).toEqual(["and then"]);
    const stored = await gateway.store.getMessages((await gateway.session(ann)).id);
    expect(stored.filter(({ content }) => String(content).includes("now reads"))).toHaveLength(2);
  });

  it("may be a deletion; in a room it names the sender", async () => {
    const gateway = await TestGateway.start({ config: { group_sessions_per_user: false } });
    const bob = inGroup("bob", "room", "Bob");
    const id = await gateway.say(bob, "wrong room");
    await gateway.idle();
    await gateway.adapter.remove(bob, id);
    expect(await gateway.ask(inGroup("eve", "room", "Eve"), "hi")).toEqual([
      '[Note: Bob\'s earlier message "wrong room" was deleted]\n[Eve] hi',
    ]);
  });

  it("is reported with its last text; an edit without changes is ignored", async () => {
    const gateway = await TestGateway.start();
    const id = await gateway.say(ann, "one");
    await gateway.idle();
    await gateway.adapter.edit(ann, id, "one");
    expect(await gateway.ask(ann, "a")).toEqual(["a"]);
    await gateway.adapter.edit(ann, id, "two");
    await gateway.adapter.edit(ann, id, "three");
    expect((await gateway.ask(ann, "b"))[0]).toMatch(/^\[Note: .*"one".*"three"\]\nb$/);
    await gateway.adapter.edit(ann, id, "three");
    expect(await gateway.ask(ann, "c")).toEqual(["c"]);
    await gateway.adapter.edit(ann, id, "four");
    await gateway.adapter.edit(ann, id, "three");
    expect(await gateway.ask(ann, "d")).toEqual(["d"]);
    await gateway.adapter.edit(ann, id, "one");
    expect((await gateway.ask(ann, "e"))[0]).toMatch(/"three".*now reads "one"\]\ne$/);
  });

  it("is ignored in another session and for messages that were never asked", async () => {
    const gateway = await TestGateway.start();
    const id = await gateway.say(ann, "one");
    const command = await gateway.say(ann, "/status");
    await gateway.idle();
    await gateway.adapter.edit(ann, id, "two");
    await gateway.adapter.edit(ann, command, "/new");
    await gateway.adapter.edit(ann, "unknown", "three");
    await gateway.ask(ann, "/new");
    expect(await gateway.ask(ann, "a")).toEqual(["a"]);
  });

  it("survives a crash of the turn that reports it, and appears in the trace", async () => {
    const gateway = await TestGateway.start();
    const id = await gateway.say(ann, "one");
    await gateway.idle();
    await gateway.adapter.edit(ann, id, "two");
    await gateway.say(ann, "!fail other");
    await gateway.idle();
    expect((await gateway.ask(ann, "next"))[0]).toMatch(/now reads "two"/);
    const [trace] = await gateway.store.reports.traceMessage(id);
    expect(trace!.steps).toContainEqual({ at: expect.any(Number), what: "edited", detail: "two" });
  });
});

describe("a missed message", () => {
  const ago = (seconds: number) => ({ sentAt: Date.now() / 1000 - seconds });

  it("is marked as late for the agent", async () => {
    const gateway = await TestGateway.start();
    await gateway.say(ann, "are you there?", ago(3 * 3600));
    await gateway.idle();
    expect(answers(gateway)).toEqual(["[Late: this was written 3 h before it reached me]\nare you there?"]);
  });

  it("becomes a row with a reason if it is too old, and is counted in the log", async () => {
    const gateway = await TestGateway.start({ platform: { catch_up_max_age: 600 } });
    const ids = [await gateway.say(ann, "old", ago(700)), await gateway.say(ann, "/new", ago(7000))];
    await gateway.say(ann, "younger", ago(500));
    await gateway.idle();
    expect(answers(gateway)).toHaveLength(1);
    for (const id of ids) expect(gateway.inbox(id)).toMatchObject({ state: "refused", reason: "too_old" });
    await gateway.stop();
    expect(gateway.warnings).toContainEqual({
      message: "skipped messages that are too old to answer",
      fields: { platform: "test", count: 2, oldest: expect.stringMatching(/^\d{4}-/) },
    });
  });

  it("from a stranger starts no pairing, whatever its age", async () => {
    const gateway = await TestGateway.start({ platform: { allow_all: false } });
    await gateway.say(inDm("stranger"), "hello", ago(3 * 86_400));
    await gateway.idle();
    expect(gateway.adapter.sent).toEqual([]);
  });
});
