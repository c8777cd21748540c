/** What was typed and not sent, for each conversation. */
import { keep, kept } from "./kept.js";

const KEY = "hermes.drafts";
const MOST = 50;
/** The empty page's draft: its conversation has no name yet. */
export const NEW = "new";

export const draftOf = (id: string) => kept<Record<string, string>>(KEY, {})[id] ?? "";

export function saveDraft(id: string, text: string): void {
  const { [id]: _, ...others } = kept<Record<string, string>>(KEY, {});
  const entries = Object.entries(others).slice(-(MOST - 1));
  if (text !== "") entries.push([id, text]);
  keep(KEY, Object.fromEntries(entries));
}
