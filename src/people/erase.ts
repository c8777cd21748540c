/** Deletes all data of a person, for the command line and the dashboard. */
import type { HomePaths } from "../config/paths.js";
import { HermesError } from "../errors.js";
import { removeLeftovers } from "../leftovers.js";
import { removeLogLines } from "../log-file.js";
import type { Person } from "../message.js";
import { Transcripts } from "../sessions/transcript.js";
import type { Scrubbed } from "../store/maintenance.js";
import { type ErasurePlan, isNobody } from "../store/people.js";
import type { OnProgress, Store } from "../store/store.js";
import { countsOf } from "./counts.js";
import { filesOf, type PersonFiles, removeFiles } from "./files.js";
import { writeIndex } from "./index-file.js";
import { type HomeState, leftAlone } from "./left-alone.js";
import { unknownPerson } from "./person.js";
import type { ErasureCounts, LeftAlone } from "./types.js";

interface PersonData {
  plan: ErasurePlan;
  files: PersonFiles;
}

export interface Erasure extends PersonData {
  counts: ErasureCounts;
  left: LeftAlone;
  /** The person has no data, but the database file still has to be scrubbed after an earlier erasure. */
  nothingStored: boolean;
}

/** What an erasure would do. Throws if the person has no data and no scrub is due. */
export async function planErasure(
  store: Store,
  person: Person,
  home: HomeState,
  including?: "rows",
): Promise<Erasure> {
  const data = await findData(store, person, home.paths, including);
  const nothingStored = isEmpty(data);
  if (nothingStored && !(await store.maintenance.scrubDue())) throw unknownPerson(person);
  const left = await leftAlone(person, data.plan, home);
  return { ...data, counts: countsOf(data.plan, data.files), left, nothingStored };
}

/** Whether the agent is answering the person: a running turn could store erased text again. */
export function isBusy({ plan }: Erasure, { bootId }: HomeState): boolean {
  return Boolean(bootId) && plan.running.some((turn) => turn.bootId === bootId);
}

export function requireIdle(erasure: Erasure, home: HomeState): void {
  if (!isBusy(erasure, home)) return;
  throw new HermesError("conflict", "The agent is currently answering this person.", {
    hint: "Try again after the answer is sent, or ask them to send /stop.",
  });
}

export interface ErasureOptions {
  /** Runs one step of the work, which reports its progress. */
  step<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T>;
  /** A gateway uses the database file, so it isn't rewritten as a whole. */
  inUse?: boolean;
}

/** If it is interrupted, the next run completes it. */
export async function runErasure(
  store: Store,
  erasure: Erasure,
  { paths }: HomeState,
  { step, inUse = false }: ErasureOptions,
): Promise<Scrubbed> {
  await eraseData(store, erasure, paths, step);
  await writeIndex(store, paths, erasure.left.gatewayRuns);
  await removeLeftovers(paths.home, { maxWaitMs: LEFTOVERS_MS });
  removeLogLines(paths.logsDir, erasure.plan.ids);
  return step((onProgress) => store.maintenance.scrub(onProgress, { inUse }));
}

async function findData(
  store: Store,
  person: Person,
  paths: HomePaths,
  including?: "rows",
): Promise<PersonData> {
  const plan = await store.planErasure(person, including);
  return { plan, files: await filesOf(plan, paths) };
}

function isEmpty({ plan, files }: PersonData): boolean {
  return isNobody(plan) && files.memories.length + files.history.length === 0;
}

/** How long to wait until temporary files are old enough to belong to killed processes. */
const LEFTOVERS_MS = 15_000;
const MAX_ROUNDS = 3;

/** Repeats the search to find data that arrived in the meantime. */
async function eraseData(
  store: Store,
  first: PersonData,
  paths: HomePaths,
  step: ErasureOptions["step"],
): Promise<void> {
  let data = first;
  for (let round = 1; round <= MAX_ROUNDS && !isEmpty(data); round += 1) {
    await eraseOnce(store, data, paths, step);
    data = await findData(store, first.plan.person, paths);
  }
}

/** Deletes files first, because rows have their paths, and authorship last, because it shows what is left. */
async function eraseOnce(
  store: Store,
  { plan, files }: PersonData,
  { sessionsDir: dir }: HomePaths,
  step: ErasureOptions["step"],
): Promise<void> {
  await removeFiles(files);
  await step((onProgress) => store.erasePerson(plan, "data", onProgress));
  const transcripts = new Transcripts({ dir });
  await transcripts.tidy(store);
  for (const { id } of plan.shared) {
    await transcripts.rebuild(store, id);
    await transcripts.repair(store, id);
  }
  await store.erasePerson(plan, "marks");
}
