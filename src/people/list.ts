import { inSlices } from "../slices.js";
import type { KnownPerson } from "../store/people.js";
import { listMemories } from "../tools/memory-files.js";
import { formatPerson } from "./person.js";
import type { ListedPerson } from "./types.js";

/** Adds whether there are notes about each person, and people about whom there are only notes. */
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
  const noOtherData = { names: [], sessions: 0, messages: 0, firstSeen: null, lastSeen: null, pairing: null };
  return [
    ...listed,
    ...owners.map((owner) => ({ person: formatPerson(owner), ...owner, ...noOtherData, memory: true })),
  ];
}
