import type { SessionRow } from "../../../session.js";
import type { CommandCall } from "../command.js";
import { code } from "./text.js";

/** The session that the next message goes on in; not one that a reset has ended already. */
export function currentSession({ route, session }: CommandCall): SessionRow | undefined {
  return route?.expiredReason ? undefined : session;
}

/** Why there is none, and what to do. */
export function noSession({ route, session }: CommandCall): string {
  if (!route?.expiredReason || !session) return "There is no session here yet: write something to begin one.";
  return `The last session ended (${route.expiredReason}); your next message begins a fresh one. ${wayBack(session)}`;
}

export function wayBack(session: SessionRow): string {
  return `Back to the old one: ${code(`/resume ${reference(session)}`)}`;
}

/** What /resume understands as this session. A bare number would be taken for a line of the list. */
function reference({ id, title }: SessionRow): string {
  return title === null || /^\d+$/.test(title) ? id : title;
}

/** "`Trip to Rome` (`20260616_…`)". */
export function named({ id, title }: Pick<SessionRow, "id" | "title">): string {
  return title === null ? code(id) : `${code(title)} (${code(id)})`;
}
