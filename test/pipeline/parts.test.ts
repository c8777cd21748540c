import { describe, expect, it } from "vitest";
import { Random } from "../../bench/random.js";
import type { CanLookUp, LookedUp, PartContext } from "../../src/adapters/adapter.js";
import { SendError } from "../../src/errors.js";
import type { OutboundMessage } from "../../src/message.js";
import { TestGateway, type TestGatewayOptions } from "../support/gateway.js";
import { inDm, type Person, type Sent, type TestAdapter } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const bob = inDm("bob");
const LONG = "one\ftwo\fthree";

interface Row {
  state: string;
  attempts: number;
  parts: string | null;
  message_ids: string | null;
}

const outbox = (gateway: TestGateway) =>
  gateway.read<Row>("SELECT state, attempts, parts, message_ids FROM gw_outbox ORDER BY id");

const partsOf = (gateway: TestGateway) =>
  JSON.parse(outbox(gateway)[0]!.parts ?? "[]") as { ids?: string[] }[];

const seen = (gateway: TestGateway, person: Person) =>
  gateway.adapter
    .to(person)
    .map(({ text, mayBeRepeat }) => `${text.split("\n").at(-1)}${mayBeRepeat ? "?" : ""}`);

/** Fails attempts at one part in the given ways. */
function failPart(adapter: TestAdapter, part: number, ...errors: Error[]): void {
  adapter.beforeSend = (sent) => {
    const error = sent.part === part ? errors.shift() : undefined;
    if (error) throw error;
  };
}

