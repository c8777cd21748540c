import { HermesError } from "../../../errors.js";
import { audienceOf, type Principal } from "../../../message.js";
import type { SessionRow, SessionSummary } from "../../../session.js";
import { sanitizeTitle } from "../../../title.js";
import type { CommandCall } from "../command.js";

const LIST_SIZE = 10;

/** What the asker may see here, last active first. Its numbers are what /resume takes. */
export function listVisible(call: CommandCall): Promise<SessionSummary[]> {
  return call.gateway.store.listSessions({ asker: listAsker(call), order: "active", limit: LIST_SIZE });
}

/** Where a room reads along, only what belongs to it: not the titles of direct messages, and none of others to an owner. */
function listAsker({ principal, message }: CommandCall): Principal {
  const room = audienceOf(message);
  return room ? { ...principal, room, owner: false } : principal;
}

export type Found = { session: SessionRow } | { nothing: "none" | "several" };

/** By number, id, beginning of an id or title, among what the asker may see; all else doesn't exist. */
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

/** The asker has such a session, but not in this room. A number means the room's own list. */
export async function isElsewhere(call: CommandCall, reference: string): Promise<boolean> {
  const { room, ...alone } = call.principal;
  if (!room || /^\d{1,2}$/.test(reference)) return false;
  return "session" in (await findSession({ ...call, principal: { ...alone, owner: false } }, reference));
}

function byName({ gateway, principal }: CommandCall, name: string): Promise<SessionRow | undefined> {
  return gateway.store.resolveSession(name, principal);
}

/** Never as the beginning of an id: all of them begin with a 2. */
async function byNumber(call: CommandCall, number: string): Promise<SessionRow | undefined> {
  const listed = (await listVisible(call))[Number(number) - 1];
  return listed ?? call.gateway.store.resolveTitle(number, call.principal);
}
