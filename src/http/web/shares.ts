/** Read-only snapshots of conversations for people who have the link. */
import { createHash, randomBytes } from "node:crypto";
import type { ChatMessage, Share, SharedConversation } from "../../adapters/web/api.js";
import { PLATFORM } from "../../adapters/web/normalise.js";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { RecordRow } from "../../store/queues.js";
import type { ConversationScope, WebChat } from "./chat.js";
import { allMessages, conversationAt } from "./conversations.js";
import type { Visitor } from "./visitor.js";

const SHARE = "share";
const DAY_SECONDS = 86_400;
const DEFAULT_DAYS = 7;
export const MAX_DAYS = 365;
const MAX_SHARES = 200;
const MAX_CHARS = 5_000_000;

type Snapshot = Pick<SharedConversation, "title" | "messages"> & { secret: string };

export function isSharingOn({ config }: WebChat): boolean {
  return config.web_chat.sharing;
}

export async function share(scope: ConversationScope, days = DEFAULT_DAYS): Promise<Share> {
  const { chat, person, id } = scope;
  requireSharing(chat);
  const conversation = await conversationAt(scope);
  if (!conversation) throw new HermesError("not_found", "There is no such conversation");
  const messages = snapshotOf(await allMessages(scope));
  if (messages.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARS)
    throw new HermesError("invalid", "This conversation is too long to share; export it instead");
  if ((await sharesOf(chat, person)).length >= MAX_SHARES)
    throw new HermesError("refused", `There are ${MAX_SHARES} shared links already; revoke some first`);
  const secret = randomBytes(24).toString("base64url");
  const value: Snapshot = { title: conversation.title, messages, secret };
  const expiresAt = nowSeconds() + days * DAY_SECONDS;
  const record = { platform: PLATFORM, kind: SHARE, owner: person.id, id: idOf(secret), place: id };
  await chat.store.saveRecord({ ...record, value, expiresAt });
  return toShare({ ...record, value, createdAt: nowSeconds(), expiresAt });
}

/** The texts, and the names of the tools. No files, no reasoning, no undone messages. */
function snapshotOf(messages: readonly ChatMessage[]): SharedConversation["messages"] {
  return messages.flatMap((message) => {
    if (message.from === "gateway" || message.undone) return [];
    const tools = message.from === "agent" ? message.tools.map(({ tool }) => tool) : [];
    const { from, text, at } = message;
    return text === "" && tools.length === 0 ? [] : [{ from, text, at, tools }];
  });
}

export async function sharesOf({ store }: WebChat, person: Visitor): Promise<Share[]> {
  const rows = await store.listRecords({ platform: PLATFORM, kind: SHARE, owner: person.id });
  return rows.map(toShare);
}

export async function revokeShare({ store }: WebChat, person: Visitor, id: string): Promise<void> {
  const removed = await store.removeRecords({ platform: PLATFORM, kind: SHARE, owner: person.id, id });
  if (removed.length === 0) throw new HermesError("not_found", "There is no such link");
}

export async function sharedConversation(chat: WebChat, secret: string): Promise<SharedConversation> {
  const isOn = isSharingOn(chat) && /^[\w-]{32}$/.test(secret);
  const [row] = isOn
    ? await chat.store.listRecords({ platform: PLATFORM, kind: SHARE, id: idOf(secret) })
    : [];
  if (!row) throw new HermesError("not_found", "This link has expired, or was revoked");
  const { title, messages } = row.value as Snapshot;
  return { title, messages, sharedAt: row.createdAt, expiresAt: row.expiresAt! };
}

function requireSharing(chat: WebChat): void {
  if (!isSharingOn(chat)) throw new HermesError("refused", "Sharing is turned off here");
}

/** Derived from the secret, so that the record can be looked up by id. */
function idOf(secret: string): string {
  return createHash("sha256").update(`hermes share ${secret}`).digest("hex").slice(0, 32);
}

function toShare({ id, place, value, createdAt, expiresAt }: Omit<RecordRow, "position">): Share {
  const { title, secret } = value as Snapshot;
  const path = `/shared/${secret}`;
  return { id, conversationId: place!, title, path, createdAt, expiresAt: expiresAt! };
}
