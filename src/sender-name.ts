import type { Origin } from "./message.js";

const LONGEST = 80;

/** How a shared session names whoever wrote: on one line and without brackets, so that no name passes for a line of another's. */
export function senderName({ userName, userId }: Pick<Origin, "userName" | "userId">): string {
  return plain(userName ?? "") || plain(userId ?? "") || "somebody";
}

/** What stands before the text of a message in a shared session. */
export const senderPrefix = (origin: Pick<Origin, "userName" | "userId">) => `[${senderName(origin)}] `;

function plain(name: string): string {
  const oneLine = name
    .replace(/[[\]]/g, "")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  return Array.from(oneLine).slice(0, LONGEST).join("");
}