describe("a message of several parts", () => {
  it("is stored before its first part is sent, with the ids of each part, until all are sent", async () => {
    const gateway = await TestGateway.start();
    const stored: (string[] | undefined)[][] = [];
    gateway.adapter.beforeSend = () => void stored.push(partsOf(gateway).map(({ ids }) => ids));
    await gateway.ask(ann, LONG);
    expect(stored).toEqual([
      [undefined, undefined, undefined],
      [["sent-1"], undefined, undefined],
      [["sent-1"], ["sent-1-1"], undefined],
    ]);
    const message_ids = JSON.stringify(["sent-1", "sent-1-1", "sent-1-2"]);
    expect(outbox(gateway)).toMatchObject([{ state: "sent", attempts: 1, parts: null, message_ids }]);
  });

  it("of one part is not stored a second time", async () => {
    const gateway = await TestGateway.start();
    let stored: string | null | undefined;
    gateway.adapter.beforeSend = () => {
      stored = outbox(gateway)[0]!.parts;
    };
    await gateway.ask(ann, "short");
    expect(stored).toBeNull();
  });

  it("continues with the part that met a rate limit, while other chats go on", async () => {
    const gateway = await TestGateway.start();
    failPart(gateway.adapter, 1, new SendError("never_sent", "slow down", { retryAfterMs: 300 }));
    await gateway.say(ann, LONG);
    await until("it waits", () => outbox(gateway)[0]?.state === "pending");
    expect(await gateway.store.getDelivery(1)).toMatchObject({ messageIds: ["sent-1"] });
    await gateway.say(ann, "next");
    await gateway.say(bob, "hello");
    await gateway.sentTo(bob, 1);
    expect(seen(gateway, ann)).toEqual(["one"]);
    await gateway.idle();
    expect(seen(gateway, ann)).toEqual(["one", "two", "three", "next"]);
  });

  it("marks only the part whose outcome is unknown", async () => {
    const gateway = await TestGateway.start();
    failPart(gateway.adapter, 1, new Error("connection reset"));
    await gateway.ask(ann, LONG);
    expect(seen(gateway, ann)).toEqual(["one", "two?", "three"]);
  });

  it("is held at the part whose outcome is unknown, and continues there after a retry", async () => {
    const gateway = await TestGateway.start({ config: { delivery: { unknown: "hold" } } });
    failPart(gateway.adapter, 1, new Error("connection reset"));
    await gateway.ask(ann, LONG);
    expect(outbox(gateway)).toMatchObject([{ state: "unknown" }]);
    await gateway.store.retry({ id: "out:1" });
    await gateway.idle();
    expect(seen(gateway, ann)).toEqual(["one", "two?", "three"]);
  });

  it("is dead if a part is refused, and continues there after a retry", async () => {
    const gateway = await TestGateway.start();
    failPart(gateway.adapter, 2, new SendError("refused", "blocked"));
    await gateway.ask(ann, LONG);
    expect(outbox(gateway)).toMatchObject([{ state: "dead" }]);
    await gateway.store.retry({ id: "out:1" });
    await gateway.idle();
    expect(seen(gateway, ann)).toEqual(["one", "two", "three?"]);
  });

  it("continues after a restart, as it was rendered before", async () => {
    const gateway = await TestGateway.start();
    failPart(gateway.adapter, 1, new SendError("never_sent", "slow down", { retryAfterMs: 100 }));
    await gateway.say(ann, LONG);
    await until("it waits", () => outbox(gateway)[0]?.state === "pending");
    await gateway.stop();
    gateway.change("UPDATE gw_outbox SET text = 'rendered differently'");
    const next = await gateway.restart();
    await next.idle();
    expect(seen(next, ann)).toEqual(["two", "three"]);
  });

  it("marks only the next part after a crash between two parts", async () => {
    const gateway = await TestGateway.start();
    failPart(gateway.adapter, 1, new SendError("never_sent", "slow down", { retryAfterMs: 100 }));
    await gateway.say(ann, LONG);
    await until("it waits", () => outbox(gateway)[0]?.state === "pending");
    await gateway.stop();
    gateway.change("UPDATE gw_outbox SET state = 'sending', boot_id = 'another'");
    const next = await gateway.restart();
    await next.idle();
    expect(seen(next, ann)).toEqual(["two?", "three"]);
  });

  it("is dead if it can't be rendered, or if nothing is left to send", async () => {
    const gateway = await TestGateway.start();
    gateway.adapter.render = ({ text }) => {
      if (text.endsWith("empty")) return [];
      throw new Error("a bug in the renderer");
    };
    await gateway.ask(ann, "empty");
    await gateway.ask(ann, "broken");
    expect(gateway.read("SELECT state, error FROM gw_outbox ORDER BY id")).toEqual([
      { state: "dead", error: "Nothing to send" },
      { state: "dead", error: "It can't be rendered: a bug in the renderer" },
    ]);
  });

  it("isn't continued by a process that has lost it to another one", async () => {
    const gateway = await TestGateway.start();
    gateway.adapter.beforeSend = ({ part }) => {
      if (part === 1) gateway.change("UPDATE gw_outbox SET boot_id = 'another'");
    };
    await gateway.adapter.say(ann, LONG);
    await until("two parts are sent", () => seen(gateway, ann).length === 2);
    await gateway.stop();
    expect(seen(gateway, ann)).toEqual(["one", "two"]);
    expect(outbox(gateway)).toMatchObject([{ state: "sending", attempts: 1, message_ids: null }]);
    expect(partsOf(gateway).map(({ ids }) => ids)).toEqual([["sent-1"], undefined, undefined]);
  });

  it("loses no ids while the disk is full", async () => {
    const gateway = await TestGateway.start();
    const { saveParts, settleDelivery } = gateway.store;
    let failures = 4;
    const orFail = <A extends unknown[], R>(verb: (...args: A) => Promise<R>) => {
      return (...args: A) => (failures-- > 0 ? Promise.reject(new Error("disk full")) : verb(...args));
    };
    Object.assign(gateway.parts.store, {
      saveParts: (...args: Parameters<typeof saveParts>) =>
        "index" in args[1] ? orFail(saveParts)(...args) : saveParts(...args),
      settleDelivery: orFail(settleDelivery),
    });
    await gateway.ask(ann, LONG);
    expect(seen(gateway, ann)).toEqual(["one", "two", "three"]);
  });
});

/** A platform that can be asked about a part. */
async function withLookUp(
  find: (message: OutboundMessage, context: PartContext) => LookedUp,
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  const gateway = await TestGateway.start(options);
  const lookUp: CanLookUp["lookUp"] = async (message, _part, context) => find(message, context);
  Object.assign(gateway.adapter, { lookUp });
  return gateway;
}

