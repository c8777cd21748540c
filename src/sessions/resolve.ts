import type { Origin } from "../message.js";
import {
  nextReset,
  type ResetReason,
  type ResetSettings,
  resetPolicyFor,
  resetReason,
} from "../policies/reset.js";
import type { SessionKey } from "../session.js";
import type { RouteFlags, RouteRow } from "../store/queues.js";
import type { NewSession, Store } from "../store/store.js";

/** key → the live session, or a new one with the reason why. */
export interface ResolveQuestion {
  key: SessionKey;
  tuple: string;
  origin: Origin;
  /** The message that asks. */
  inboxId: number;
  now: number;
  timeZone: string;
  hasBackgroundWork: boolean;
  reset: ResetSettings;
  /** The last turn of a session that is due is noted together with its end. */
  notesFarewell: boolean;
  /** What a new session begins with; asked only when one is needed. */
  newSession(): Promise<NewSession>;
}

export type ResetQuestion = Pick<ResolveQuestion, "now" | "timeZone" | "hasBackgroundWork" | "reset">;

export interface Resolved {
  route: RouteRow;
  /** The route as it was, when this message found it due. */
  previous?: RouteRow;
  /** A session began. */
  opened: boolean;
}

/** Undefined: the message doesn't wait any more, and there is no route. */
export async function resolveRoute(store: Store, question: ResolveQuestion): Promise<Resolved | undefined> {
  const route = await store.getRoute(question.key);
  const reason = route && dueReason(route, question);
  if (route && !reason) return { route, opened: false };
  const flags = reason ? await resetFlags(store, route!, reason) : {};
  const opened = await store.openRoute({
    sessionKey: question.key,
    origin: question.origin,
    tuple: question.tuple,
    session: await question.newSession(),
    expectedSessionId: route?.sessionId ?? null,
    endReason: "session_reset",
    flags,
    forMessage: question.inboxId,
    ...(reason && question.notesFarewell ? { farewell: true } : {}),
    at: question.now,
  });
  if (!opened) return undefined;
  const known = { route: opened, opened: opened.sessionId !== route?.sessionId };
  return reason ? { ...known, previous: route! } : known;
}

/** Why this session starts afresh: the sweep found it due, or the policy does now. */
export function dueReason(route: RouteRow, question: ResetQuestion): ResetReason | "suspended" | undefined {
  if (route.suspended) return "suspended";
  if (route.expiredReason) return route.expiredReason as ResetReason;
  return resetReason(resetPolicyFor(route.origin, question.reset), clockOf(route, question));
}

/** A whole second, at or before the moment at which a session that isn't due may become so. */
export function notDueBefore(route: RouteRow, question: ResetQuestion): number {
  const next = nextReset(resetPolicyFor(route.origin, question.reset), clockOf(route, question));
  return next ? Math.floor(next.at) : Number.POSITIVE_INFINITY;
}

function clockOf({ lastUserActivity }: RouteRow, { now, timeZone, hasBackgroundWork }: ResetQuestion) {
  return { lastUserActivity, now, timeZone, hasBackgroundWork };
}

/** Whether there is something to miss: a session that was resumed or summarised has it without a turn since. */
async function resetFlags(store: Store, route: RouteRow, reason: string): Promise<Partial<RouteFlags>> {
  const session = await store.getSession(route.sessionId);
  const resetHadActivity = (session?.message_count ?? 0) > 0;
  return { wasAutoReset: true, autoResetReason: reason, resetHadActivity };
}
