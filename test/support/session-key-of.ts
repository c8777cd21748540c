import type { InboundMessage } from "../../src/message.js";
import { sessionKey } from "../../src/sessions/key.js";

/** With Hermes' defaults. */
export function sessionKeyOf({ origin }: InboundMessage): string {
  return sessionKey(origin, { groupSessionsPerUser: true, threadSessionsPerUser: false });
}
