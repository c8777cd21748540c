import { describe, expect, it } from "vitest";
import type { DiscordOptions } from "../../../src/adapters/discord/index.js";
import { CHANNEL } from "../../emulators/discord/index.js";
import { until } from "../../support/until.js";
import { connected, FakeInbox, makeAdapter } from "./support.js";

type Bench = Awaited<ReturnType<typeof connected>>;

/** A new process with the same stored state. */
async function restart({ emulator, inbox }: Bench, options: Partial<DiscordOptions> = {}) {
  const next = makeAdapter(emulator, options);
  await next.adapter.connect(inbox, next.stop.signal);
  return next;
}

describe("catching up after downtime", () => {
  it("resumes the session if it still exists, and gets messages of new people too", async () => {
    const bench = await connected();
    await bench.adapter.disconnect();
    const eve = bench.emulator.user("Eve");
    bench.emulator.say(eve, bench.emulator.dm(eve), "first contact");
    await restart(bench);
    await bench.inbox.message("first contact");
    expect(bench.emulator.gateway).toMatchObject({ identifies: 1, resumes: 1 });
  });

  it("reads direct messages, channels and threads when the session is gone", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    const guild = emulator.guild("S");
    const known = emulator.channel(guild, "known");
    const quiet = emulator.channel(guild, "quiet");
    const thread = emulator.thread(known, "t", ada);
    for (const place of [dm, known, thread]) emulator.say(ada, place, `before in ${place.type}`);
    await until("all is in", () => inbox.received.length === 3);
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    for (const place of [dm, known, quiet, thread]) emulator.say(ada, place, `missed in ${place.id}`);
    await restart(bench);
    for (const place of [dm, known, quiet, thread]) await inbox.message(`missed in ${place.id}`);
    expect((await inbox.message(`missed in ${thread.id}`)).origin).toMatchObject({
      chatType: "thread",
      parentChatId: known.id,
      guildId: guild.id,
    });
    expect(new Set(inbox.texts).size).toBe(inbox.texts.length);
  });

  it("finds direct messages that began at the same moment", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const people = ["Ada", "Bob", "Cy"].map((name) => emulator.user(name));
    for (const person of people) emulator.say(person, emulator.dm(person), `hello from ${person.name}`);
    for (const { name } of people) await inbox.message(`hello from ${name}`);
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    for (const person of people) emulator.say(person, emulator.dm(person), `missed from ${person.name}`);
    await restart(bench);
    for (const { name } of people) await inbox.message(`missed from ${name}`);
  });

  it("skips and logs a message that can't be processed, and reads on", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.say(ada, dm, "before");
    await inbox.message("before");
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    const odd = { name: null as unknown as string, contentType: "image/png", bytes: Buffer.from("x") };
    emulator.say(ada, dm, "odd", { files: [odd] });
    emulator.say(ada, dm, "after");
    const { lines } = await restart(bench);
    await inbox.message("after");
    expect(lines).toContainEqual(
      expect.objectContaining({ level: "error", message: expect.stringContaining("can't be processed") }),
    );
  });

  it("fetches the authors' roles if access depends on them", async () => {
    const bench = await connected({ rolesMatter: true });
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada", { roles: ["42"] });
    const channel = emulator.channel(emulator.guild("S"), "general");
    emulator.say(ada, channel, "live");
    expect((await inbox.message("live")).roles).toEqual(["42"]);
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    emulator.say(ada, channel, "missed");
    await restart(bench, { rolesMatter: true });
    expect((await inbox.message("missed")).roles).toEqual(["42"]);
  });

  it("receives several pages before newer messages", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.say(ada, dm, "before");
    await inbox.message("before");
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    for (let i = 0; i < 230; i++) emulator.say(ada, dm, `missed ${i}`);
    await restart(bench);
    emulator.say(ada, dm, "live");
    await inbox.message("live");
    const expected = ["before", ...Array.from({ length: 230 }, (_, i) => `missed ${i}`), "live"];
    expect(inbox.texts).toEqual(expected);
  });

  it("finds a message that was overtaken by the last stored one", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.say(ada, dm, "known");
    await inbox.message("known");
    const lost = emulator.core.world.addMessage({ channelId: dm.id, authorId: ada.id, content: "overtaken" });
    emulator.say(ada, dm, "overtook");
    await inbox.message("overtook");
    expect(BigInt(lost.id)).toBeLessThan(BigInt(inbox.received.at(-1)!.eventId));
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    await restart(bench);
    await inbox.message("overtaken");
  });

  it("passes on one page of messages that are too old, and skips the rest", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const dm = emulator.dm(ada);
    emulator.say(ada, dm, "before", { sentAtMs: Date.now() - 7_300_000 });
    await inbox.message("before");
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    // As after two hours of downtime.
    inbox.cursors.set("seen", inbox.received[0]!.eventId);
    for (let i = 0; i < 150; i++) emulator.say(ada, dm, `old ${i}`, { sentAtMs: Date.now() - 7_200_000 + i });
    emulator.say(ada, dm, "late", { sentAtMs: Date.now() - 600_000 });
    const { lines } = await restart(bench, { catchUpMaxAgeSeconds: 3600 });
    const late = await inbox.message("late");
    expect(Date.now() / 1000 - late.sentAt).toBeGreaterThan(590);
    // One page, which begins a little before the cursor.
    expect(inbox.texts.filter((text) => text.startsWith("old"))).toHaveLength(99);
    const report = lines.find(({ message }) => /too old to be answered/.test(message));
    expect(report?.fields).toMatchObject({ channelId: dm.id });
  });

  it("reads nothing when switched off, and on the very first start", async () => {
    const bench = await connected({ catchUpMaxAgeSeconds: 0 });
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "before");
    await inbox.message("before");
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    emulator.say(ada, emulator.dm(ada), "missed");
    await restart(bench, { catchUpMaxAgeSeconds: 0 });
    emulator.say(ada, emulator.dm(ada), "live");
    await inbox.message("live");
    const other = new FakeInbox();
    const first = makeAdapter(emulator);
    emulator.gateway.forgetSessions();
    await first.adapter.connect(other, first.stop.signal);
    emulator.say(ada, emulator.dm(ada), "hello");
    await other.message("hello");
    expect(inbox.texts).not.toContain("missed");
    expect(other.texts).toEqual(["hello"]);
  });

  it("skips channels that the bot may not read, and retries when Discord fails", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const guild = emulator.guild("S");
    const [open, secret] = [emulator.channel(guild, "open"), emulator.channel(guild, "secret")];
    for (const channel of [open, secret]) emulator.say(ada, channel, `in ${channel.name}`);
    await until("both", () => inbox.received.length === 2);
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    emulator.say(ada, open, "missed");
    emulator.say(ada, secret, "hidden");
    secret.access = "none";
    emulator.faults.arm(
      "GET",
      new RegExp(`^/channels/${open.id}/messages`),
      { kind: "answer", status: 500, body: {} },
      2,
    );
    await restart(bench);
    await inbox.message("missed");
    emulator.gateway.forgetSessions();
    emulator.gateway.cut();
    await until("it is back", () => emulator.gateway.identifies === 3);
    emulator.say(ada, open, "live");
    await inbox.message("live");
    const reports = emulator.rest.calls.filter(({ path }) => path === `/channels/${secret.id}/messages`);
    expect(reports).toHaveLength(1);
  });

  it("reads nothing in a server that has just added the bot", async () => {
    const { emulator, inbox } = await connected();
    const ada = emulator.user("Ada");
    const guild = emulator.core.world.addGuild("New");
    const channel = emulator.core.world.addChannel({ type: CHANNEL.text, guildId: guild.id, name: "c" });
    emulator.core.world.addMessage({ channelId: channel.id, authorId: ada.id, content: "long ago" });
    emulator.gateway.invalidate();
    await until("it is back", () => emulator.gateway.identifies === 2);
    emulator.say(ada, channel, "now");
    await inbox.message("now");
    expect(inbox.texts.filter((text) => text === "now")).toHaveLength(1);
  });
});

