/** People approved by Hermes Agent: `platforms/pairing/<platform>-approved.json`, in older homes `pairing/…`. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readRegular } from "../../regular-file.js";
import type { ApprovedRow } from "../../store/queues.js";

export interface PairingFiles {
  people: ApprovedRow[];
  /** Invalid files and entries. */
  problems: string[];
}

export const PAIRING_FOLDERS = ["platforms/pairing", "pairing"] as const;
const APPROVED = /^([a-z][a-z0-9_]*)-approved\.json$/;

export async function readPairingFiles(home: string): Promise<PairingFiles> {
  const found: PairingFiles = { people: [], problems: [] };
  for (const folder of PAIRING_FOLDERS) {
    const names = await readdir(join(home, folder)).catch(() => [] as string[]);
    for (const name of names.toSorted()) {
      const platform = APPROVED.exec(name)?.[1];
      if (platform === undefined) continue;
      const { people, problems } = approvedIn(
        platform,
        (await readRegular(join(home, folder, name))).toString(),
      );
      found.people.push(...people);
      found.problems.push(...problems.map((problem) => `${folder}/${name}: ${problem}`));
    }
  }
  return { ...found, people: latest(found.people) };
}

/** A map of user ids. People without a time come first. */
export function approvedIn(platform: string, text: string): PairingFiles {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return { people: [], problems: [`can't be read: ${(error as Error).message}`] };
  }
  if (!isObject(parsed)) return { people: [], problems: ["doesn't contain a JSON object"] };
  const found: PairingFiles = { people: [], problems: [] };
  for (const [userId, entry] of Object.entries(parsed)) {
    if (userId === "" || !isObject(entry)) {
      found.problems.push(`${JSON.stringify(userId)} is invalid`);
      continue;
    }
    const { user_name: name, approved_at: at } = entry;
    const userName = typeof name === "string" && name !== "" ? name : null;
    const approvedAt = typeof at === "number" && Number.isFinite(at) ? at : 0;
    found.people.push({ platform, userId, userName, approvedAt });
  }
  return found;
}

/** Both folders may name the same person. */
function latest(people: readonly ApprovedRow[]): ApprovedRow[] {
  const byName = new Map<string, ApprovedRow>();
  for (const person of people) {
    const name = `${person.platform}:${person.userId}`;
    const known = byName.get(name);
    if (known === undefined || known.approvedAt < person.approvedAt) byName.set(name, person);
  }
  return [...byName.values()];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
