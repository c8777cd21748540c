import { isShared } from "../../../sessions/key.js";
import type { CommandCall, CommandOutcome } from "../command.js";
import { currentSession, named } from "./current-session.js";
import { findSession } from "./find-session.js";
import { code, counted, shortened } from "./text.js";

/** Reference → the end of that conversation → the chat goes on there. */
export async function resumeSession(call: CommandCall, reference: string): Promise<CommandOutcome> {
  const { store } = call.gateway;
  const found = await findSession(call, reference);
  if ("nothing" in found) return { reply: notFound(reference, found.nothing) };
  if (isRoom(call) && found.session.user_id !== null) return { reply: notInRooms(reference) };
  const { tip } = await store.getLineage(found.session.id);
  const current = currentSession(call);
  if (current?.id === tip) return { reply: `You are in ${named(current)} already.` };
  const route = await call.gateway.switchSession(call, tip);
  const session = route && (await store.getSession(route.sessionId));
  if (!session) return { reply: notFound(reference, "none") };
  return { reply: `↩️ Back in ${named(session)}, ${counted(session.message_count, "message")}. Just go on.` };
}

/** Several people would go on in it, and read what was said there. */
function isRoom({ message, gateway: { config } }: CommandCall): boolean {
  return isShared(message.origin, {
    groupSessionsPerUser: config.group_sessions_per_user,
    threadSessionsPerUser: config.thread_sessions_per_user,
  });
}

function notInRooms(reference: string): string {
  return `${code(shortened(reference))} belongs to one person, and several read along here. Resume it in a direct chat.`;
}

/** The same words for what doesn't exist and for what is somebody else's. */
function notFound(reference: string, why: "none" | "several"): string {
  const shown = code(shortened(reference));
  if (why === "none") return `No session ${shown} found. /sessions shows yours.`;
  return `${shown} is the beginning of several session ids: give more of it, or a number from /sessions.`;
}
