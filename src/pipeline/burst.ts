import type { Burst } from "../adapters/adapter.js";
import type { InboundMessage } from "../message.js";

/** How long to wait for the rest of a message that the user's client sends in pieces. */
export function burstWaitMs({ task, text, inAlbum }: InboundMessage, burst: Burst | undefined): number {
  if (!burst || task) return 0;
  const { quietMs = 0, afterLongMs, longChars, afterAlbumMs = quietMs } = burst;
  if (text.length >= longChars) return afterLongMs;
  return inAlbum ? afterAlbumMs : quietMs;
}
