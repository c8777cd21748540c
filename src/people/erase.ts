/** Deletes what is kept of a person, from the command line or the dashboard. */
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

interface Found {
  plan: ErasurePlan;
  files: PersonFiles;
}

export interface Erasure extends Found {
  counts: ErasureCounts;
  left: LeftAlone;
  /** Only the bytes of the file are left to clean. */
  isNothing: boolean;
}

/** What an erasure would do. Throws if nothing is kept of this person, and nothing of others is left to clean. */
export async function planErasure(store: Store, person: Person, home: HomeState): Promise<Erasure> {
  const found = await look(store, person, home.paths);
  const isNothing = isEmpty(found);
  if (isNothing && !(await store.maintenance.scrubDue())) throw unknownPerson(person);
  const left = await leftAlone(person, found.plan, home);
  return { ...found, counts: countsOf(found.plan, found.files), left, isNothing };
}

/** A running turn could still store what it has read. */
export function isBusy({ plan }: Erasure, { bootId }: HomeState): boolean {
  return Boolean(bootId) && plan.running.some((turn) => turn.bootId === bootId);
}

export function requireQuiet(erasure: Erasure, home: HomeState): void {
  if (!isBusy(erasure, home)) return;
  throw new HermesError("conflict", "The agent is currently answering this person.", {
    hint: "Try again after the answer is sent, or ask them to send /stop.",
  });
}

export interface Working {
  /** Runs one step of the work, which reports how far it is. */
  step<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T>;
  /** The file stays in use: it isn't rewritten as a whole. */
  inUse?: boolean;
}

/** If it is cut off, the next run completes it. */
export async function carryOut(
  store: Store,
  erasure: Erasure,
  { paths }: HomeState,
  { step, inUse = false }: Working,
): Promise<Scrubbed> {
  await untilNothingIsLeft(store, erasure, paths, step);
  await writeIndex(store, paths, erasure.left.gatewayRuns);
  await removeLeftovers(paths.home, { maxWaitMs: LEFTOVERS_MS });
  removeLogLines(paths.logsDir, erasure.plan.ids);
  return step((onProgress) => store.maintenance.scrub(onProgress, { inUse }));
}

async function look(store: Store, person: Person, paths: HomePaths): Promise<Found> {
  const plan = await store.planErasure(person);
  return { plan, files: await filesOf(plan, paths) };
}

function isEmpty({ plan, files }: Found): boolean {
  return isNobody(plan) && files.memories.length + files.history.length === 0;
}

/** Temporary files of recently killed processes can't be distinguished from those of running ones yet. */
const LEFTOVERS_MS = 15_000;
const MAX_ROUNDS = 3;

/** Repeats the search to find data that arrived in the meantime. */
async function untilNothingIsLeft(
  store: Store,
  first: Found,
  paths: HomePaths,
  step: Working["step"],
): Promise<void> {
  let found = first;
  for (let round = 1; round <= MAX_ROUNDS && !isEmpty(found); round += 1) {
    await eraseOnce(store, found, paths, step);
    found = await look(store, first.plan.person, paths);
  }
}

/** Deletes files first, because the rows that go next contain their paths, and authorship last, because it shows what is left. */
async function eraseOnce(
  store: Store,
  { plan, files }: Found,
  { sessionsDir: dir }: HomePaths,
  step: Working["step"],
): Promise<void> {
  await removeFiles(files);
  await step((onProgress) => store.erasePerson(plan, "data", onProgress));
  const written = new Transcripts({ dir });
  await written.tidy(store);
  for (const { id } of plan.shared) {
    await written.rebuild(store, id);
    await written.repair(store, id);
  }
  await store.erasePerson(plan, "marks");
}
