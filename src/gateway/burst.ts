import type { Burst } from "../adapters/adapter.js";
import type { InboundMessage } from "../message.js";

/** How long to wait for the rest of what a person sent as one, where their client sends it in pieces. */
export function burstWaitMs({ errand, text, inAlbum }: InboundMessage, burst: Burst | undefined): number {
  if (!burst || errand) return 0;
  const { quietMs = 0, afterLongMs, longChars, afterAlbumMs = quietMs } = burst;
  if (text.length >= longChars) return afterLongMs;
  return inAlbum ? afterAlbumMs : quietMs;
}
