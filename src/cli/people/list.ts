import { Command } from "commander";
import { nowSeconds } from "../../clock.js";
import { homePaths, resolveHome } from "../../config/paths.js";
import type { KnownPerson } from "../../store/people.js";
import { memoryFile, memoryOwners } from "../../tools/memory-files.js";
import { drawColumns } from "../columns.js";
import { io } from "../io.js";
import { withStore } from "../open.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { relativeTime } from "../times.js";
import { isThere } from "./files.js";
import { formatPerson } from "./person.js";

interface ListOptions {
  platform?: string;
  json?: boolean;
}

export function listCommand(): Command {
  return new Command("list")
    .description("List everyone with stored data")
    .option("--platform <name>", "only those on this platform")
    .addOption(jsonOption())
    .action(list);
}

export type ListedPerson = KnownPerson & { person: string; memory: boolean };

async function list({ platform, json }: ListOptions): Promise<void> {
  const known = await withStore<KnownPerson[]>(
    (store) => store.listPeople(platform),
    () => [],
  );
  const people = await withMemories(known, platform);
  if (json) printJson(people);
  else print(people.length === 0 ? "No people are known yet." : table(people));
}

/** Notes about a person may be older than everything else that is kept of them. */
async function withMemories(known: readonly KnownPerson[], platform?: string): Promise<ListedPerson[]> {
  const { memoriesDir } = homePaths(resolveHome(io().env));
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

const COLUMNS = [
  { header: "Person", width: 30 },
  { header: "Name", width: 22, cut: 20 },
  { header: "Sessions", width: 9 },
  { header: "Messages", width: 9 },
  { header: "First seen", width: 12 },
  { header: "Last seen", width: 12 },
  { header: "Also", width: 0 },
];

function table(people: readonly ListedPerson[]): string {
  const now = nowSeconds();
  const rows = people.map(({ person, names, sessions, messages, firstSeen, lastSeen, pairing, memory }) => [
    person,
    names[0] ?? "—",
    String(sessions),
    String(messages),
    relativeTime(firstSeen, now),
    relativeTime(lastSeen, now),
    [pairing && `pairing ${pairing}`, memory && "memory"].filter(Boolean).join(", "),
  ]);
  return drawColumns(COLUMNS, rows, 110);
}
