/** Uploads files and shares them in one message. */
import { readFile } from "node:fs/promises";
import { SendError } from "../../errors.js";
import type { SendableFile } from "../../media/outgoing.js";
import type { SlackApi } from "./api.js";
import { toSendError } from "./errors.js";
import type { Destination } from "./outgoing.js";
import type { SlackFile } from "./payloads.js";

export interface UploadParts {
  api: SlackApi;
  settings: { timing: { downloadMs: number } };
}

/** Returns the ts of the message with the files, or an empty string if Slack doesn't send it. */
export async function upload(
  parts: UploadParts,
  destination: Destination,
  { text, files }: { text: string; files: readonly SendableFile[] },
  signal: AbortSignal,
): Promise<string> {
  const uploaded = await uploadAll(parts, files, signal);
  const { channel, thread_ts } = destination;
  const comment = text === "" ? {} : { initial_comment: text };
  const args = { files: uploaded, channel_id: channel, thread_ts, ...comment };
  const response = await parts.api.call<{ files?: SlackFile[] }>("files.completeUploadExternal", args, {
    signal,
  });
  return sharedAs(response.files?.[0], channel) ?? "";
}

/** Nothing is visible before the files are shared, so a failure here means never sent. */
async function uploadAll(parts: UploadParts, files: readonly SendableFile[], signal: AbortSignal) {
  try {
    return await Promise.all(files.map((file) => uploadOne(parts, file, signal)));
  } catch (error) {
    const failure = toSendError(error);
    throw failure.outcome === "unknown"
      ? new SendError("never_sent", failure.message, { cause: error })
      : failure;
  }
}

async function uploadOne({ api, settings }: UploadParts, file: SendableFile, signal: AbortSignal) {
  const content = await readFile(file.file);
  const args = { filename: file.name, length: content.length };
  const slot = await api.call<{ upload_url: string; file_id: string }>("files.getUploadURLExternal", args, {
    signal,
  });
  const response = await fetch(slot.upload_url, {
    method: "POST",
    body: new Uint8Array(content),
    headers: { "content-type": "application/octet-stream" },
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(settings.timing.downloadMs)]),
  });
  await response.body?.cancel();
  if (response.status !== 200)
    throw new SendError("never_sent", `Slack rejected the file upload: HTTP ${response.status}`);
  return { id: slot.file_id, title: file.name };
}

function sharedAs(file: SlackFile | undefined, channel: string): string | undefined {
  const byVisibility = Object.values(file?.shares ?? {});
  return byVisibility.flatMap((shares) => shares[channel] ?? [])[0]?.ts;
}
