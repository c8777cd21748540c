/**
 * Messages come in and answers go out while requests are cut, events are duplicated or reordered, sockets close, Slack is
 * down and the adapter is replaced. The emulator's store must show exactly one answer to every message.
 */
import { expect, it, vi } from "vitest";
import { SendError } from "../../../src/errors.js";
import { type InboundMessage, type OutboundMessage, targetOf } from "../../../src/message.js";
import type { SlackEmulator } from "../../emulators/slack/index.js";
import { send } from "../../support/send.js";
import { deadline, FakeInbox, outbound, type Setup, setup } from "./support.js";

vi.setConfig({ testTimeout: 120_000 });

const MESSAGES = 60;
/** A call that takes longer has an unknown outcome. */
const CALL_MS = 600;
/** A call that is processed this late has timed out already. */
const LATE_MS = 900;
/** A post that is missing this long after its call never arrives. Far above LATE_MS, for busy machines. */
const SETTLE_MS = 2000;
const MAX_PAUSE_MS = 1000;

/** Deterministic, so that a failure can be reproduced. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

/** Accepts each event once, like the real inbox, and fails sometimes. */
class FailingInbox extends FakeInbox {
  readonly byId = new Map<string, InboundMessage>();
}

async function deliver(current: () => Setup, message: OutboundMessage): Promise<void> {
  let mayBeRepeat = false;
  // Backs off like the outbox.
  for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      await send(current().adapter, { ...message, mayBeRepeat }, deadline());
      return;
    } catch (error) {
      if (!(error instanceof SendError) || error.outcome === "refused") throw error;
      mayBeRepeat ||= error.outcome === "unknown";
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function injectFault(slack: SlackEmulator, roll: number): void {
  const kinds = [
    () => slack.faults.next("chat.postMessage", { kind: "cut_after" }),
    () => slack.faults.next("chat.postMessage", { kind: "cut_before" }),
    () => slack.faults.next("chat.postMessage", { kind: "error", error: "internal_error" }),
    () => slack.faults.next("chat.postMessage", { kind: "delay", ms: LATE_MS }),
    () => slack.faults.next("conversations.replies", { kind: "cut_after" }),
    () => slack.duplicateNext(2),
    () => slack.sockets.cut(),
    () => slack.sockets.refresh(),
    () => slack.deliveries.hold(),
    () => slack.deliveries.release("reversed"),
  ];
  kinds[roll % kinds.length]!();
}

it.each([1, 2, 3])("loses no message and repeats no answer under random faults (seed %d)", async (seed) => {
  const roll = dice(seed);
  const inbox = new FailingInbox();
  inbox.gate = async (message) => {
    if (roll(6) === 0) throw new Error("disk full");
    if (inbox.byId.has(message.eventId)) return;
    inbox.byId.set(message.eventId, message);
    sends.push(deliver(() => current, { ...outbound({}, `re: ${message.text}`), target: targetOf(message) }));
  };
  const sends: Promise<void>[] = [];
  const options = { inbox, adapter: { timing: { callMs: CALL_MS, settleMs: SETTLE_MS } } };
  const home = await setup({
    idle: true,
    // Retries must outlast the slowest change of adapters, as Slack's do.
    emulator: { ackTimeoutMs: 300, retryDelaysMs: Array(400).fill(50) },
  });
  const { slack } = home;
  let current = await setup({ ...options, slack });

  const sent: string[] = [];
  for (let i = 0; i < MESSAGES; i++) {
    const channel = ["D1", "G1", "C1"][roll(3)]!;
    sent.push(`${channel}:${slack.say({ channel, user: "U1", text: `<@U0BOT> ${i}` }).ts}`);
    if (roll(3) === 0) injectFault(slack, roll(10));
    if (roll(15) === 0) {
      await current.close();
      current = await setup({ ...options, slack });
    }
    if (roll(20) === 0) {
      slack.outage(true);
      await new Promise((resolve) => setTimeout(resolve, 50));
      slack.outage(false);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  slack.deliveries.release();
  await slack.until(() => inbox.byId.size === MESSAGES, 60_000);
  await Promise.all(sends);

  expect([...inbox.byId.keys()].sort()).toEqual(sent.map((id) => `T0EMU:${id}`).sort());
  const answered = ["D1", "G1", "C1"].flatMap((channel) =>
    slack.workspace.seen(channel).map(({ threadTs }) => `${channel}:${threadTs}`),
  );
  expect(answered.sort()).toEqual(sent.sort());
  await current.close();
  await home.close();
});
