import type { InboundMessage } from "./message.js";
import type { EndReason, SessionKey } from "./session.js";

/** In session keys of background work: `<key of the chat>:background:…`. */
export const BACKGROUND = ":background:";

/** Why a message's session ends with its turn; undefined: the session continues. */
export function endAfterTurn(row: {
  sessionKey: SessionKey;
  message: Pick<InboundMessage, "task" | "request">;
}): EndReason | undefined {
  const { task, request } = row.message;
  const end = task?.end ?? request?.end;
  return end ?? (row.sessionKey.includes(BACKGROUND) ? "background_complete" : undefined);
}
