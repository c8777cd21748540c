import type { SessionRow } from "../../session.js";
import { oneLine } from "../cells.js";

/** How to resume the conversation. */
export function resumeHint({ id, title }: Pick<SessionRow, "id" | "title">): string[] {
  const named = title ? `  (or hermes -c ${quoted(oneLine(title))})` : "";
  return [`Session  ${id}`, `Resume   hermes -r ${id}${named}`];
}

/** As a shell takes it. */
function quoted(text: string): string {
  return /["$`\\!]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : `"${text}"`;
}
