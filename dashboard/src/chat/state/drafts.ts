/** Text that was typed but not sent, for each conversation. */
import { readStorage, writeStorage } from "./storage.js";

const KEY = "hermes.drafts";
const MAX_DRAFTS = 50;
/** Key of the empty page's draft. */
export const NEW = "new";

export const draftOf = (id: string) => readStorage<Record<string, string>>(KEY, {})[id] ?? "";

export function saveDraft(id: string, text: string): void {
  const { [id]: _, ...others } = readStorage<Record<string, string>>(KEY, {});
  const entries = Object.entries(others).slice(-(MAX_DRAFTS - 1));
  if (text !== "") entries.push([id, text]);
  writeStorage(KEY, Object.fromEntries(entries));
}
