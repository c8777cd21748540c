import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { SendError } from "../../../src/errors.js";
import type { Target } from "../../../src/message.js";
import { CHANNEL } from "../../emulators/discord/index.js";
import { forgetParts, lookUp, type Outgoing, send } from "../../support/send.js";
import { until } from "../../support/until.js";
import { answer, connected, makeAdapter, soon } from "./support.js";

type Bench = Awaited<ReturnType<typeof connected>>;

/** A chat with a question that waits for an answer. */
async function asked(bench: Bench, text = "question") {
  const ada = bench.emulator.user("Ada");
  const dm = bench.emulator.dm(ada);
  const question = bench.emulator.say(ada, dm, text);
  const message = await bench.inbox.message(text);
  return { ada, dm, question, message };
}

async function failure(work: Promise<unknown>): Promise<SendError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SendError);
  return error as SendError;
}

const sendTo = (bench: Bench, message: Outgoing) => send(bench.adapter, message, soon());
const POST_MESSAGES = /^\/channels\/\d+\/messages$/;

describe("answers", () => {
  it.each([
    ["all", [true, true, true]],
    ["off", [false, false, false]],
  ] as const)("quote the question as %s says", async (replyToMode, quotes) => {
    const bench = await connected({ replyToMode });
    const { dm, message } = await asked(bench);
    await sendTo(bench, answer(message, "word ".repeat(1000)));
    expect(bench.emulator.said(dm).map(({ replyTo }) => replyTo !== null)).toEqual(quotes);
  });

  it("open a thread of their own once, if configured", async () => {
    const bench = await connected({ replyInThread: true });
    const { emulator, inbox } = bench;
    const ada = emulator.user("Ada");
    const channel = emulator.channel(emulator.guild("S"), "c");
    const question = emulator.say(ada, channel, `<@${emulator.botId}> what is up?`);
    const message = await inbox.message("what is up?");
    await sendTo(bench, answer(message, "first"));
    await sendTo(bench, answer(message, "second"));
    expect(emulator.said(channel)).toEqual([]);
    expect(emulator.said({ id: question.id }).map(({ text }) => text)).toEqual(["first", "second"]);
    expect(emulator.core.world.channels.get(question.id)).toMatchObject({
      name: "what is up?",
      parentId: channel.id,
    });
    emulator.say(ada, emulator.core.world.channels.get(question.id)!, "and then?");
    expect((await inbox.message("and then?")).origin).toMatchObject({
      chatType: "thread",
      chatId: message.origin.chatId,
    });
    expect((await inbox.message("and then?")).threadWithBot).toBe(true);
  });

  it("stay in a voice channel, where no thread can be opened", async () => {
    const bench = await connected({ replyInThread: true });
    const { emulator, inbox } = bench;
    const channel = emulator.channel(emulator.guild("S"), "lounge", CHANNEL.voice);
    const question = emulator.say(emulator.user("Ada"), channel, `<@${emulator.botId}> hello?`);
    await sendTo(bench, answer(await inbox.message("hello?"), "hello"));
    expect(emulator.said(channel)).toMatchObject([{ text: "hello", replyTo: question.id }]);
  });

  it("are sent without a quote where the bot may not quote, which is logged once", async () => {
    const bench = await connected();
    const { dm, message } = await asked(bench);
    const body = { message: "Cannot reply without permission to read message history", code: 160002 };
    bench.emulator.faults.arm("POST", POST_MESSAGES, { kind: "answer", status: 403, body }, 1);
    await sendTo(bench, answer(message, "first"));
    bench.emulator.faults.arm("POST", POST_MESSAGES, { kind: "answer", status: 403, body }, 1);
    await sendTo(bench, answer(message, "second"));
    expect(bench.emulator.said(dm)).toMatchObject([
      { text: "first", replyTo: null },
      { text: "second", replyTo: null },
    ]);
    expect(bench.lines.filter(({ level }) => level === "warn")).toMatchObject([
      { message: expect.stringContaining("Read Message History"), fields: { channelId: dm.id } },
    ]);
  });

  it("don't ping people that the model mentions", async () => {
    const bench = await connected();
    const { message } = await asked(bench);
    await sendTo(bench, answer(message, "@everyone look"));
    const post = bench.emulator.rest.calls.findLast(({ method }) => method === "POST");
    expect(post?.body).toMatchObject({ allowed_mentions: { parse: [] }, enforce_nonce: true });
    expect(String(post?.body.nonce).length).toBeLessThanOrEqual(25);
  });
});