describe("events that weren't stored before a crash", () => {
  it("don't count as received: the resume state stays before them", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "stored");
    await inbox.message("stored");
    await until("the place is saved", () => place(inbox) > 1);
    const before = place(inbox);
    inbox.gate = new Promise(() => {});
    emulator.say(ada, emulator.dm(ada), "not stored");
    const eve = emulator.user("Eve");
    emulator.say(eve, emulator.dm(eve), "neither");
    await until("both wait", () => inbox.waiting === 2);
    await bench.adapter.disconnect();
    expect(place(inbox)).toBe(before);

    inbox.gate = undefined;
    await restart(bench);
    await inbox.message("not stored");
    await inbox.message("neither");
    expect(emulator.gateway.resumedFrom).toEqual([before]);
  });

  it("are read again after a crash during catching up, although the session is resumed", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const channel = emulator.channel(emulator.guild("S"), "c");
    emulator.say(ada, channel, "before");
    await inbox.message("before");
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    for (const text of ["missed 1", "missed 2"]) emulator.say(ada, channel, text);
    inbox.gate = new Promise(() => {});
    const dying = await restart(bench);
    await until("it catches up", () => inbox.waiting > 0);
    await until("its session is known", () => place(inbox) === 1);
    const seen = inbox.cursors.get("seen");
    const { heartbeats } = emulator.gateway;
    await until("all seems well", () => emulator.gateway.heartbeats > heartbeats + 1);
    expect(inbox.cursors.get("seen")).toBe(seen);
    await dying.adapter.disconnect();

    inbox.gate = undefined;
    await restart(bench);
    await inbox.message("missed 2");
    expect(emulator.gateway.resumedFrom).toEqual([1]);
    expect(inbox.texts).toEqual(["before", "missed 1", "missed 2"]);
  });

  it("come again after a crash that saved nothing", async () => {
    const bench = await connected();
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    emulator.say(ada, emulator.dm(ada), "one");
    await inbox.message("one");
    await until("the place is saved", () => place(inbox) > 1);
    const cursors = new Map(inbox.cursors);
    emulator.say(ada, emulator.dm(ada), "two");
    await inbox.message("two");
    await bench.adapter.disconnect();
    const after = new FakeInbox();
    for (const [name, value] of cursors) after.cursors.set(name, value);
    const next = makeAdapter(emulator);
    await next.adapter.connect(after, next.stop.signal);
    await after.message("two");
  });
});

function place(inbox: FakeInbox): number {
  const saved = inbox.cursors.get("session:0");
  return saved ? (JSON.parse(saved) as { sequence: number }).sequence : 0;
}

describe("a clock that is ahead of Discord's", () => {
  it("doesn't hide messages in a channel", async () => {
    const aheadMs = 600_000;
    const there = () => Date.now() - aheadMs;
    const bench = await connected({}, {}, (emulator) => {
      emulator.faults.clockBehindMs = aheadMs;
    });
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const guild = emulator.guild("S");
    guild.joinedAtMs = there();
    const channel = emulator.channel(guild, "c");
    emulator.say(ada, channel, "before", { sentAtMs: there() });
    await inbox.message("before");
    const seen = inbox.cursors.get("seen");
    await until("a heartbeat later", () => inbox.cursors.get("seen") !== seen);
    await bench.adapter.disconnect();
    emulator.gateway.forgetSessions();
    emulator.say(ada, channel, "missed", { sentAtMs: there() });
    await restart(bench);
    await inbox.message("missed");
  });
});
