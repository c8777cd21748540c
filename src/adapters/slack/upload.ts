/** Files → Slack: ask for a place, bring the bytes there, share them all in one message. */
import { readFile } from "node:fs/promises";
import { SendError } from "../../errors.js";
import type { SendableFile } from "../../media/outgoing.js";
import type { SlackApi } from "./api.js";
import { toSendError } from "./faults.js";
import type { SlackFile } from "./native.js";
import type { Place } from "./outgoing.js";

export interface UploadParts {
  api: SlackApi;
  settings: { times: { downloadMs: number } };
}

/** The ts of the message with the files; empty where Slack doesn't tell. */
export async function upload(
  parts: UploadParts,
  place: Place,
  files: readonly SendableFile[],
  signal: AbortSignal,
): Promise<string> {
  const uploaded = await bring(parts, files, signal);
  const { channel, thread_ts } = place;
  const args = { files: uploaded, channel_id: channel, thread_ts };
  const answer = await parts.api.call<{ files?: SlackFile[] }>("files.completeUploadExternal", args, {
    signal,
  });
  return sharedAs(answer.files?.[0], channel) ?? "";
}

/** Nobody sees any of it before the last step. */
async function bring(parts: UploadParts, files: readonly SendableFile[], signal: AbortSignal) {
  try {
    return await Promise.all(files.map((file) => bringOne(parts, file, signal)));
  } catch (error) {
    const failure = toSendError(error);
    throw failure.outcome === "unknown"
      ? new SendError("never_sent", failure.message, { cause: error })
      : failure;
  }
}

async function bringOne({ api, settings }: UploadParts, file: SendableFile, signal: AbortSignal) {
  const content = await readFile(file.file);
  const args = { filename: file.name, length: content.length };
  const place = await api.call<{ upload_url: string; file_id: string }>("files.getUploadURLExternal", args, {
    signal,
  });
  const response = await fetch(place.upload_url, {
    method: "POST",
    body: new Uint8Array(content),
    headers: { "content-type": "application/octet-stream" },
    redirect: "error",
    signal: AbortSignal.any([signal, AbortSignal.timeout(settings.times.downloadMs)]),
  });
  await response.body?.cancel();
  if (response.status !== 200)
    throw new SendError("never_sent", `Slack took no file: HTTP ${response.status}`);
  return { id: place.file_id, title: file.name };
}

function sharedAs(file: SlackFile | undefined, channel: string): string | undefined {
  const rooms = Object.values(file?.shares ?? {});
  return rooms.flatMap((shares) => shares[channel] ?? [])[0]?.ts;
}
