/** Events of the chats, with cursors that survive restarts. */
import type { SessionKey } from "../session.js";
import type { ActivityPage } from "../store/reports.js";
import { CallerMistake, type ChatService } from "./service.js";

/** Polling interval in addition to notifications, because other processes write too. */
const LOOK_MS = 1000;
const MAX_WAITING = 32;
const MAX_ROUNDS = 50;

/** 0 means the end: only new events. */
export type EventCursor = string | number;

export async function pollEvents(
  { store }: ChatService,
  after: EventCursor,
  key: SessionKey | undefined,
  limit: number,
) {
  const { events, next } = await read(store, positionOf(after), key, limit);
  return { events, next_cursor: next };
}

let waiting = 0;

export async function waitForEvent(
  service: ChatService,
  after: EventCursor,
  key: SessionKey | undefined,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
) {
  if (waiting >= MAX_WAITING) throw new CallerMistake("Too many programs are waiting for events.");
  waiting += 1;
  const endAt = performance.now() + timeoutMs;
  try {
    let position = positionOf(after) ?? (await service.store.reports.readActivity({ after: null })).next;
    for (;;) {
      const { events, next } = await read(service.store, position, key, 1);
      const [event] = events;
      if (event) return { event };
      position = next;
      const leftMs = endAt - performance.now();
      if (leftMs <= 0 || signal.aborted) return { event: null, reason: "timeout", next_cursor: position };
      await change(service, Math.min(LOOK_MS, leftMs), signal);
    }
  } finally {
    waiting -= 1;
  }
}

async function read(
  { reports }: ChatService["store"],
  after: string | null,
  key: SessionKey | undefined,
  limit: number,
) {
  const found: object[] = [];
  let position = after;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { events, next } = await reports.readActivity({ after: position, limit: limit - found.length });
    found.push(...events.filter(({ sessionKey }) => key === undefined || sessionKey === key).map(shown));
    const isEnd = next === position || position === null;
    position = next;
    if (isEnd || found.length >= limit) break;
  }
  return { events: found, next: position! };
}

function shown({ position, ...event }: ActivityPage["events"][number]): object {
  const { type, sessionKey: session_key } = event;
  if (event.type !== "message") {
    const { id, text, at, ...rest } = event.approval;
    return {
      cursor: position,
      type,
      session_key,
      approval_id: id,
      description: text,
      timestamp: at,
      ...rest,
    };
  }
  const { id, sessionId, role, text, at } = event.message;
  const message = { message_id: id, session_id: sessionId, role, content: text, timestamp: at };
  return { cursor: position, type, session_key, ...message };
}

function positionOf(cursor: EventCursor): string | null {
  return cursor === 0 || cursor === "0" || cursor === "" ? null : String(cursor);
}

/** Resolves at the next change or after a timeout. */
function change({ watch }: ChatService, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    const unwatch = watch(() => setImmediate(end));
    signal.addEventListener("abort", end, { once: true });
  });
}
