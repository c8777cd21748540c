/** Incoming files: only from Discord's own servers. */
import { MediaDownloads } from "../kit/media-download.js";
import type { Settings } from "./config.js";

const DISCORD_ORIGINS = ["https://cdn.discordapp.com", "https://media.discordapp.net"];

export function downloadsOf({ media, apiUrl, timing }: Settings): MediaDownloads | null {
  if (!media) return null;
  // An emulator serves its files itself.
  const origins = [...DISCORD_ORIGINS, new URL(apiUrl).origin];
  const isOwn = (url: URL) => origins.includes(url.origin);
  return new MediaDownloads({ label: "Discord", media, timeoutMs: timing.downloadTimeoutMs, isOwn });
}
