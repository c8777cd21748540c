/** One lane: the messages of a session key that wait, and the turn that runs. */
import { mergeWaiting } from "../policies/busy.js";
import type { InboxRow } from "../store/queues.js";
import type { EarlyStart } from "./turn.js";

export interface LaneItem {
  row: InboxRow;
  /** Runs instead of a turn, in the order of the queue. */
  command?: (signal: AbortSignal) => Promise<void>;
}

export interface RunningTurn {
  /** Who asks: the turn has their rights. Null: unknown. */
  authorId: string | null;
  controller: AbortController;
  /** Only /stop ends it: messages that arrive meanwhile wait. */
  isCommand: boolean;
  /** Messages that the agent hasn't taken yet. */
  steering: InboxRow[];
  /** Messages that the agent has taken: done when the turn is. */
  taken: InboxRow[];
  /** The answer so far, as the chat sees it. */
  said: string;
  /** Its end is in the store: the next turn may start there. */
  isOver?: true;
  /** Its start, if it is in the store already. */
  early?: EarlyStart | undefined;
}

/** The messages of a turn that waits for something: it runs again after that time, or on `resume`. */
export interface SuspendedRows {
  rows: readonly InboxRow[];
  waitMs: number;
}

export interface Lane {
  items: LaneItem[];
  scheduled: boolean;
  /** Until its next turn may start. */
  timer: NodeJS.Timeout | undefined;
  running: RunningTurn | undefined;
  /** Resolves when it has ended. */
  over: Promise<void> | undefined;
  /** Commands that don't wait, one after another; no turn starts before they end. */
  held: Promise<void> | undefined;
  /** How many are still adding messages that must start together. */
  filling: number;
  reserved: boolean;
  /** No turn starts before: more of the same burst may arrive. */
  quietUntilMs: number;
  /** What the running turn is about to wait for is there already. */
  resumed: boolean;
}

export function newLane(): Lane {
  const idle = { timer: undefined, running: undefined, over: undefined, held: undefined };
  return {
    items: [],
    scheduled: false,
    ...idle,
    filling: 0,
    reserved: false,
    quietUntilMs: 0,
    resumed: false,
  };
}

/** Nothing waits in it, and nothing runs except the last moments of a turn. */
export function isFree(lane: Lane): boolean {
  const { running, items, scheduled } = lane;
  const isIdle = !running || (running.isOver === true && running.steering.length === 0);
  return isIdle && items.length === 0 && !scheduled && isOpen(lane);
}

export function isOpen({ held, filling, reserved }: Lane): boolean {
  return !held && filling === 0 && !reserved;
}

/**
 * One command, or the messages of one sender up to the next command or sender. Messages of an interrupted turn become the
 * same turn again: its preview may answer all of them.
 */
export function takeTurn(items: LaneItem[]): LaneItem[] {
  if (items[0]?.command) return items.splice(0, 1);
  const turnId = items[0]?.row.turnId ?? null;
  if (turnId !== null) return takeInterrupted(items, turnId);
  const end = items.findIndex(({ command, row }) => command || row.turnId !== turnId);
  const plain = end === -1 ? items : items.slice(0, end);
  if (plain.length <= 1) return items.splice(0, plain.length);
  const [first] = mergeWaiting(
    plain.map((item) => ({ senderId: senderOf(item.row), text: item.row.message.text, media: [], item })),
  );
  return items.splice(0, first?.messages.length ?? 0);
}

/** Others may have written between its messages: those that were added on the way came later. */
function takeInterrupted(items: LaneItem[], turnId: string): LaneItem[] {
  const isTheirs = ({ command, row }: LaneItem) => !command && row.turnId === turnId;
  const taken = items.filter(isTheirs);
  items.splice(0, items.length, ...items.filter((item) => !isTheirs(item)));
  return taken;
}

/** Its first messages belong to a turn that was interrupted or waits for an answer. */
export function hasSuspended({ running, items: [first] }: Lane): boolean {
  return running === undefined && first !== undefined && !first.command && first.row.turnId !== null;
}

/** A direct chat has one person, even without an id. */
export function authorOf({ message: { origin } }: InboxRow): string | null {
  const { userIdAlt, userId, chatType, chatId } = origin;
  return userIdAlt ?? userId ?? (chatType === "dm" ? (chatId ?? "") : null);
}

/** Requests of programs are never merged: each has its own answer. */
function senderOf({ message }: InboxRow): string | null {
  return message.request ? null : (message.origin.userIdAlt ?? message.origin.userId ?? null);
}
