/** Files of the message being written. They are uploaded as soon as they are chosen. */

import { computed, signal } from "@preact/signals";
import type { Fault, Upload } from "../../../../src/adapters/web/api.js";
import { bytes } from "../../format.js";
import { errorText } from "../../state/api.js";
import { newId } from "./ids.js";
import { limits } from "./me.js";
import { faultOf } from "./request.js";

export interface Attachment {
  id: string;
  name: string;
  bytes: number;
  /** Undefined for a file that was uploaded with an earlier message. */
  file?: File;
  /** 0 to 1. */
  progress: number;
  upload?: Upload;
  fault?: string;
  /** The connection broke: the upload is retried automatically. */
  isLost?: boolean;
}

export const attachments = signal<readonly Attachment[]>([]);
export const isUploading = computed(() =>
  attachments.value.some(({ upload, fault }) => upload === undefined && fault === undefined),
);
export const hasFaultyFile = computed(() => attachments.value.some(({ fault }) => fault !== undefined));

const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 30_000;
const LOST = "The connection was lost. The upload restarts when it is back";
let pauseMs = FIRST_PAUSE_MS;
let retryTimer: ReturnType<typeof setTimeout> | undefined;

const running = new Map<string, XMLHttpRequest>();
/** For a whole file over a slow mobile connection. */
const TIMEOUT_MS = 30 * 60_000;

/** Returns an error message if some files were left out. */
export function attach(files: readonly File[]): string | undefined {
  const free = limits.value.filesPerMessage - attachments.value.length;
  for (const file of files.slice(0, Math.max(0, free))) start(file);
  if (files.length <= free) return undefined;
  return `A message can have ${limits.value.filesPerMessage} files. Send the others with the next one.`;
}

/** Files of a message that wasn't sent, for the one that is written now. Returns false if that would have too many. */
export function reattach(uploads: readonly Upload[]): boolean {
  if (attachments.value.length + uploads.length > limits.value.filesPerMessage) return false;
  const added = uploads.map((upload) => {
    const { name, bytes } = upload;
    return { id: newId(), name, bytes, progress: 1, upload };
  });
  attachments.value = [...attachments.value, ...added];
  return true;
}

function start(file: File): void {
  const attachment = { id: newId(), name: file.name, bytes: file.size, file, progress: 0 };
  attachments.value = [...attachments.value, attachment];
  const maxBytes = limits.value.fileBytes;
  if (file.size > maxBytes) change(attachment.id, { fault: `Larger than ${bytes(maxBytes)}` });
  else upload(attachment, file);
}

/** Uses `XMLHttpRequest` because `fetch` doesn't report upload progress. */
function upload({ id }: Attachment, file: File): void {
  const request = new XMLHttpRequest();
  running.set(id, request);
  request.open("POST", `/api/web/files?${new URLSearchParams({ name: file.name || "file" })}`);
  request.setRequestHeader("content-type", file.type || "application/octet-stream");
  request.timeout = TIMEOUT_MS;
  request.responseType = "json";
  request.upload.onprogress = ({ loaded, total }) => change(id, { progress: total > 0 ? loaded / total : 0 });
  request.onload = () => {
    if (request.status === 201) {
      pauseMs = FIRST_PAUSE_MS;
      return change(id, { progress: 1, upload: request.response as Upload });
    }
    // The gateway is stopping or starting.
    if (request.status === 503) return lost(id);
    const answer = request.response as Partial<Fault> | null;
    change(id, { fault: errorText(faultOf(request.status, answer ?? undefined)) });
  };
  request.onerror = () => lost(id);
  request.ontimeout = () => change(id, { fault: "This took too long" });
  request.onloadend = () => running.delete(id);
  request.send(file);
}

/** Retries on a timer, too: the event stream may not notice a broken upload. */
function lost(id: string): void {
  change(id, { progress: 0, fault: LOST, isLost: true });
  clearTimeout(retryTimer);
  retryTimer = setTimeout(retryLost, pauseMs);
  pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2);
}

/** Called when the connection is back. */
export function retryLost(): void {
  clearTimeout(retryTimer);
  for (const one of attachments.value.filter(({ isLost }) => isLost)) retryUpload(one);
}

export function retryUpload(attachment: Attachment): void {
  const { file } = attachment;
  if (!file || file.size > limits.value.fileBytes) return;
  const { fault: _fault, isLost: _isLost, ...fresh } = { ...attachment, progress: 0 };
  attachments.value = attachments.value.map((one) => (one.id === attachment.id ? fresh : one));
  upload(fresh, file);
}

export function detach(id: string): void {
  running.get(id)?.abort();
  attachments.value = attachments.value.filter((one) => one.id !== id);
}

/** Returns the finished uploads and clears the list. */
export function takeUploads(): Upload[] {
  const uploads = attachments.value.flatMap(({ upload }) => (upload ? [upload] : []));
  attachments.value = [];
  return uploads;
}

function change(id: string, changed: Partial<Attachment>): void {
  attachments.value = attachments.value.map((one) => (one.id === id ? { ...one, ...changed } : one));
}
