/** Discord's ids are snowflakes: decimal numbers that begin with a time. And our own ids that we send to Discord. */
import { createHash } from "node:crypto";

const DISCORD_EPOCH_MS = 1_420_070_400_000;
const TIME_SHIFT = 22n;
const MAX_NONCE = 25;

/** When it was created. Epoch milliseconds. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> TIME_SHIFT) + DISCORD_EPOCH_MS;
}

/** The first id of that millisecond. */
export function idAt(epochMs: number): string {
  return String(BigInt(Math.max(0, Math.trunc(epochMs) - DISCORD_EPOCH_MS)) << TIME_SHIFT);
}

export function isAfter(id: string, other: string): boolean {
  return BigInt(id) > BigInt(other);
}

export function isId(text: string): boolean {
  return /^\d{1,20}$/.test(text);
}

/** The same for every attempt at this part: within minutes Discord returns the first message instead of posting a second. */
export function nonceOf(messageNonce: string, part: number): string {
  return createHash("sha256").update(`${messageNonce}\n${part}`).digest("base64url").slice(0, MAX_NONCE);
}

/** A bot's token begins with its id. */
export function accountOf(token: string): string | undefined {
  const id = Buffer.from(token.split(".", 1)[0] ?? "", "base64url").toString();
  return isId(id) ? id : undefined;
}

export const cursorNames = {
  channel: (id: string) => `channel:${id}`,
  /** Everything up to here is in the inbox. */
  seen: "seen",
  /** The known direct-message channels. */
  dms: "dms",
  session: (shardId: number) => `session:${shardId}`,
  interactions: "interactions",
} as const;

/** A message that gets its own thread: the thread has the message's id, but is opened through its parent channel. */
export function makeThreadStart(parentId: string, messageId: string): string {
  return `${parentId}/${messageId}`;
}

/** A message's id, with its parent channel's if `makeThreadStart` made it. */
export function parseMessageId(id: string): { messageId: string; parentId: string | null } {
  const [first = "", second] = id.split("/", 2);
  return second === undefined ? { messageId: first, parentId: null } : { messageId: second, parentId: first };
}
