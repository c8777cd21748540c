import type { Origin } from "./message.js";

const MAX_CHARS = 80;

/** The sender's name in a shared session, without brackets, so that it can't imitate another message. */
export function senderName({ userName, userId }: Pick<Origin, "userName" | "userId">): string {
  return plain(userName ?? "") || plain(userId ?? "") || "unknown";
}

/** The prefix of a message in a shared session. */
export const senderPrefix = (origin: Pick<Origin, "userName" | "userId">) => `[${senderName(origin)}] `;

function plain(name: string): string {
  const oneLine = name
    .replace(/[[\]]/g, "")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  return Array.from(oneLine).slice(0, MAX_CHARS).join("");
}
