import type { MemoryFlush, RouteRow } from "./queues.js";

export type { MemoryFlush } from "./queues.js";

export function memoryFlushOf({ sessionId, origin }: RouteRow): MemoryFlush {
  const { platform, userId, userIdAlt, chatId } = origin;
  return { sessionId, platform, userId: userId ?? userIdAlt ?? chatId ?? "" };
}
