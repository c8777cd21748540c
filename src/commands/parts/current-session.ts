import type { SessionRow } from "../../session.js";
import type { CommandCall } from "../command.js";
import { code } from "./text.js";

/** The session that the next message continues, unless a reset has ended it. */
export function currentSession({ route, session }: CommandCall): SessionRow | undefined {
  return route?.expiredReason ? undefined : session;
}

/** The reply if there is no current session. */
export async function noSession(call: CommandCall): Promise<string> {
  const { route, session } = call;
  if (!route?.expiredReason || !session) return "There is no session here yet: write something to start one.";
  const ended = `The last session ended (${route.expiredReason}); your next message starts a new one.`;
  return `${ended} ${await wayBack(call, session)}`;
}

export async function wayBack(call: CommandCall, session: SessionRow): Promise<string> {
  return `Back to the old one: ${code(`/resume ${await reference(call, session)}`)}`;
}

/** The title if /resume resolves it to this session (not a number, no newer session with that name); else the id. */
async function reference(call: CommandCall, { id, title }: SessionRow): Promise<string> {
  if (title === null || /^\d+$/.test(title)) return id;
  const found = await call.gateway.store.getSession({ title }, call.principal);
  return found?.id === id ? title : id;
}

/** "`Trip to Rome` (`20260616_…`)". */
export function named({ id, title }: Pick<SessionRow, "id" | "title">): string {
  return title === null ? code(id) : `${code(title)} (${code(id)})`;
}
