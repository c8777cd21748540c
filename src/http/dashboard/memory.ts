/** The agent's notes about a person, and the shared ones. */
import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { z } from "zod";
import { HermesError } from "../../errors.js";
import { formatPerson } from "../../people/person.js";
import {
  cleanEntry,
  isTooLong,
  joinEntries,
  MAX_MEMORY_CHARS,
  type MemorySlot,
} from "../../tools/memory-files.js";
import { bodyOf, paramsOf, text } from "../params.js";
import type { MemoryAnswer } from "./memory-types.js";
import { operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import { personShape } from "./people.js";
import type { PeopleSource } from "./people-source.js";

const MAX_ENTRIES = 1000;

export function memoryRoutes(api: Hono, options: DashboardOptions, people: PeopleSource): void {
  const { memory } = options;
  const note = operatorLog(options);

  /** Without a person: the shared notes. */
  api.get("/memory", async (c) => {
    const { platform, userId } = paramsOf(c, { platform: text(100), userId: text(500) });
    const slot = platform !== undefined && userId !== undefined ? { platform, userId } : "shared";
    return c.json(answerOf(await memory.read(slot)));
  });

  /** Replaces the whole list. `version`: of the list that was edited. */
  api.post("/memory/save", async (c) => {
    const { person, entries, version } = await bodyOf(c, {
      person: z.object(personShape).optional(),
      entries: z.array(z.string().max(MAX_MEMORY_CHARS * 2)).max(MAX_ENTRIES),
      version: z.string().min(1).max(100),
    });
    const slot: MemorySlot = person ?? "shared";
    const cleaned = entries.map(cleanEntry).filter((entry) => entry !== "");
    await memory.change(slot, (before) => {
      if (versionOf(before) !== version) throw changed();
      if (isTooLong(cleaned, before)) throw tooLong(cleaned);
      return cleaned;
    });
    people.invalidate();
    const about = { person: person ? formatPerson(person) : "shared", entries: cleaned.length };
    await note(c, "memory/save", about);
    return c.json(answerOf(cleaned));
  });
}

function answerOf(entries: readonly string[]): MemoryAnswer {
  return {
    entries: [...entries],
    chars: joinEntries(entries).length,
    maxChars: MAX_MEMORY_CHARS,
    version: versionOf(entries),
  };
}

function versionOf(entries: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex").slice(0, 16);
}

function changed(): HermesError {
  return new HermesError("conflict", "These notes have changed since you opened them.", {
    hint: "Your changes weren't saved. Look at the new notes, then edit again.",
  });
}

function tooLong(entries: readonly string[]): HermesError {
  const { length } = joinEntries(entries);
  return new HermesError(
    "invalid",
    `The notes have ${length} characters; the limit is ${MAX_MEMORY_CHARS}.`,
    {
      hint: "Shorten or delete a note first.",
    },
  );
}
