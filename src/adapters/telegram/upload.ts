/** Which call shows an outgoing file best. Pure. */
import type { OutboundFile } from "../../message.js";

export type UploadMethod =
  | "sendPhoto"
  | "sendVideo"
  | "sendAudio"
  | "sendVoice"
  | "sendAnimation"
  | "sendDocument";

const METHODS: Record<string, UploadMethod> = {
  "image/jpeg": "sendPhoto",
  "image/png": "sendPhoto",
  "image/webp": "sendPhoto",
  "image/gif": "sendAnimation",
  "video/mp4": "sendVideo",
  "audio/mpeg": "sendAudio",
  "audio/mp4": "sendAudio",
  "audio/x-m4a": "sendAudio",
  "audio/ogg": "sendVoice",
};
/** Larger pictures are sent as files. */
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;

export function methodFor({ mimeType, bytes, as }: OutboundFile): UploadMethod {
  const method = as === "document" ? undefined : METHODS[mimeType.split(";", 1)[0]!];
  if (method === "sendAudio" && as === "voice") return "sendVoice";
  return method === undefined || (method === "sendPhoto" && bytes > MAX_PHOTO_BYTES)
    ? "sendDocument"
    : method;
}
