/**
 * Messages go in and answers out while requests are cut, events come twice or backwards, sockets close, Slack is gone for
 * a while and the adapter is replaced. Counted in the emulator's store: every message answered, no answer twice.
 */
import { expect, it, vi } from "vitest";
import { SendError } from "../../../src/errors.js";
import { type InboundMessage, type OutboundMessage, targetOf } from "../../../src/message.js";
import type { SlackEmulator } from "../../emulators/slack/index.js";
import { type Bench, bench, FakeInbox, outbound, patient } from "./harness.js";

vi.setConfig({ testTimeout: 120_000 });

const MESSAGES = 60;
/** A call that takes longer has an unknown outcome. */
const CALL_MS = 600;
/** So late a call is carried out though nobody waits for it any more. */
const LATE_MS = 900;
/** What isn't there so long after its call never comes: far beyond LATE_MS, also where the machine is busy. */
const SETTLE_MS = 2000;
const LONGEST_PAUSE_MS = 1000;

/** Repeats itself, so that a failure can be looked at. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

/** Takes each event once, as the real one does, and is not always there. */
class RoughInbox extends FakeInbox {
  readonly byId = new Map<string, InboundMessage>();
}

async function deliver(current: () => Bench, message: OutboundMessage): Promise<void> {
  let mayBeRepeat = false;
  // As the outbox does: the longer it takes, the less often it is tried.
  for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      await current().adapter.send({ ...message, mayBeRepeat }, patient());
      return;
    } catch (error) {
      if (!(error instanceof SendError) || error.outcome === "refused") throw error;
      mayBeRepeat ||= error.outcome === "unknown";
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function trouble(slack: SlackEmulator, roll: number): void {
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

it.each([1, 2, 3])("loses nothing and says nothing twice in rough weather (seed %d)", async (seed) => {
  const roll = dice(seed);
  const inbox = new RoughInbox();
  inbox.gate = async (message) => {
    if (roll(6) === 0) throw new Error("disk full");
    if (inbox.byId.has(message.eventId)) return;
    inbox.byId.set(message.eventId, message);
    sends.push(deliver(() => current, { ...outbound({}, `re: ${message.text}`), target: targetOf(message) }));
  };
  const sends: Promise<void>[] = [];
  const options = { inbox, adapter: { times: { callMs: CALL_MS, settleMs: SETTLE_MS } } };
  const home = await bench({
    idle: true,
    // So often that it outlasts the slowest change of adapters: Slack doesn't give an event up in a second either.
    emulator: { ackTimeoutMs: 300, retryDelaysMs: Array(400).fill(50) },
  });
  const { slack } = home;
  let current = await bench({ ...options, slack });

  const said: string[] = [];
  for (let i = 0; i < MESSAGES; i++) {
    const channel = ["D1", "G1", "C1"][roll(3)]!;
    said.push(`${channel}:${slack.say({ channel, user: "U1", text: `<@U0BOT> ${i}` }).ts}`);
    if (roll(3) === 0) trouble(slack, roll(10));
    if (roll(15) === 0) {
      await current.close();
      current = await bench({ ...options, slack });
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

  expect([...inbox.byId.keys()].sort()).toEqual(said.map((id) => `T0EMU:${id}`).sort());
  const answered = ["D1", "G1", "C1"].flatMap((channel) =>
    slack.workspace.seen(channel).map(({ threadTs }) => `${channel}:${threadTs}`),
  );
  expect(answered.sort()).toEqual(said.sort());
  await current.close();
  await home.close();
});
