import type { InboundMessage } from "./message.js";
import type { EndReason, SessionKey } from "./session.js";

/** In the key of side work, after that of the chat that asked for it. */
export const BACKGROUND = ":background:";

/** Why a message's session ends with its turn: an errand's, a single request's, one of side work. Undefined: it goes on. */
export function endAfterTurn(row: {
  sessionKey: SessionKey;
  message: Pick<InboundMessage, "errand" | "request">;
}): EndReason | undefined {
  const { errand, request } = row.message;
  const end = errand?.end ?? request?.end;
  return end ?? (row.sessionKey.includes(BACKGROUND) ? "background_complete" : undefined);
}
