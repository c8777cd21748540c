/** Once an hour, removes expired links and logins, and uploads that were never sent. */
import { PLATFORM } from "../../adapters/web/normalise.js";
import { nowSeconds } from "../../clock.js";
import type { WebChat } from "./chat.js";
import { UPLOAD } from "./extras.js";
import { removeFiles } from "./files.js";

const INTERVAL_MS = 3_600_000;

/** Returns a function that stops it. */
export function startCleanup(chat: WebChat): () => void {
  const clean = () =>
    void removeExpired(chat).catch((error: unknown) =>
      chat.log.error({ err: error }, "expired records of the web chat could not be removed"),
    );
  clean();
  const timer = setInterval(clean, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export async function removeExpired(chat: WebChat, now = nowSeconds()): Promise<void> {
  const removed = await chat.store.removeRecords({ platform: PLATFORM, expiredBy: now });
  await removeFiles(
    chat,
    removed.filter(({ kind }) => kind === UPLOAD),
  );
}
