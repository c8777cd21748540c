import { Command } from "commander";
import { homePaths, resolveHome } from "../../config/paths.js";
import type { Person } from "../../message.js";
import { archiveName, taken, writeArchive } from "../../people/archive.js";
import { fileExists } from "../../people/files.js";
import { explained } from "../../whole-file.js";
import { fromCwd, io } from "../io.js";
import { counted, dataSize } from "../numbers.js";
import { noDatabase, withStore } from "../open.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { parsePerson } from "./parse-person.js";

interface ExportOptions {
  to?: string;
  json?: boolean;
}

const HELP = `
Writes one .tar.gz for its owner alone: sessions of theirs whole (sessions.jsonl, as \`hermes sessions import\` reads it),
of sessions with others only what they wrote (shared.jsonl), their rows in the queues, pairing and schedules
(queues.json), the agent's notes about them (memory/) and files (media/). An existing file is never replaced.`;

export function exportCommand(): Command {
  return new Command("export")
    .description("Write everything stored about a person into one file")
    .argument("<person>", "<platform>:<user>", parsePerson)
    .option("--to <file>", "where to (default: here, named after the person and the time)")
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(exportPerson);
}

async function exportPerson(person: Person, options: ExportOptions): Promise<void> {
  const target = fromCwd(options.to ?? archiveName(person));
  if (await fileExists(target)) throw taken(target);
  const paths = homePaths(resolveHome(io().env));
  const exported = await withStore(
    (store) =>
      writeArchive(store, person, target, paths).catch((error) => Promise.reject(explained(error, target))),
    noDatabase,
  );
  if (options.json) return printJson(exported);
  const { sessions, messages, sharedSessions, sharedMessages, bytes } = exported;
  print(`Wrote ${target} (${dataSize(bytes)}).`);
  print(`${counted(sessions, "session")} of theirs with ${counted(messages, "message")};`);
  print(
    `of ${counted(sharedSessions, "session")} with others only the ${sharedMessages} messages that they wrote.`,
  );
}
