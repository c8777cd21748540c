import type { CommandCall, CommandOutcome } from "../command.js";
import { currentSession, named } from "./current-session.js";
import { findSession } from "./find-session.js";
import { code, counted, shortened } from "./text.js";

/** Reference → the end of that conversation → the chat goes on there. */
export async function resumeSession(call: CommandCall, reference: string): Promise<CommandOutcome> {
  const { store } = call.gateway;
  const found = await findSession(call, reference);
  if ("nothing" in found) return { reply: notFound(reference, found.nothing) };
  const { tip } = await store.getLineage(found.session.id);
  const current = currentSession(call);
  if (current?.id === tip) return { reply: `You are in ${named(current)} already.` };
  const route = await call.gateway.switchSession(call, tip);
  const session = route && (await store.getSession(route.sessionId));
  if (!session) return { reply: notFound(reference, "none") };
  return { reply: `↩️ Back in ${named(session)}, ${counted(session.message_count, "message")}. Just go on.` };
}

/** The same words for what doesn't exist and for what is somebody else's. */
function notFound(reference: string, why: "none" | "several"): string {
  const shown = code(shortened(reference));
  if (why === "none") return `No session ${shown} found. /sessions shows yours.`;
  return `${shown} is the beginning of several session ids: give more of it, or a number from /sessions.`;
}
