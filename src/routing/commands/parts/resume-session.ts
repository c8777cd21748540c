import type { SessionRow } from "../../../session.js";
import { isShared } from "../../../sessions/key.js";
import type { CommandCall, CommandOutcome } from "../command.js";
import { currentSession, named } from "./current-session.js";
import { findSession, isElsewhere } from "./find-session.js";
import { code, counted, shortened } from "./text.js";

/** Reference → the end of that conversation → the chat goes on there. */
export async function resumeSession(call: CommandCall, reference: string): Promise<CommandOutcome> {
  const { store } = call.gateway;
  const found = await findSession(call, reference);
  if ("nothing" in found && (await isElsewhere(call, reference))) return { reply: notInRooms(reference) };
  if ("nothing" in found) return { reply: notFound(reference, found.nothing) };
  if (isRoom(call) && found.session.user_id !== null) return { reply: notInRooms(reference) };
  const { tip } = await store.getLineage(found.session.id);
  const current = currentSession(call);
  if (current?.id === tip) return { reply: `You are in ${named(current)} already.` };
  const others = await sharedOf(call, tip);
  const route = others
    ? await call.gateway.branchSession({ ...call, session: others }, undefined)
    : await call.gateway.switchSession(call, tip);
  const session = route && (await store.getSession(route.sessionId));
  if (!session) return { reply: notFound(reference, "none") };
  const where = others ? `${named(session)}, a copy of your own` : named(session);
  return { reply: `↩️ Back in ${where}, ${counted(session.message_count, "message")}. Just go on.` };
}

/** The room's session, for a chat of one person's own: gone on with there, it would be lost to the others, and they would read it. */
async function sharedOf(call: CommandCall, id: string): Promise<SessionRow | undefined> {
  const { store } = call.gateway;
  const session = await store.getSession(id);
  if (isRoom(call) || session?.user_id !== null) return undefined;
  return (await store.getRoom(id)) && session;
}

/** Several people would go on in it, and read what was said there. */
function isRoom({ message, gateway: { config } }: CommandCall): boolean {
  return isShared(message.origin, {
    groupSessionsPerUser: config.group_sessions_per_user,
    threadSessionsPerUser: config.thread_sessions_per_user,
  });
}

function notInRooms(reference: string): string {
  return `${code(shortened(reference))} doesn't belong to this room, and several read along here. Resume it in a direct chat.`;
}

/** The same words for what doesn't exist and for what is somebody else's. */
function notFound(reference: string, why: "none" | "several"): string {
  const shown = code(shortened(reference));
  if (why === "none") return `No session ${shown} found. /sessions shows yours.`;
  return `${shown} is the beginning of several session ids: give more of it, or a number from /sessions.`;
}
