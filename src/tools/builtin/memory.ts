/** The `memory` tool: notes that later conversations can use. */
import type { Principal } from "../../message.js";
import { textArgument } from "../arguments.js";
import {
  cleanEntry,
  isTooLong,
  joinEntries,
  MAX_MEMORY_CHARS,
  type MemoryFiles,
  type MemorySlot,
} from "../memory-files.js";
import type { ToolDefinition } from "../tool.js";

const DESCRIPTION =
  "Short notes that last beyond this conversation. target user: about the person you talk with. target memory: " +
  "shared by everyone; only owners may change it. Actions: read; add (content); replace (old_text, content); " +
  "remove (old_text). old_text is a part of the one entry that is meant.";

const PARAMETERS = {
  type: "object",
  properties: {
    action: { type: "string", enum: ["read", "add", "replace", "remove"] },
    target: { type: "string", enum: ["user", "memory"], description: "Default: user" },
    content: { type: "string", description: "The entry's new text, for add and replace" },
    old_text: { type: "string", description: "A part of the entry, for replace and remove" },
  },
  required: ["action"],
};

/** Everyone has their own notes, so paired people may use it although it writes. */
export function memoryTool(files: MemoryFiles): ToolDefinition {
  return {
    name: "memory",
    toolset: "memory",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    effect: "write",
    repeat: "never",
    allow: ["paired"],
    run: async (args, { principal, shared }) => {
      try {
        return await runAction(files, principal, shared, args);
      } catch (error) {
        if (error instanceof Mistake) return `Error: ${error.message}`;
        throw error;
      }
    },
  };
}

/** A mistake of the model, reported back so that it can retry. */
class Mistake extends Error {}

async function runAction(
  files: MemoryFiles,
  principal: Principal,
  /** In a shared session a person's notes can be extended, but not read or searched. */
  shared: boolean,
  args: Record<string, unknown>,
): Promise<string> {
  const slot = slotOf(args, principal);
  const action = textArgument(args, "action") ?? "read";
  const isPrivate = shared && slot !== "shared";
  // A hit or miss of replace/remove would reveal the notes to the room.
  if (isPrivate && action !== "add") {
    throw new Mistake(
      "several people read this conversation: here a person's notes can only be added to. " +
        "To read, replace or remove, ask the person to write in a private chat.",
    );
  }
  if (action === "read") return shown(await files.read(slot));
  if (slot === "shared" && !principal.owner) throw new Mistake("only owners may change the shared memory.");
  const change = Object.hasOwn(CHANGES, action) ? CHANGES[action] : undefined;
  if (!change) throw new Mistake(`there is no action "${action}". Use read, add, replace or remove.`);
  await files.change(slot, (entries) => {
    const changed = change(entries, args);
    if (isTooLong(changed, entries)) throw new Mistake(isPrivate ? NO_ROOM : tooLong(changed));
    return changed;
  });
  return "Saved.";
}

function slotOf(args: Record<string, unknown>, principal: Principal): MemorySlot {
  const target = textArgument(args, "target") ?? "user";
  if (target !== "user" && target !== "memory") throw new Mistake('target must be "user" or "memory".');
  return target === "memory" ? "shared" : principal;
}

function shown(entries: readonly string[]): string {
  return entries.length === 0 ? "Nothing is remembered yet." : joinEntries(entries);
}

type Change = (entries: readonly string[], args: Record<string, unknown>) => string[];

const CHANGES: Record<string, Change> = {
  add: (entries, args) => {
    const content = contentOf(args);
    return entries.includes(content) ? [...entries] : [...entries, content];
  },
  replace: (entries, args) => entries.with(placeOf(entries, args), contentOf(args)),
  remove: (entries, args) => entries.toSpliced(placeOf(entries, args), 1),
};

function contentOf(args: Record<string, unknown>): string {
  const content = cleanEntry(textArgument(args, "content") ?? "");
  if (content === "") throw new Mistake("content is missing.");
  return content;
}

function placeOf(entries: readonly string[], args: Record<string, unknown>): number {
  const part = textArgument(args, "old_text");
  if (part === undefined) throw new Mistake("old_text is missing.");
  const exact = entries.indexOf(part);
  const places = exact >= 0 ? [exact] : [...entries.keys()].filter((i) => entries[i]!.includes(part));
  if (places.length === 0) throw new Mistake("no entry contains that old_text. Read the memory first.");
  if (places.length > 1)
    throw new Mistake(`${places.length} entries contain that old_text. Quote more of it.`);
  return places[0]!;
}

const NO_ROOM = "the notes are full. Ask the person to clean them up in a private chat.";

function tooLong(entries: readonly string[]): string {
  return `that would make ${joinEntries(entries).length} characters; the maximum is ${MAX_MEMORY_CHARS}. Remove or shorten something first.`;
}
