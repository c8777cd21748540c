import type { SessionRow } from "../../session.js";
import { isShared } from "../../sessions/key.js";
import type { CommandCall, CommandOutcome } from "../command.js";
import { currentSession, named } from "./current-session.js";
import { findSession, isElsewhere } from "./find-session.js";
import { code, counted, shortened } from "./text.js";

/** Finds the session and continues the chat at the end of its conversation. */
export async function resumeSession(call: CommandCall, reference: string): Promise<CommandOutcome> {
  const { store } = call.gateway;
  const found = await findSession(call, reference);
  if ("nothing" in found && (await isElsewhere(call, reference))) return { reply: notInRooms(reference) };
  if ("nothing" in found) return { reply: notFound(reference, found.nothing) };
  if (isRoom(call) && found.session.user_id !== null) return { reply: notInRooms(reference) };
  const { tip, room } = await store.getLineage(found.session.id);
  const current = currentSession(call);
  if (current?.id === tip) return { reply: `You are already in ${named(current)}.` };
  const others = room && (await sharedOf(call, tip));
  const route = others
    ? await call.gateway.branchSession({ ...call, session: others }, undefined)
    : await call.gateway.switchSession(call, tip);
  const session = route && (await store.getSession(route.sessionId));
  if (!session) return { reply: notFound(reference, "none") };
  const where = others ? `${named(session)}, your own copy` : named(session);
  return { reply: `↩️ Back in ${where}, ${counted(session.message_count, "message")}. Just continue.` };
}

/** A room's session resumed in a private chat must be copied: the room would lose it, and would see what is written there. */
async function sharedOf(call: CommandCall, id: string): Promise<SessionRow | undefined> {
  const session = await call.gateway.store.getSession(id);
  return isRoom(call) || session?.user_id !== null ? undefined : session;
}

/** Several people would read and continue the session. */
function isRoom({ message, gateway: { config } }: CommandCall): boolean {
  return isShared(message.origin, {
    groupSessionsPerUser: config.group_sessions_per_user,
    threadSessionsPerUser: config.thread_sessions_per_user,
  });
}

function notInRooms(reference: string): string {
  return `${code(shortened(reference))} doesn't belong to this room, and others can read this chat. Resume it in a direct message.`;
}

/** The same reply if it doesn't exist and if it is another person's. */
function notFound(reference: string, why: "none" | "several"): string {
  const shown = code(shortened(reference));
  if (why === "none") return `No session ${shown} found. /sessions shows yours.`;
  return `${shown} matches several session ids: use more characters, or a number from /sessions.`;
}
