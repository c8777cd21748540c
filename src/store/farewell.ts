import type { SessionId, SessionKey } from "../session.js";
import type { RouteRow } from "./queues.js";

/** The last turn of a session that ended by itself: its agent may save what matters about this person. */
export interface Farewell {
  sessionId: SessionId;
  sessionKey: SessionKey;
  platform: string;
  userId: string;
}

export function farewellOf({ sessionId, sessionKey, origin }: RouteRow): Farewell {
  const { platform, userId, userIdAlt, chatId } = origin;
  return { sessionId, sessionKey, platform, userId: userId ?? userIdAlt ?? chatId ?? "" };
}
