import { Command } from "commander";
import { type HomePaths, homePaths, resolveHome } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { removeLeftovers } from "../../leftovers.js";
import { removeLogLines } from "../../log-file.js";
import type { Person } from "../../message.js";
import type { Scrubbed } from "../../store/maintenance.js";
import { type ErasurePlan, isNobody } from "../../store/people.js";
import type { Store } from "../../store/store.js";
import { confirmed } from "../ask.js";
import { io } from "../io.js";
import { noDatabase, transcripts, withStore } from "../open.js";
import { jsonOption, yesOption } from "../options.js";
import { print, printJson } from "../output.js";
import { withProgress } from "../progress.js";
import { filesOf, type PersonFiles, removeFiles } from "./files.js";
import { writeIndex } from "./index-file.js";
import { type LeftAlone, leftAlone } from "./left-alone.js";
import { formatPerson, parsePerson, unknownPerson } from "./person.js";
import { countsOf, drawLeft, drawPlan, drawScrubbed, type ErasureCounts } from "./report.js";
import { probesFor, type Trace, traces } from "./traces.js";

interface EraseOptions {
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

const HELP = `
Sessions that are theirs alone go, with everything that came of them, and so do their messages in the queues, the
agent's notes about them, files, pairing and schedules. In sessions with others their messages and the answers to them
become "[erased]"; what others wrote stays, but for quotes of them. Lines of the gateway's log with their id go, too. Backups, the
configuration and other logs are not touched: the report names what may still hold something. The gateway needn't stop. A second run completes one that was cut off.
docs/people.md has the details.`;

export function eraseCommand(): Command {
  return new Command("erase")
    .description("Delete what is kept of a person; in sessions with others, redact it")
    .argument("<person>", "<platform>:<user>", parsePerson)
    .option("--dry-run", "only show what would be done")
    .addOption(yesOption())
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(erase);
}

interface Found {
  plan: ErasurePlan;
  files: PersonFiles;
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
  const paths = homePaths(resolveHome(io().env));
  const done = await withStore((store) => eraseWith(store, person, paths, options), noDatabase);
  if (!done) return;
  // Only now: the file must not be opened beside our own connections.
  const found = done.scrubbed ? await traces(paths, done.probes) : null;
  const { probes, ...report } = { ...done, traces: found && { looked: done.probes.length, found } };
  if (options.json) printJson(report);
  else if (report.erased) print(drawScrubbed(report));
}

type Done = Omit<ErasureReport, "traces"> & { probes: Buffer[] };

async function eraseWith(
  store: Store,
  person: Person,
  paths: HomePaths,
  options: EraseOptions,
): Promise<Done | undefined> {
  const found = await look(store, person, paths);
  const nothing = isEmpty(found);
  if (nothing && !(await store.maintenance.scrubDue())) throw unknownPerson(person);
  const left = await leftAlone(person, found.plan, paths);
  const about = { person: formatPerson(person), counts: countsOf(found.plan, found.files), left };
  if (!options.json) print(`${drawPlan(about.person, about.counts, found.plan)}\n${drawLeft(left)}`);
  if (options.dryRun) return { ...about, erased: false, scrubbed: null, probes: [] };
  await requireQuiet(found.plan, left);
  if (!nothing && !(await confirmed(`Erase ${about.person}? This can't be taken back.`, options)))
    return undefined;
  const probes = await probesFor(store, found.plan);
  await untilNothingIsLeft(store, found, paths);
  await writeIndex(store, paths, left.gatewayRuns);
  await removeLeftovers(paths.home, { maxWaitMs: LEFTOVERS_MS });
  removeLogLines(paths.logsDir, found.plan.ids);
  const scrubbed = await withProgress((onProgress) => store.maintenance.scrub(onProgress));
  return { ...about, erased: true, scrubbed, probes };
}

async function look(store: Store, person: Person, paths: HomePaths): Promise<Found> {
  const plan = await store.planErasure(person);
  return { plan, files: await filesOf(plan, paths) };
}

function isEmpty({ plan, files }: Found): boolean {
  return isNobody(plan) && files.memories.length + files.history.length === 0;
}

/** A running turn could still store what it has read. */
async function requireQuiet({ running }: ErasurePlan, { bootId }: LeftAlone): Promise<void> {
  if (!running.some((turn) => turn.bootId === bootId && bootId !== null)) return;
  throw new HermesError("conflict", "The agent is answering this person at the moment.", {
    hint: "Try again when the answer is out, or let them send /stop.",
  });
}

/** Temporary files of processes that were killed a moment ago can't be told yet from those of running ones. */
const LEFTOVERS_MS = 15_000;
const MAX_ROUNDS = 3;

/** What came while it went is found by looking again. */
async function untilNothingIsLeft(store: Store, first: Found, paths: HomePaths): Promise<void> {
  let found = first;
  for (let round = 1; round <= MAX_ROUNDS && !isEmpty(found); round += 1) {
    await eraseOnce(store, found);
    found = await look(store, first.plan.person, paths);
  }
}

/** Files first: their paths are in the rows that go next. Authorship last: it shows that something is left. */
async function eraseOnce(store: Store, { plan, files }: Found): Promise<void> {
  await removeFiles(files);
  await withProgress((onProgress) => store.erasePerson(plan, "data", onProgress));
  const written = await transcripts();
  await written.tidy(store);
  for (const { id } of plan.shared) {
    await written.rebuild(store, id);
    await written.repair(store, id);
  }
  await store.erasePerson(plan, "marks");
}
