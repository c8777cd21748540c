import { Command } from "commander";
import { nowSeconds } from "../../clock.js";
import { homePaths, resolveHome } from "../../config/paths.js";
import { withMemories } from "../../people/list.js";
import type { ListedPerson } from "../../people/types.js";
import type { KnownPerson } from "../../store/people.js";
import { drawColumns } from "../columns.js";
import { io } from "../io.js";
import { withStore } from "../open.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { relativeTime } from "../times.js";

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

async function list({ platform, json }: ListOptions): Promise<void> {
  const known = await withStore<KnownPerson[]>(
    (store) => store.listPeople(platform),
    () => [],
  );
  const { memoriesDir } = homePaths(resolveHome(io().env));
  const people = await withMemories(known, memoriesDir, platform);
  if (json) printJson(people);
  else print(people.length === 0 ? "No people are known yet." : table(people));
}

const COLUMNS = [
  { header: "Person", width: 30, min: 20 },
  { header: "Name", width: 22, cut: 20, min: 4 },
  { header: "Sessions", width: 9 },
  { header: "Messages", width: 9 },
  { header: "First seen", width: 12 },
  { header: "Last seen", width: 12 },
  { header: "Also", width: 0, min: 4 },
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
