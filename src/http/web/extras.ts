/** Records of a conversation that its sessions don't have: uploaded files, and details of answers. */
import type { AnswerUsage, ChatFile } from "../../adapters/web/api.js";
import { PLATFORM } from "../../adapters/web/normalise.js";
import type { OutboundFile } from "../../message.js";
import type { RecordRow } from "../../store/queues.js";
import type { ConversationScope } from "./chat.js";
import type { AnswerExtra, Extras } from "./history.js";

export const UPLOAD = "upload";
export const ANSWER = "answer";

export interface UploadValue {
  name: string;
  mimeType: string;
  bytes: number;
  /** Relative to the home. */
  path: string;
  kind: string;
  /** The message with this file; null: not sent yet. */
  clientId: string | null;
}

export interface AnswerValue {
  turnId: string | null;
  usage?: AnswerUsage | null;
  outboxId?: number;
  files?: OutboundFile[];
  /** Durations of tool calls, by id. */
  seconds?: Record<string, number>;
}

/** Types that browsers may display. Other files are downloads: no uploaded page may run on our origin. */
export const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function uploadedFile({ id, value }: Pick<RecordRow, "id" | "value">): ChatFile & { id: string } {
  const { name, mimeType, bytes } = value as UploadValue;
  return { id, name, mimeType, bytes, url: `/api/web/files/${id}`, picture: PICTURES.has(mimeType) };
}

export function sentFile({ name, mimeType, bytes }: OutboundFile, outboxId: number, index: number): ChatFile {
  const url = `/api/web/sent/${outboxId}/${index}`;
  return { name, mimeType, bytes, url, picture: PICTURES.has(mimeType) };
}

export async function extrasOf({ chat, person, id }: ConversationScope): Promise<Extras> {
  const query = { platform: PLATFORM, owner: person.id, place: id };
  const [uploads, answers] = await Promise.all([
    chat.store.listRecords({ ...query, kind: UPLOAD }),
    chat.store.listRecords({ ...query, kind: ANSWER }),
  ]);
  return { uploads: byMessage(uploads), answers: new Map(answers.map((row) => [row.id, answerExtra(row)])) };
}

function byMessage(uploads: readonly RecordRow[]): Map<string, ChatFile[]> {
  const files = new Map<string, ChatFile[]>();
  for (const row of uploads) {
    const { clientId } = row.value as UploadValue;
    if (clientId !== null) files.set(clientId, [...(files.get(clientId) ?? []), uploadedFile(row)]);
  }
  return files;
}

function answerExtra({ value }: RecordRow): AnswerExtra {
  const { turnId, usage = null, outboxId, files = [], seconds = {} } = value as AnswerValue;
  const shown = outboxId === undefined ? [] : files.map((file, i) => sentFile(file, outboxId, i));
  return { turnId, usage, files: shown, seconds };
}
