/** One lane: the waiting messages and the running turn of a session key. */
import { mergeWaiting } from "../policies/busy.js";
import type { InboxRow } from "../store/queues.js";
import type { EarlyStart } from "./turn.js";

export interface LaneItem {
  row: InboxRow;
  /** Runs instead of a turn, in queue order. */
  command?: (signal: AbortSignal) => Promise<void>;
}

export interface RunningTurn {
  /** The sender, whose rights the turn has; null if unknown. */
  authorId: string | null;
  controller: AbortController;
  /** Only /stop ends it; new messages wait. */
  isCommand: boolean;
  /** Messages the agent hasn't picked up yet. */
  steering: InboxRow[];
  /** Messages the agent has picked up; they end with the turn. */
  taken: InboxRow[];
  /** The answer so far, as the chat sees it. */
  said: string;
  /** Its end is stored, so the next turn may start. */
  isOver?: true;
  /** Its start, if already stored. */
  early?: EarlyStart | undefined;
}

/** The messages of a suspended turn. It runs again after the given time or on `resume`. */
export interface SuspendedRows {
  rows: readonly InboxRow[];
  waitMs: number;
}

export interface Lane {
  items: LaneItem[];
  scheduled: boolean;
  /** Timer for the start of its next turn. */
  timer: NodeJS.Timeout | undefined;
  running: RunningTurn | undefined;
  /** Resolves when the turn has ended. */
  over: Promise<void> | undefined;
  /** Immediate commands, run one after another. No turn starts before they end. */
  held: Promise<void> | undefined;
  /** How many callers are still adding messages that must start together. */
  filling: number;
  reserved: boolean;
  /** No turn starts before this time, because the rest of a burst may still arrive. */
  quietUntilMs: number;
  /** The running turn is about to suspend, but its answer has already arrived. */
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

/** Nothing is waiting, and at most the very end of a turn is running. */
export function isFree(lane: Lane): boolean {
  const { running, items, scheduled } = lane;
  const isIdle = !running || (running.isOver === true && running.steering.length === 0);
  return isIdle && items.length === 0 && !scheduled && isOpen(lane);
}

export function isOpen({ held, filling, reserved }: Lane): boolean {
  return !held && filling === 0 && !reserved;
}

/**
 * Takes one command, or one sender's messages up to the next command or sender. Messages of an interrupted
 * turn stay together, because its preview may answer all of them.
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

/** Other people's messages may be in between: messages added to the running turn arrived later. */
function takeInterrupted(items: LaneItem[], turnId: string): LaneItem[] {
  const isTheirs = ({ command, row }: LaneItem) => !command && row.turnId === turnId;
  const taken = items.filter(isTheirs);
  items.splice(0, items.length, ...items.filter((item) => !isTheirs(item)));
  return taken;
}

/** Its first messages belong to an interrupted or suspended turn. */
export function hasSuspended({ running, items: [first] }: Lane): boolean {
  return running === undefined && first !== undefined && !first.command && first.row.turnId !== null;
}

/** A direct chat has one person, even without an id. */
export function authorOf({ message: { origin } }: InboxRow): string | null {
  const { userIdAlt, userId, chatType, chatId } = origin;
  return userIdAlt ?? userId ?? (chatType === "dm" ? (chatId ?? "") : null);
}

/** Requests from programs are never merged: each gets its own answer. */
function senderOf({ message }: InboxRow): string | null {
  return message.request ? null : (message.origin.userIdAlt ?? message.origin.userId ?? null);
}