describe("a send with an unknown outcome", () => {
  it("doesn't repeat parts that arrived, in this process or the next", async () => {
    const bench = await connected();
    const { dm, message } = await asked(bench);
    const reply = answer(message, "word ".repeat(1000));
    bench.emulator.faults.arm("POST", POST_MESSAGES, { kind: "delay", ms: 0 });
    bench.emulator.faults.arm("POST", POST_MESSAGES, { kind: "drop_after" });
    expect((await failure(sendTo(bench, reply))).outcome).toBe("unknown");
    await bench.adapter.disconnect();
    const next = makeAdapter(bench.emulator);
    await next.adapter.connect(bench.inbox, next.stop.signal);
    const receipt = await send(next.adapter, reply, soon());
    expect(bench.emulator.said(dm).map(({ id }) => id)).toEqual(receipt.messageIds);
    expect(receipt.messageIds).toHaveLength(3);
  });

  it("can be looked up after Discord has forgotten the nonce", async () => {
    const bench = await connected({}, { nonceWindowMs: 0 });
    const { message } = await asked(bench);
    const reply = answer(message, "once");
    expect(await lookUp(bench.adapter, reply, soon())).toBe("missing");
    bench.emulator.faults.arm("POST", POST_MESSAGES, { kind: "drop_after" });
    await failure(sendTo(bench, reply));
    const found = await lookUp(bench.adapter, reply, soon());
    expect(found).toEqual([bench.emulator.said({ id: message.origin.chatId! })[0]!.id]);
    expect(await lookUp(bench.adapter, answer({ ...reply.target, replyTo: null }, "x"), soon())).toBe(
      "unknown",
    );
  });

  it.each([
    ["all of it", 3],
    ["a part", 1],
  ])(
    "without stored parts is looked up part by part, and only what is missing is sent: %s had arrived",
    async (_, there) => {
      const bench = await connected({}, { nonceWindowMs: 0 });
      const { dm, message } = await asked(bench);
      const reply = answer(message, "word ".repeat(1000));
      await sendTo(bench, reply);
      forgetParts(reply);
      for (const { id } of bench.emulator.said(dm).slice(there))
        bench.emulator.remove(bench.emulator.core.world.find(dm.id, id)!);
      const next = makeAdapter(bench.emulator);
      await next.adapter.connect(bench.inbox, next.stop.signal);
      bench.emulator.faults.arm("GET", POST_MESSAGES, { kind: "drop_before" });
      const again = { ...reply, mayBeRepeat: true };
      expect((await failure(send(next.adapter, again, soon()))).outcome).toBe("never_sent");
      const receipt = await send(next.adapter, again, soon());
      expect(bench.emulator.said(dm).map(({ id }) => id)).toEqual(receipt.messageIds);
      expect(receipt.messageIds).toHaveLength(3);
    },
  );

  it("is also reported if the connection broke before the request was read", async () => {
    const bench = await connected();
    const { dm, message } = await asked(bench);
    bench.emulator.faults.arm("POST", POST_MESSAGES, { kind: "drop_before" });
    expect((await failure(sendTo(bench, answer(message, "x")))).outcome).toBe("unknown");
    expect(bench.emulator.said(dm)).toEqual([]);
  });

  it.each([500, 502, 503])("is reported for HTTP %i, and the SDK doesn't retry it", async (status) => {
    const bench = await connected();
    const { message } = await asked(bench);
    bench.emulator.faults.arm("POST", POST_MESSAGES, { kind: "answer", status, body: {} }, 5);
    expect((await failure(sendTo(bench, answer(message, "x")))).outcome).toBe("unknown");
    expect(bench.emulator.rest.calls.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe("a send that Discord refuses", () => {
  const refusals: [string, (bench: Bench, target: Target) => void, RegExp][] = [
    ["no permission", (b, t) => setAccess(b, t, "read"), /Send Messages.*Missing Permissions/],
    ["no access", (b, t) => setAccess(b, t, "none"), /View Channel.*Missing Access/],
    ["closed direct messages", (b) => closeDms(b), /direct messages.*Cannot send messages to this user/],
    [
      "an unknown channel",
      (b, t) => b.emulator.core.world.channels.delete(t.chatId!),
      /gone.*Unknown Channel/,
    ],
    ["a locked thread", (b, t) => lock(b, t), /locked/],
  ];
  const channelAt = (b: Bench, t: Target) => b.emulator.core.world.channels.get(t.chatId!)!;
  const setAccess = (b: Bench, t: Target, access: "read" | "none") => {
    channelAt(b, t).access = access;
  };
  const closeDms = (b: Bench) => {
    for (const user of b.emulator.core.world.users.values()) user.dmsOpen = false;
  };
  const lock = (b: Bench, t: Target) => {
    channelAt(b, t).locked = true;
  };

  it.each(refusals)("comes with advice: %s", async (_name, prepare, line) => {
    const bench = await connected();
    const { message } = await asked(bench);
    const reply = answer(message, "x");
    prepare(bench, reply.target);
    const error = await failure(sendTo(bench, reply));
    expect(error.outcome).toBe("refused");
    expect(error.message).toMatch(line);
  });

  it("explains that the token was revoked, without showing it", async () => {
    const bench = await connected();
    const { message } = await asked(bench);
    const { token } = bench.emulator;
    bench.emulator.revokeToken();
    const error = await failure(sendTo(bench, answer(message, "x")));
    expect(error).toMatchObject({ outcome: "never_sent", scope: "account" });
    expect(error.message).toMatch(/Reset Token/);
    expect(error.message).not.toContain(token);
    expect(bench.adapter.health()).toMatchObject({ state: "down", detail: error.message });
    expect((await failure(sendTo(bench, answer(message, "y")))).message).toBe(error.message);
  });
});

describe("a rate limit", () => {
  it("for the whole bot holds back all messages", async () => {
    const bench = await connected();
    const { message } = await asked(bench);
    bench.emulator.faults.arm("POST", POST_MESSAGES, {
      kind: "rate_limit",
      retryAfterSeconds: 1,
      global: true,
    });
    const error = await failure(sendTo(bench, answer(message, "x")));
    expect(error).toMatchObject({ outcome: "never_sent", scope: "account" });
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(1000);
  });

  it("in the middle of an answer is waited for without calls, and the answer continues where it stopped", async () => {
    const bench = await connected({}, { messageLimit: { count: 2, perMs: 400 } });
    const { dm, message } = await asked(bench);
    const reply = answer(message, "word ".repeat(1000));
    const error = await failure(sendTo(bench, reply));
    expect(error.outcome).toBe("never_sent");
    expect(bench.emulator.said(dm)).toHaveLength(2);
    await until("it is sent", async () => {
      const receipt = await sendTo(bench, reply).catch(() => undefined);
      return receipt?.messageIds.length === 3;
    });
    expect(bench.emulator.said(dm)).toHaveLength(3);
    expect(bench.emulator.buckets.ignored).toBe(0);
  });

  it("in the middle of an answer doesn't repeat earlier parts in the next process", async () => {
    const bench = await connected({}, { messageLimit: { count: 2, perMs: 400 }, nonceWindowMs: 0 });
    const { dm, message } = await asked(bench);
    const reply = answer(message, "word ".repeat(1000));
    const error = await failure(sendTo(bench, reply));
    expect(error.outcome).toBe("never_sent");
    const next = makeAdapter(bench.emulator);
    await next.adapter.connect(bench.inbox, next.stop.signal);
    await pause(error.retryAfterMs);
    const receipt = await send(next.adapter, reply, soon());
    expect(receipt.messageIds).toEqual(bench.emulator.said(dm).map(({ id }) => id));
    expect(receipt.messageIds).toHaveLength(3);
  });

  it("is followed by a lookup of the part in doubt, after the parts before it", async () => {
    const bench = await connected({ replyToMode: "off" }, { nonceWindowMs: 0 });
    const { dm, message } = await asked(bench);
    const reply = answer(message, "word ".repeat(1000));
    bench.emulator.faults.arm("POST", POST_MESSAGES, { kind: "delay", ms: 0 });
    bench.emulator.faults.arm("POST", POST_MESSAGES, { kind: "drop_after" });
    expect((await failure(sendTo(bench, reply))).outcome).toBe("unknown");
    const receipt = await sendTo(bench, { ...reply, mayBeRepeat: true });
    expect(bench.emulator.said(dm).map(({ id }) => id)).toEqual(receipt.messageIds);
    expect(receipt.messageIds).toHaveLength(3);
  });
});

describe("an answer being written", () => {
  it("gets a new preview if a user deleted it", async () => {
    const bench = await connected();
    const { dm, message } = await asked(bench);
    const id = await bench.adapter.show(answer(message, "").target, null, "Hel", soon());
    bench.emulator.remove(bench.emulator.core.world.find(dm.id, id!)!);
    await sendTo(bench, answer(message, "Hello", { replaces: id! }));
    expect(bench.emulator.said(dm)).toMatchObject([{ text: "Hello" }]);
  });

  it("shows the typing indicator, at most every few seconds", async () => {
    const bench = await connected();
    const { dm, message } = await asked(bench);
    const { target } = answer(message, "");
    for (let i = 0; i < 5; i++) bench.adapter.type(target);
    await until("it types", () => bench.emulator.typing.length > 0);
    expect(bench.emulator.typing).toEqual([dm.id]);
  });
});

describe("a preview whose id was lost", () => {
  it("is found by its mark, and finished answers are not", async () => {
    const bench = await connected();
    const ada = bench.emulator.user("Ada");
    const dm = bench.emulator.dm(ada);
    bench.emulator.say(ada, dm, "q");
    const message = await bench.inbox.message("q");
    const { target } = answer(message, "");
    expect(await bench.adapter.findPreview(target, soon())).toBeNull();
    const shown = await bench.adapter.show(target, null, "half an answer ▉", soon());
    expect(await bench.adapter.findPreview(target, soon())).toBe(shown);
    await send(bench.adapter, answer(message, "whole", { replaces: shown! }), soon());
    expect(await bench.adapter.findPreview(target, soon())).toBeNull();
    expect(bench.emulator.said(dm).map(({ text }) => text)).toEqual(["whole"]);
  });

  it("is found if it was truncated", async () => {
    const bench = await connected();
    const { message } = await asked(bench);
    const { target } = answer(message, "");
    const shown = await bench.adapter.show(target, null, `${"word ".repeat(1000)}▉`, soon());
    expect(await bench.adapter.findPreview(target, soon())).toBe(shown);
  });

  it("is found without quotes only in direct messages, where one answer is written at a time", async () => {
    const bench = await connected({ replyToMode: "off" });
    const { emulator, adapter } = bench;
    const { ada, message } = await asked(bench);
    const { target } = answer(message, "");
    await sendTo(bench, answer(message, "To be continued\n…"));
    expect(await adapter.findPreview(target, soon())).toBeNull();
    const shown = await adapter.show(target, null, "half an answer ▉", soon());
    expect(await adapter.findPreview(target, soon())).toBe(shown);
    const channel = emulator.channel(emulator.guild("S"), "c");
    emulator.say(ada, channel, "in a room");
    const inRoom = answer(await bench.inbox.message("in a room"), "").target;
    await adapter.show(inRoom, null, "anybody's answer ▉", soon());
    expect(await adapter.findPreview(inRoom, soon())).toBeNull();
  });

  it("delays the answer while Discord can't be searched", async () => {
    const bench = await connected();
    const { target } = answer((await asked(bench)).message, "");
    bench.emulator.faults.arm("GET", /\/messages/, { kind: "drop_after" });
    expect((await failure(bench.adapter.findPreview(target, soon()))).outcome).toBe("never_sent");
  });
});

describe("an answer that replaced a preview", () => {
  it("is found, also if it answers a later message than the preview did", async () => {
    const bench = await connected();
    const { ada, dm, message: first } = await asked(bench);
    const shown = await bench.adapter.show(answer(first, "").target, null, "half ▉", soon());
    bench.emulator.say(ada, dm, "and?");
    const reply = answer(await bench.inbox.message("and?"), "word ".repeat(600), { replaces: shown! });
    const { messageIds } = await sendTo(bench, reply);
    expect(messageIds).toEqual([shown, expect.any(String)]);
    const next = makeAdapter(bench.emulator);
    await next.adapter.connect(bench.inbox, next.stop.signal);
    expect(await lookUp(next.adapter, reply, soon())).toEqual([shown]);
  });
});
