/** Stuck and failed messages. */
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import { type Finding, found } from "../../finding.js";
import type { OpenRows, Position } from "../../store/common.js";
import type { DeadLetter, QueueDepths, Reports } from "../../store/reports.js";
import { oneLine, shorten } from "../cells.js";
import { fitted, hanging } from "../fit.js";
import { counted } from "../numbers.js";
import { SHORT, withStore } from "../open.js";
import { print, printJson } from "../output.js";
import { relativeTime } from "../times.js";

const WAITING_SECONDS = 600;
const SENDING_SECONDS = 300;
/** Clock readings of two processes may be out of order. */
const CLOCK_SLACK_SECONDS = 5;

export interface Vitals extends Record<"waiting" | "running" | "pending" | "sending", OpenRows> {
  misdated: number;
}

export function vitalsOf({ inbox, outbox, dueSince, misdated }: QueueDepths): Vitals {
  return {
    waiting: { count: inbox.waiting, oldestAt: dueSince.waiting },
    running: { count: inbox.running, oldestAt: dueSince.running },
    pending: { count: outbox.pending, oldestAt: dueSince.pending },
    sending: { count: outbox.sending, oldestAt: dueSince.sending },
    misdated,
  };
}

const DEAD_PER_PAGE = 200;

/** All of them, oldest first. */
export async function deadLetters(reports: Reports): Promise<DeadLetter[]> {
  const found: DeadLetter[] = [];
  let before: Position | undefined;
  for (;;) {
    const page = await reports.deadPage({ limit: DEAD_PER_PAGE, ...(before ? { before } : {}) });
    found.push(...page.letters);
    if (!page.next) return found.reverse();
    before = page.next;
  }
}

export interface QueueFacts {
  vitals: Vitals;
  dead: readonly DeadLetter[];
  running: boolean;
  /** How long a turn may make no progress; 0 means no limit. */
  turnSeconds: number;
  now: number;
}

export function judgeQueues({ vitals, dead, running, turnSeconds, now }: QueueFacts): Finding[] {
  const { waiting, running: turns, pending, sending } = vitals;
  const open = waiting.count + turns.count + pending.count + sending.count;
  if (!running && open > 0)
    return [
      found.warn(
        `${counted(waiting.count + turns.count, "message")} and ${counted(pending.count + sending.count, "answer")} wait`,
        "They continue when the gateway starts: `hermes gateway`.",
      ),
      ...misdated(vitals),
      ...given(dead),
    ];
  const stuck = [
    ...late(waiting, "message", "waiting to be answered", WAITING_SECONDS, now),
    ...(turnSeconds > 0 ? late(turns, "turn", "running", 2 * turnSeconds, now) : []),
    ...late(pending, "answer", "waiting to be sent", WAITING_SECONDS, now),
    ...late(sending, "answer", "being sent", SENDING_SECONDS, now),
  ];
  const fix = "See `hermes gateway status` and the log; a restart loses nothing.";
  const findings = [...stuck.map((line) => found.warn(line, fix)), ...misdated(vitals), ...given(dead)];
  return findings.length > 0 ? findings : [found.ok("nothing is stuck, nothing has failed")];
}

function late(rows: OpenRows, noun: string, doing: string, mostSeconds: number, now: number): string[] {
  if (rows.oldestAt === null) return [];
  if (rows.oldestAt > now + CLOCK_SLACK_SECONDS)
    return [`${counted(rows.count, noun)} ${doing}, the oldest from the future: was the clock set back?`];
  if (now - rows.oldestAt <= mostSeconds) return [];
  return [`${counted(rows.count, noun)} ${doing}, the oldest since ${relativeTime(rows.oldestAt, now)}`];
}

function misdated({ misdated: count }: Vitals): Finding[] {
  if (count === 0) return [];
  const message = `${counted(count, "row")} are delayed for too long: was the clock set back?`;
  return [found.warn(message, "Check the machine's clock. A running gateway corrects such delays.")];
}

function given(dead: readonly DeadLetter[]): Finding[] {
  if (dead.length === 0) return [];
  const fix = "Retry with `hermes doctor --retry ID` or `--retry all`.";
  return [found.warn(`${counted(dead.length, "message")} failed:`, fix)];
}

const TEXT_CELLS = 48;
const MAX_SHOWN = 20;

/** The latest; `--json` has them all. */
export function drawDeadLetters(dead: readonly DeadLetter[]): string[] {
  const more = dead.length - MAX_SHOWN;
  return [...(more > 0 ? [`      … and ${more} before these`] : []), ...dead.slice(-MAX_SHOWN).map(drawDead)];
}

function drawDead({ id, platform, chatId, text, error, attempts, at }: DeadLetter): string {
  const head = [id, platform, chatId ?? "", counted(attempts, "attempt"), relativeTime(at, nowSeconds())];
  const facts = head.filter((part) => part !== "").map(oneLine);
  return [
    `      ${fitted(facts.join("  "), 6)}`,
    `        ${shorten(oneLine(text), TEXT_CELLS)}`,
    `        ${hanging(oneLine(error ?? "unknown reason"), 8)}`,
  ].join("\n");
}

export async function retryDead(id: string, { json }: { json?: boolean }): Promise<void> {
  if (id !== "all" && !/^(in|out):\d+$/.test(id)) {
    throw new HermesError("invalid", `'${id}' is not the id of a dead message.`, {
      hint: "`hermes doctor` lists them: in:12, out:34. Or use all.",
    });
  }
  const retried = await withStore(
    async (store) => (await store.retry(id === "all" ? {} : { id })).retried,
    () => 0,
    SHORT,
  );
  if (retried === 0 && id !== "all") throw new HermesError("not_found", `No dead message has the id ${id}.`);
  if (json) printJson({ retried });
  else print(`${counted(retried, "message")} will be retried.`);
}
