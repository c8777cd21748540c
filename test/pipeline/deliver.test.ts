import { describe, expect, it } from "vitest";
import { SendError } from "../../src/errors.js";
import { TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const bob = inDm("bob");

const outbox = (gateway: TestGateway) =>
  gateway.read<{ state: string; attempts: number; may_be_repeat: number; error: string | null }>(
    "SELECT state, attempts, may_be_repeat, error FROM gw_outbox ORDER BY id",
  );

/** Fails the first sends with the given errors. */
function failing(gateway: TestGateway, ...errors: Error[]): void {
  gateway.adapter.beforeSend = () => {
    const error = errors.shift();
    if (error) throw error;
  };
}

describe("a send", () => {
  it("that never left is retried without a mark", async () => {
    const gateway = await TestGateway.start();
    failing(gateway, new SendError("never_sent", "offline", { retryAfterMs: 0 }));
    expect(await gateway.ask(ann, "hello")).toEqual(["hello"]);
    expect(outbox(gateway)).toMatchObject([{ state: "sent", attempts: 2, may_be_repeat: 0 }]);
  });

  it("with an unknown outcome is repeated with its mark and the same nonce", async () => {
    const gateway = await TestGateway.start();
    const nonces: string[] = [];
    gateway.adapter.beforeSend = ({ nonce }) => {
      nonces.push(nonce);
      if (nonces.length === 1) throw new Error("connection reset");
    };
    await gateway.ask(ann, "hello");
    expect(gateway.adapter.sent).toMatchObject([{ mayBeRepeat: true }]);
    expect(nonces[0]).toBe(nonces[1]);
    expect(outbox(gateway)).toMatchObject([{ state: "sent", attempts: 2, may_be_repeat: 1 }]);
  });

  it("with an unknown outcome is held if configured", async () => {
    const gateway = await TestGateway.start({ config: { delivery: { unknown: "hold" } } });
    failing(gateway, new Error("connection reset"));
    expect(await gateway.ask(ann, "hello")).toEqual([]);
    expect(outbox(gateway)).toMatchObject([{ state: "unknown", error: "connection reset" }]);
    const [dead] = (await gateway.store.reports.deadPage({})).letters;
    expect(await gateway.store.retry({ id: dead!.id })).toMatchObject({ retried: 1 });
    await gateway.idle();
    expect(gateway.adapter.sent).toMatchObject([{ mayBeRepeat: true }]);
  });

  it("that the platform rejects is dead immediately, and the chat continues", async () => {
    const gateway = await TestGateway.start();
    failing(gateway, new SendError("refused", "blocked by the user"));
    expect(await gateway.ask(ann, "one")).toEqual([]);
    expect(outbox(gateway)).toMatchObject([{ state: "dead", attempts: 1 }]);
    expect(await gateway.ask(ann, "two")).toEqual(["two"]);
  });

  it("that waits holds back only its chat, and order is kept", async () => {
    const gateway = await TestGateway.start();
    let open = false;
    gateway.adapter.beforeSend = ({ target }) => {
      if (target.chatId !== ann.chatId || open) return;
      throw new SendError("never_sent", "slow down", { retryAfterMs: 50 });
    };
    await gateway.say(ann, "one");
    await until("the first send was tried", () => (outbox(gateway)[0]?.attempts ?? 0) > 0);
    await gateway.say(ann, "two");
    await gateway.say(bob, "hello");
    await gateway.sentTo(bob, 1);
    expect(gateway.adapter.to(ann)).toEqual([]);
    open = true;
    await gateway.idle();
    expect(gateway.adapter.to(ann).map(({ text }) => text.split("\n").at(-1))).toEqual(["one", "two"]);
  });
});
