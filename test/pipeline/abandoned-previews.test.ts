import { describe, expect, it } from "vitest";
import type { CanFindPreview, CanStream } from "../../src/adapters/adapter.js";
import { SendError } from "../../src/errors.js";
import { contextOf } from "../../src/pipeline/context.js";
import { Previews } from "../../src/pipeline/previews.js";
import { TestGateway } from "../support/gateway.js";
import { inDm, TestAdapter } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");

/** A platform on which answers are shown as messages. */
class Board extends TestAdapter implements CanStream, CanFindPreview {
  readonly ended: [id: string, text: string][] = [];
  found: string | null = null;
  beforeEnd: () => void | Promise<void> = () => undefined;

  async show(): Promise<string | null> {
    return "p1";
  }

  async abandon(_target: unknown, messageId: string, text: string): Promise<void> {
    await this.beforeEnd();
    this.ended.push([messageId, text]);
  }

  async findPreview(): Promise<string | null> {
    return this.found;
  }
}

/** A message whose turn was stopped after this preview. */
async function left({ messageId = "p1", text = "half an answer " } = {}) {
  const gateway = await TestGateway.start();
  const { store } = gateway;
  const eventId = await gateway.adapter.say(ann, "!slow 60000 never");
  const running = await until(
    "its turn runs",
    async () => (await store.openMessages({ runningUnder: gateway.parts.bootId }))[0],
  );
  const { id: inboxId, sessionKey } = running;
  const turnId = running.turnId!;
  const claim = { inboxId, turnId, bootId: gateway.parts.bootId };
  await store.recordPreview({ step: "begin", ...claim });
  if (messageId !== "") await store.recordPreview({ step: "posted", messageId, ...claim });
  const next = { state: "cancelled" } as const;
  await store.failTurn({
    turnId,
    sessionKey,
    inboxIds: [inboxId],
    error: "e",
    next,
    replies: [],
    said: text,
  });
  const board = new Board();
  const stopping = new AbortController();
  const faults: unknown[] = [];
  const log = { ...gateway.parts.log, debug: (fields: object) => faults.push(fields) };
  const context = contextOf({ ...gateway.parts, adapters: [board], log }, stopping.signal);
  const { pace } = context;
  const unfinished = new Previews(context);
  const open = async () => (await store.leftPreviews({ since: 0 })).length;
  const [preview] = await store.leftPreviews({ since: 0 });
  return {
    gateway,
    store,
    board,
    pace,
    stopping,
    faults,
    unfinished,
    open,
    eventId,
    target: preview!.target,
  };
}

describe("an abandoned preview", () => {
  it("is ended once, by the first check", async () => {
    const { board, unfinished, open } = await left();
    await Promise.all([unfinished.settle(), unfinished.settle()]);
    expect(board.ended).toEqual([["p1", "half an answer"]]);
    expect(await open()).toBe(0);
  });

  it("waits briefly for its chat, and is left for later if that takes long", async () => {
    const { board, pace, unfinished, open, target } = await left();
    pace.penalise(target, "chat", 60);
    await unfinished.settle();
    expect(board.ended).toEqual([]);
    expect(await open()).toBe(1);
    pace.penalise(target, "chat", 0.05);
    await unfinished.settle();
    expect(board.ended).toHaveLength(1);
  });

  it("isn't retried while the platform imposes a wait", async () => {
    const { board, pace, unfinished, open, target } = await left();
    let tries = 0;
    board.beforeEnd = () => {
      tries += 1;
      throw new SendError("never_sent", "slow down", { retryAfterMs: 60_000, scope: "account" });
    };
    await unfinished.settle();
    await unfinished.settle();
    expect(tries).toBe(1);
    expect(await open()).toBe(1);
    expect(pace.isOpen({ ...target, chatId: "another" })).toBe(false);
  });

  it("is retried after a failure, but not after a rejection", async () => {
    const { board, faults, unfinished, open } = await left();
    const errors = [new SendError("unknown", "connection reset"), new SendError("refused", "it is gone")];
    board.beforeEnd = () => {
      const error = errors.shift();
      if (error) throw error;
    };
    await unfinished.settle();
    expect(await open()).toBe(1);
    await unfinished.settle();
    expect(await open()).toBe(0);
    expect(faults).toHaveLength(2);
    await unfinished.settle();
    expect(board.ended).toEqual([]);
  });

  it("is given up after five minutes, until the next start", async () => {
    const { gateway, board, unfinished, eventId } = await left();
    gateway.change("UPDATE gw_inbox SET finished_at = finished_at - 1000 WHERE event_id = ?", eventId);
    await unfinished.settle();
    expect(board.ended).toEqual([]);
    await unfinished.settleOld();
    expect(board.ended).toHaveLength(1);
  });

  it("is kept while its message waits for a retry", async () => {
    const { gateway, board, unfinished, open, eventId } = await left();
    board.beforeEnd = () =>
      gateway.change("UPDATE gw_inbox SET state = 'waiting', not_before = 9e9 WHERE event_id = ?", eventId);
    await unfinished.settle();
    expect(await open()).toBe(0);
    expect(gateway.read("SELECT message_id FROM gw_previews")).toEqual([{ message_id: "p1" }]);
    await unfinished.settle();
    expect(board.ended).toHaveLength(1);
  });

  it("is searched for if its id was lost, and never mistaken for another", async () => {
    const { gateway, store, board, unfinished, open } = await left({ messageId: "" });
    board.found = "p9";
    await gateway.adapter.say(inDm("ben"), "!slow 60000 never");
    const { bootId } = gateway.parts;
    const other = await until(
      "another turn runs",
      async () => (await store.openMessages({ runningUnder: bootId }))[0],
    );
    const claim = { inboxId: other.id, turnId: other.turnId!, bootId };
    await store.recordPreview({ step: "begin", ...claim });
    await store.recordPreview({ step: "posted", messageId: "p9", ...claim });
    await unfinished.settle();
    expect(board.ended).toEqual([]);
    expect(await open()).toBe(0);
  });

  it("waits for the next start if the gateway stops", async () => {
    const { board, stopping, unfinished, open } = await left();
    stopping.abort("shutdown");
    await unfinished.settleOld();
    expect(board.ended).toEqual([]);
    expect(await open()).toBe(1);
  });
});
