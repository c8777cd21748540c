/** Files of people and answers, stored under random names. Only their person can download them. */
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import type { Context } from "hono";
import type { Upload } from "../../adapters/web/api.js";
import { PLATFORM } from "../../adapters/web/normalise.js";
import { nowSeconds } from "../../clock.js";
import { MEDIA_FOLDERS } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { keepFile, MediaProblem } from "../../media/incoming.js";
import type { Attachment } from "../../message.js";
import type { RecordRow } from "../../store/queues.js";
import type { ConversationScope, WebChat } from "./chat.js";
import { ANSWER, type AnswerValue, PICTURES, UPLOAD, type UploadValue, uploadedFile } from "./extras.js";
import type { Visitor } from "./visitor.js";

export const FILES_PER_MESSAGE = 10;
const NAME_CHARS = 200;
/** Uploads that no message uses expire after this time. */
const UNUSED_SECONDS = 24 * 3600;
/** Unused uploads per person. */
const MAX_UNUSED = 50;

export async function takeUpload(
  chat: WebChat,
  person: Visitor,
  sentName: string,
  c: Context,
): Promise<Upload> {
  const { store, home, config } = chat;
  const name = fileName(sentName);
  const owned = { platform: PLATFORM, kind: UPLOAD, owner: person.id };
  const unused = (await store.listRecords(owned)).filter(({ expiresAt }) => expiresAt !== null);
  if (unused.length >= MAX_UNUSED)
    throw new HermesError("refused", "You have too many uploads that aren't sent; send or remove some first");
  const options = { home, folder: MEDIA_FOLDERS.incoming, maxBytes: config.media.max_download_bytes };
  const body = c.req.raw.body ?? new ReadableStream<Uint8Array>();
  const stored = await keepFile(
    Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]),
    options,
    name,
  ).catch((error: unknown) => {
    if (error instanceof MediaProblem) throw new HermesError("invalid", error.message);
    throw error;
  });
  const id = path.basename(stored.path).split(".", 1)[0]!;
  const { mimeType, bytes, kind } = stored;
  const value: UploadValue = { name, mimeType, bytes, kind, path: stored.path, clientId: null };
  await store.saveRecord({ ...owned, id, value, expiresAt: nowSeconds() + UNUSED_SECONDS });
  return uploadedFile({ id, value });
}

/** The last part of a path, without control characters. */
function fileName(sentName: string): string {
  const name = path.posix.basename(sentName.replaceAll("\\", "/")).replace(/\p{C}/gu, "").trim();
  return Array.from(name).slice(-NAME_CHARS).join("") || "file";
}

/** Turns the uploads of a message into its attachments. Idempotent. */
export async function takeUploads(
  scope: ConversationScope,
  clientId: string,
  ids: readonly string[],
): Promise<Attachment[]> {
  const { chat, person } = scope;
  if (ids.length > FILES_PER_MESSAGE)
    throw new HermesError("invalid", `A message may have ${FILES_PER_MESSAGE} files at most`);
  const owned = { platform: PLATFORM, kind: UPLOAD, owner: person.id };
  const attachments: Attachment[] = [];
  for (const id of ids) {
    const [upload] = await chat.store.listRecords({ ...owned, id });
    if (!upload) throw new HermesError("not_found", "An uploaded file is gone; add it again");
    const value = upload.value as UploadValue;
    const used = value.clientId !== null && value.clientId !== clientId;
    // The new version of an edited message: a second record of the same file.
    const record = { ...owned, id: used ? `${clientId}.${attachments.length}` : id, place: scope.id };
    await chat.store.saveRecord({ ...record, value: { ...value, clientId } });
    const { name, mimeType, bytes, path: file, kind } = value;
    attachments.push({ kind, name, mimeType, bytes, path: file });
  }
  return attachments;
}

/** The uploads of one message. */
export async function uploadsOf(
  { chat, person, id }: ConversationScope,
  clientId: string,
): Promise<RecordRow[]> {
  const query = { platform: PLATFORM, kind: UPLOAD, owner: person.id, place: id };
  const rows = await chat.store.listRecords(query);
  return rows.filter(({ value }) => (value as UploadValue).clientId === clientId);
}

export async function sendUpload(c: Context, chat: WebChat, person: Visitor, id: string): Promise<Response> {
  const [upload] = await chat.store.listRecords({ platform: PLATFORM, kind: UPLOAD, owner: person.id, id });
  return upload ? sendFile(c, chat.home, upload.value as UploadValue) : c.notFound();
}

/** Sends only files of this person's answers. */
export async function sendAnswerFile(
  c: Context,
  chat: WebChat,
  person: Visitor,
  outboxId: number,
  index: number,
): Promise<Response> {
  const delivery = await chat.store.getDelivery(outboxId);
  const isTheirs = delivery?.target.platform === PLATFORM && delivery.target.chatId === person.id;
  const queued = isTheirs ? delivery.files.filter((file) => "path" in file)[index] : undefined;
  const file = queued ?? (await recordedFile(chat, person, outboxId, index));
  return file ? sendFile(c, chat.home, file) : c.notFound();
}

/** From the answer's record: sent messages are deleted from the outbox after a while. */
async function recordedFile({ store }: WebChat, person: Visitor, outboxId: number, index: number) {
  const answers = await store.listRecords({ platform: PLATFORM, kind: ANSWER, owner: person.id });
  const values = answers.map(({ value }) => value as AnswerValue);
  return values.find((value) => value.outboxId === outboxId)?.files?.[index];
}

async function sendFile(
  c: Context,
  home: string,
  file: Pick<UploadValue, "path" | "name" | "mimeType">,
): Promise<Response> {
  const full = path.join(home, file.path);
  const size = (await stat(full).catch(() => undefined))?.size;
  // The file was cleaned up in the meantime.
  if (size === undefined) return c.notFound();
  const isShown = PICTURES.has(file.mimeType);
  const name = encodeURIComponent(file.name).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16)}`,
  );
  c.header("Content-Type", isShown ? file.mimeType : "application/octet-stream");
  c.header("Content-Length", String(size));
  c.header("Content-Disposition", `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${name}`);
  c.header("Content-Security-Policy", "default-src 'none'; sandbox");
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Cache-Control", "private, max-age=3600");
  return c.body(Readable.toWeb(createReadStream(full)) as ReadableStream<Uint8Array>);
}

/** Deletes the files of deleted or expired uploads, unless another record uses them. */
export async function removeFiles(
  { store, home, log }: WebChat,
  removed: readonly RecordRow[],
): Promise<void> {
  for (const { owner, value } of removed) {
    const { path: file } = value as UploadValue;
    const others = await store.listRecords({ platform: PLATFORM, kind: UPLOAD, owner });
    if (others.some((other) => (other.value as UploadValue).path === file)) continue;
    await rm(path.join(home, file), { force: true }).catch((error: unknown) =>
      log.error({ err: error }, "an uploaded file could not be removed"),
    );
  }
}
