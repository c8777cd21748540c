import { inSlices } from "../slices.js";
import type { KnownPerson } from "../store/people.js";
import { listMemories } from "../tools/memory-files.js";
import { formatPerson } from "./person.js";
import type { ListedPerson } from "./types.js";

/** Notes about a person may be older than everything else that is kept of them. */
export async function withMemories(
  known: readonly KnownPerson[],
  memoriesDir: string,
  platform?: string,
): Promise<ListedPerson[]> {
  const memories = await listMemories(memoriesDir);
  const names = new Set<string>();
  const listed = await inSlices(known, (one) => {
    const person = formatPerson(one);
    names.add(person);
    return { person, ...one, memory: memories.has(one) };
  });
  const owners = memories.owners.filter(
    (owner) => !names.has(formatPerson(owner)) && (platform === undefined || owner.platform === platform),
  );
  const nothingElse = { names: [], sessions: 0, messages: 0, firstSeen: null, lastSeen: null, pairing: null };
  return [
    ...listed,
    ...owners.map((owner) => ({ person: formatPerson(owner), ...owner, ...nothingElse, memory: true })),
  ];
}
