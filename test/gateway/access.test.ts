import { describe, expect, it } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";

const stranger = inDm("stranger");
const closed = { allow_all: false, unauthorized_dm_behavior: "ignore" };

describe("a stranger", () => {
  it("gets no answer, and the row has the reason", async () => {
    const gateway = await TestGateway.start({ platform: closed });
    const said = await gateway.say(stranger, "let me in");
    await gateway.idle();
    expect(gateway.adapter.sent).toEqual([]);
    expect(gateway.inbox(said)).toMatchObject({ state: "refused", reason: "not_listed" });
    expect(await gateway.route(stranger)).toBeUndefined();
    const [trace] = await gateway.store.reports.traceMessage(said);
    expect(trace).toMatchObject({ reason: "not_listed", deliveries: [] });
  });

  it("can't use commands either", async () => {
    const gateway = await TestGateway.start({ platform: closed });
    const said = await gateway.say(stranger, "/status");
    await gateway.idle();
    expect(gateway.adapter.sent).toEqual([]);
    expect(gateway.inbox(said)).toMatchObject({ state: "refused" });
  });

  it("can't pose as another person with a display name", async () => {
    const gateway = await TestGateway.start({ platform: { ...closed, allow_from: ["ann"] } });
    await gateway.say({ ...stranger, userName: "ann" }, "I am ann");
    await gateway.idle();
    expect(gateway.adapter.sent).toEqual([]);
  });

  it("is ignored in groups, and bots always are", async () => {
    const gateway = await TestGateway.start({ platform: { allow_all: false } });
    const inRoom = await gateway.say(inGroup("stranger"), "hello");
    const bot = await gateway.say(inDm("robot"), "hello", { isBot: true });
    await gateway.idle();
    expect(gateway.adapter.sent).toEqual([]);
    expect(gateway.inbox(inRoom)).toMatchObject({ state: "refused", reason: "not_listed" });
    expect(gateway.inbox(bot)).toMatchObject({ state: "refused", reason: "bot" });
  });
});

describe("a listed person", () => {
  it.each([
    ["on the platform", { platform: { ...closed, allow_from: ["ann"] } }],
    ["for every platform", { platform: closed, config: { allow_from: ["test:ann"] } }],
    ["as an owner", { platform: closed, config: { owners: ["test:ann"] } }],
  ])("%s is answered, others aren't", async (_, options) => {
    const gateway = await TestGateway.start(options);
    expect(await gateway.ask(inDm("ann"), "hello")).toEqual(["hello"]);
    expect(await gateway.ask(inDm("bob"), "hello")).toEqual([]);
  });

  it("listed for groups is answered only there", async () => {
    const gateway = await TestGateway.start({ platform: { ...closed, group_allow_from: ["ann"] } });
    expect(await gateway.ask(inGroup("ann"), "hello")).toEqual(["hello"]);
    expect(await gateway.ask(inDm("ann"), "hello")).toEqual([]);
  });

  it("who doesn't address the bot is ignored", async () => {
    const gateway = await TestGateway.start({ platform: { require_mention: true } });
    const said = await gateway.say(inGroup("ann"), "to the others", { mentioned: false });
    await gateway.idle();
    expect(gateway.adapter.sent).toEqual([]);
    expect(gateway.inbox(said)).toMatchObject({ state: "refused", reason: "not_mentioned" });
    expect(await gateway.ask(inGroup("ann"), "bot, hello")).toEqual(["bot, hello"]);
  });
});

describe("pairing", () => {
  const codeIn = (text: string) => /pairing approve test ([A-Z2-9]{8})/.exec(text)![1]!;

  it("sends a stranger a code, rate-limited, and allows them once it is approved", async () => {
    const gateway = await TestGateway.start({ platform: { allow_all: false } });
    const [reply] = await gateway.ask(stranger, "hello");
    const code = codeIn(reply!);
    expect(JSON.stringify(await gateway.store.pairingState("test", ["stranger"]))).not.toContain(code);
    const again = await gateway.say(stranger, "hello?");
    await gateway.idle();
    expect(gateway.adapter.to(stranger)).toHaveLength(1);
    expect(gateway.inbox(again)).toMatchObject({ state: "refused", reason: "pairing: too_soon" });

    const wrong = await runHermes(gateway.home, ["pairing", "approve", "test", "AAAAAAAA"]);
    expect(wrong.code).not.toBe(0);
    expect(await gateway.ask(stranger, "and now?")).toEqual([]);

    const approved = await runHermes(gateway.home, ["pairing", "approve", "test", code.toLowerCase()]);
    expect(approved).toMatchObject({ code: 0 });
    expect(await gateway.ask(stranger, "hello")).toEqual(["hello"]);
    expect(await gateway.ask(inDm("other"), "hello")).not.toEqual(["hello"]);
  });

  it("sends a stranger who writes twice at once a single valid code", async () => {
    const gateway = await TestGateway.start({ platform: { allow_all: false } });
    await Promise.all(["hello", "are you there?", "hm"].map((text) => gateway.say(stranger, text)));
    await gateway.idle();
    const [reply, ...more] = gateway.adapter.to(stranger);
    expect(more).toEqual([]);
    const approved = await runHermes(gateway.home, ["pairing", "approve", "test", codeIn(reply!.text)]);
    expect(approved).toMatchObject({ code: 0 });
  });

  it("keeps at most three pending requests", async () => {
    const gateway = await TestGateway.start({ platform: { allow_all: false } });
    for (const name of ["a", "b", "c"]) expect(await gateway.ask(inDm(name), "hi")).toHaveLength(1);
    const fourth = await gateway.say(inDm("d"), "hi");
    await gateway.idle();
    expect(gateway.inbox(fourth)).toMatchObject({ reason: "pairing: too_many_pending" });
    expect(gateway.adapter.to(inDm("d"))).toEqual([]);
  });

  it("is never offered in a group", async () => {
    const gateway = await TestGateway.start({ platform: { allow_all: false } });
    expect(await gateway.ask(inGroup("stranger"), "hello")).toEqual([]);
    expect((await gateway.store.reports.pairingPage({ since: 0 })).pending).toEqual([]);
  });
});