describe("a part whose outcome is unknown", () => {
  it("isn't sent again if the platform has it", async () => {
    const asked: number[] = [];
    const gateway = await withLookUp((_, { index }) => {
      asked.push(index);
      return ["found"];
    });
    failPart(gateway.adapter, 1, new Error("connection reset"));
    await gateway.ask(ann, LONG);
    expect(asked).toEqual([1]);
    expect(seen(gateway, ann)).toEqual(["one", "three"]);
    expect(outbox(gateway)[0]!.message_ids).toBe(JSON.stringify(["sent-1", "found", "sent-1-2"]));
  });

  it("is sent without a mark if the platform doesn't have it", async () => {
    const gateway = await withLookUp(() => "missing");
    failPart(gateway.adapter, 1, new Error("connection reset"));
    await gateway.ask(ann, LONG);
    expect(seen(gateway, ann)).toEqual(["one", "two", "three"]);
  });

  it("is looked up again before it is sent, if the platform couldn't tell at first", async () => {
    let lookups = 0;
    const gateway = await withLookUp(() => {
      lookups += 1;
      if (lookups === 1) throw new SendError("never_sent", "not now");
      return ["found"];
    });
    failPart(gateway.adapter, 0, new Error("connection reset"));
    await gateway.ask(ann, LONG);
    expect(seen(gateway, ann)).toEqual(["two", "three"]);
  });

  it("of a row without stored parts may be any of them", async () => {
    const gateway = await withLookUp((_, { index }) => (index < 2 ? [`old-${index}`] : "missing"));
    gateway.adapter.beforeSend = () => {
      gateway.adapter.beforeSend = () => undefined;
      gateway.change("UPDATE gw_outbox SET parts = NULL, may_be_repeat = 1");
      throw new SendError("never_sent", "an older version", { retryAfterMs: 0 });
    };
    await gateway.ask(ann, LONG);
    expect(seen(gateway, ann)).toEqual(["three"]);
    expect(outbox(gateway)[0]!.message_ids).toBe(JSON.stringify(["old-0", "old-1", "sent-1-2"]));
  });
});

describe("whatever fails", () => {
  const PEOPLE = Array.from({ length: 40 }, (_, i) => inDm(`p${i}`));
  const MAX_FAILURES = 3;

  /** Fails attempts at random, before or after the part has arrived. */
  function unlucky(adapter: TestAdapter, random: Random): void {
    const failures = new Map<string, number>();
    adapter.beforeSend = (sent) => {
      const key = `${sent.target.chatId}`;
      const count = failures.get(key) ?? 0;
      if (count >= MAX_FAILURES || random.chance(0.5)) return;
      failures.set(key, count + 1);
      const way = random.between(0, 2);
      if (way === 0) throw new SendError("never_sent", "slow down", { retryAfterMs: random.between(0, 100) });
      if (way === 1) adapter.sent.push(sent);
      throw new Error("connection reset");
    };
  }

  const repeats = (sent: readonly Sent[]) =>
    sent.filter((one, i) => sent.slice(0, i).some(({ part }) => part === one.part));

  it.each([1, 2, 3])("every part is visible once, or a second time with a mark (seed %i)", async (seed) => {
    const random = new Random(seed);
    const counts = PEOPLE.map(() => random.between(1, 5));
    let gateway = await TestGateway.start();
    const everything: Sent[] = [];
    unlucky(gateway.adapter, random);
    await Promise.all(
      PEOPLE.map((person, i) =>
        gateway.say(person, Array.from({ length: counts[i]! }, (_, n) => `${n}`).join("\f")),
      ),
    );
    await until("some are sent", () => gateway.adapter.sent.length > PEOPLE.length);
    everything.push(...gateway.adapter.sent);
    await gateway.stop();
    everything.push(...gateway.adapter.sent.slice(everything.length));
    gateway = await gateway.restart();
    unlucky(gateway.adapter, random);
    await gateway.idle();
    everything.push(...gateway.adapter.sent);
    for (const [i, { chatId }] of PEOPLE.entries()) {
      const sent = everything.filter(({ target }) => target.chatId === chatId);
      const first = sent.filter((one) => !repeats(sent).includes(one));
      expect(first.map(({ part }) => part)).toEqual(Array.from({ length: counts[i]! }, (_, n) => n));
      expect(repeats(sent).filter(({ mayBeRepeat }) => !mayBeRepeat)).toEqual([]);
    }
  });
});
