import { type InboundMessage, type Principal, roomOf } from "../message.js";
import { isOwner } from "../policies/access.js";
import { type Identity, identityOf } from "../sessions/key.js";
import type { Context } from "./context.js";

/** Who sent a message, and which session it belongs to. */
export interface Asker extends Identity {
  principal: Principal;
}

export function askerOf(
  message: InboundMessage,
  { config, isolation, keys }: Pick<Context, "config" | "isolation" | "keys">,
  identity: Identity = identityOf(message.origin, isolation, keys),
): Asker {
  return { ...identity, principal: principalOf(message, config.owners, identity.shared) };
}

/**
 * Whose data searches may return. In a shared session one person could make the agent read another person's
 * data, so searches there are limited to the room.
 */
export function principalOf(message: InboundMessage, owners: readonly string[], shared: boolean): Principal {
  const { platform, origin, task } = message;
  const room = shared ? roomOf(origin) : undefined;
  const given = task?.principal;
  if (given) return { ...given, owner: given.owner ?? isOwner(given, owners), ...(room && { room }) };
  const userId = origin.userId ?? origin.userIdAlt ?? origin.chatId ?? "";
  return { platform, userId, owner: isOwner({ ...origin, platform }, owners), ...(room && { room }) };
}
