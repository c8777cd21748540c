import { Command } from "commander";
import { loadConfig } from "../../config/load.js";
import { homePaths, resolveHome } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import type { Person } from "../../message.js";
import { planErasure, requireIdle, runErasure } from "../../people/erase.js";
import type { HomeState } from "../../people/left-alone.js";
import { formatPerson } from "../../people/person.js";
import { probesFor, type Trace, traces } from "../../people/traces.js";
import type { ErasureCounts, LeftAlone } from "../../people/types.js";
import type { Scrubbed } from "../../store/maintenance.js";
import { membershipOf } from "../../store/open.js";
import type { Store } from "../../store/store.js";
import { confirmed } from "../ask.js";
import { io } from "../io.js";
import { noDatabase, withStore } from "../open.js";
import { jsonOption, yesOption } from "../options.js";
import { print, printJson } from "../output.js";
import { withProgress } from "../progress.js";
import { parsePerson } from "./parse-person.js";
import { drawLeft, drawPlan, drawScrubbed } from "./report.js";

interface EraseOptions {
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

const HELP = `
Deletes the sessions that are theirs alone with everything in them, their messages in the queues, the agent's notes about
them, files, pairing, schedules, and lines of the gateway's log with their id. In sessions with others, their messages and
the answers to them become "[erased]"; what others wrote stays, except quotes of them. Backups, the configuration and other
logs are not touched: the report names what may still contain their data. The gateway can keep running. If a run is
interrupted, run it again.
docs/people.md has the details.`;

export function eraseCommand(): Command {
  return new Command("erase")
    .description("Delete a person's data, and redact it in sessions shared with others")
    .argument("<person>", "<platform>:<user>", parsePerson)
    .option("--dry-run", "only show what would be done")
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(erase);
}

export interface ErasureReport {
  person: string;
  erased: boolean;
  counts: ErasureCounts;
  left: LeftAlone;
  scrubbed: Scrubbed | null;
  /** How many of their messages the files were searched for, and where some were found. */
  traces: { looked: number; found: Trace[] } | null;
}

async function erase(person: Person, options: EraseOptions): Promise<void> {
  const home = await homeState();
  const done = await withStore((store) => eraseWith(store, person, home, options), noDatabase);
  if (!done) return;
  // Only now: the file must not be opened beside our own connections.
  const found = done.scrubbed ? await traces(home.paths, done.probes) : null;
  const { probes, ...report } = { ...done, traces: found && { looked: done.probes.length, found } };
  if (options.json) printJson(report);
  else if (report.erased) print(drawScrubbed(report));
}

async function homeState(): Promise<HomeState> {
  const paths = homePaths(resolveHome(io().env));
  const { running, info } = await membershipOf(paths.home).state();
  return { paths, config: configOf(paths.home), bootId: running ? (info?.boot_id ?? null) : undefined };
}

/** An invalid configuration must not block an erasure. */
function configOf(home: string): Config | undefined {
  try {
    return loadConfig({ home, env: io().env }).config;
  } catch {
    return undefined;
  }
}

type Done = Omit<ErasureReport, "traces"> & { probes: Buffer[] };

async function eraseWith(
  store: Store,
  person: Person,
  home: HomeState,
  options: EraseOptions,
): Promise<Done | undefined> {
  const erasure = await planErasure(store, person, home, options.dryRun ? undefined : "rows");
  const { plan, counts, left } = erasure;
  const about = { person: formatPerson(person), counts, left };
  if (!options.json) print(`${drawPlan(about.person, counts, plan)}\n${drawLeft(left)}`);
  if (options.dryRun) return { ...about, erased: false, scrubbed: null, probes: [] };
  requireIdle(erasure, home);
  const question = `Erase ${about.person}? This can't be undone.`;
  if (!erasure.nothingStored && !(await confirmed(question, options))) return undefined;
  const probes = await probesFor(store, plan);
  const scrubbed = await runErasure(store, erasure, home, { step: withProgress });
  return { ...about, erased: true, scrubbed, probes };
}
