import { HermesError } from "../../errors.js";
import { audienceOf, type Principal } from "../../message.js";
import type { SessionRow, SessionSummary } from "../../session.js";
import { sanitizeTitle } from "../../title.js";
import type { CommandCall } from "../command.js";

const LIST_SIZE = 10;

/** The sessions the asker may see here, last active first. /resume accepts their numbers. */
export function listVisible(call: CommandCall): Promise<SessionSummary[]> {
  return call.gateway.store.listSessions({ asker: listAsker(call), order: "active", limit: LIST_SIZE });
}

/** In a room, only the room's sessions: no titles of direct messages, and owners don't see other sessions there. */
function listAsker({ principal, message }: CommandCall): Principal {
  const room = audienceOf(message);
  return room ? { ...principal, room, owner: false } : principal;
}

export type Found = { session: SessionRow } | { nothing: "none" | "several" };

/** By number, id, id prefix or title, among the sessions the asker may see. */
export async function findSession(call: CommandCall, reference: string): Promise<Found> {
  try {
    const wanted = sanitizeTitle(reference) ?? "";
    const session = /^\d{1,2}$/.test(wanted) ? await byNumber(call, wanted) : await byName(call, wanted);
    return session ? { session } : { nothing: "none" };
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    if (error.code === "invalid") return { nothing: "none" };
    if (error.code === "conflict") return { nothing: "several" };
    throw error;
  }
}

/** The asker has such a session, but not in this room. Numbers refer to the room's list. */
export async function isElsewhere(call: CommandCall, reference: string): Promise<boolean> {
  const { room, ...alone } = call.principal;
  if (!room || /^\d{1,2}$/.test(reference)) return false;
  return "session" in (await findSession({ ...call, principal: { ...alone, owner: false } }, reference));
}

function byName({ gateway, principal }: CommandCall, name: string): Promise<SessionRow | undefined> {
  return gateway.store.getSession({ called: name }, principal);
}

/** Never an id prefix: all ids start with a 2. */
async function byNumber(call: CommandCall, number: string): Promise<SessionRow | undefined> {
  const listed = (await listVisible(call))[Number(number) - 1];
  return listed ?? call.gateway.store.getSession({ title: number }, call.principal);
}
