import type { KnownPerson } from "../store/people.js";
import { memoryFile, memoryOwners } from "../tools/memory-files.js";
import { isThere } from "./files.js";
import { formatPerson } from "./person.js";
import type { ListedPerson } from "./types.js";

/** Notes about a person may be older than everything else that is kept of them. */
export async function withMemories(
  known: readonly KnownPerson[],
  memoriesDir: string,
  platform?: string,
): Promise<ListedPerson[]> {
  const listed = known.map(async (one) => ({
    person: formatPerson(one),
    ...one,
    memory: await isThere(memoryFile(memoriesDir, one)),
  }));
  const names = new Set(known.map(formatPerson));
  const owners = (await memoryOwners(memoriesDir)).filter(
    (owner) => !names.has(formatPerson(owner)) && (platform === undefined || owner.platform === platform),
  );
  const nothingElse = { names: [], sessions: 0, messages: 0, firstSeen: null, lastSeen: null, pairing: null };
  return [
    ...(await Promise.all(listed)),
    ...owners.map((owner) => ({ person: formatPerson(owner), ...owner, ...nothingElse, memory: true })),
  ];
}
