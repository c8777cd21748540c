/** Where an incoming file can be downloaded. */
import path from "node:path";
import { MediaProblem } from "../../media/incoming.js";
import type { MediaSource } from "../kit/media-download.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { Settings } from "./config.js";
import { mentions } from "./faults.js";

export async function locateFile(
  fileId: string,
  api: TelegramApi,
  { apiUrl, token }: Settings,
  signal: AbortSignal,
): Promise<MediaSource> {
  const { file_path } = await api.call.getFile(fileId, asSignal(signal)).catch((error: unknown) => {
    if (mentions(error, "file is too big")) throw new MediaProblem("It is too large for Telegram's server");
    throw error;
  });
  // A local server gives a path on its own disk, which we must not open.
  if (!file_path || path.isAbsolute(file_path) || file_path.split("/").includes(".."))
    throw new MediaProblem("Telegram's server gives no address to download it from");
  return { url: `${apiUrl}/file/bot${token}/${file_path.split("/").map(encodeURIComponent).join("/")}` };
}
