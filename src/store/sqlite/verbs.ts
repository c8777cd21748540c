import type { Database } from "better-sqlite3";
import type { OnProgress, Progress } from "../store.js";
import * as check from "./check.js";
import * as deletion from "./delete.js";
import * as lineage from "./lineage.js";
import * as list from "./list.js";
import * as messages from "./messages.js";
import * as optimize from "./optimize.js";
import * as peopleErase from "./people/erase.js";
import * as people from "./people/index.js";
import * as peopleList from "./people/list.js";
import * as prepare from "./prepare.js";
import * as prune from "./prune.js";
import * as queuesAcceptTurn from "./queues/accept-turn.js";
import * as queuesAdopt from "./queues/adopt.js";
import * as queuesAttempts from "./queues/attempts.js";
import * as queuesBacklog from "./queues/backlog.js";
import * as queuesChanges from "./queues/changes.js";
import * as queuesConversations from "./queues/conversations.js";
import * as queuesDue from "./queues/due.js";
import * as queuesInbox from "./queues/inbox.js";
import * as queuesListRoutes from "./queues/list-routes.js";
import * as queuesOutbox from "./queues/outbox.js";
import * as queuesPairing from "./queues/pairing.js";
import * as queuesPlatforms from "./queues/platforms.js";
import * as queuesPreviews from "./queues/previews.js";
import * as queuesQuestions from "./queues/questions.js";
import * as queuesRecord from "./queues/record.js";
import * as queuesRecords from "./queues/records.js";
import * as queuesRetry from "./queues/retry.js";
import * as queuesRoutes from "./queues/routes.js";
import * as queuesSchedules from "./queues/schedules.js";
import * as queuesSteps from "./queues/steps.js";
import * as queuesTranscripts from "./queues/transcripts.js";
import * as queuesTurns from "./queues/turns.js";
import * as reportsActivity from "./reports/activity.js";
import * as reportsAudit from "./reports/audit.js";
import * as reportsBrowse from "./reports/browse.js";
import * as reportsQueues from "./reports/queues.js";
import * as reportsTranscript from "./reports/transcript.js";
import * as reportsUsage from "./reports/usage.js";
import * as salvage from "./salvage.js";
import * as search from "./search.js";
import * as sessions from "./sessions.js";
import * as stats from "./stats.js";
import * as titles from "./titles.js";
import * as transfer from "./transfer.js";
import type { Declared, Mode } from "./verb.js";

const modules = {
  ...check,
  ...deletion,
  ...lineage,
  ...list,
  ...messages,
  ...optimize,
  ...peopleErase,
  ...people,
  ...peopleList,
  ...prepare,
  ...prune,
  ...queuesAcceptTurn,
  ...queuesAdopt,
  ...queuesAttempts,
  ...queuesBacklog,
  ...queuesChanges,
  ...queuesConversations,
  ...queuesDue,
  ...queuesInbox,
  ...queuesListRoutes,
  ...queuesOutbox,
  ...queuesPairing,
  ...queuesPlatforms,
  ...queuesPreviews,
  ...queuesQuestions,
  ...queuesRecord,
  ...queuesRecords,
  ...queuesRetry,
  ...queuesRoutes,
  ...queuesSchedules,
  ...queuesSteps,
  ...queuesTranscripts,
  ...queuesTurns,
  ...reportsAudit,
  ...reportsActivity,
  ...reportsBrowse,
  ...reportsQueues,
  ...reportsTranscript,
  ...reportsUsage,
  ...salvage,
  ...search,
  ...sessions,
  ...stats,
  ...titles,
  ...transfer,
};

type Modules = typeof modules;
type Names = { [K in keyof Modules]: Modules[K] extends Declared ? K : never }[keyof Modules];

/** Every verb that these modules declare, by its name. */
export const verbs = Object.fromEntries(
  Object.entries(modules).filter(([, value]) => isDeclared(value)),
) as unknown as Pick<Modules, Names>;

function isDeclared(value: unknown): value is Declared {
  return typeof value === "function" && "mode" in value;
}

export type Modes = Readonly<Record<string, Mode>>;

export const modes: Modes = Object.fromEntries(
  Object.entries<Declared>(verbs).map(([name, { mode }]) => [name, mode]),
);

type Result<R> = R extends Generator<unknown, infer T> ? T : Awaited<R>;
type Arguments<F> = F extends (db: Database, ...args: infer A) => infer R
  ? [R] extends [Generator<Progress>]
    ? [...A, onProgress?: OnProgress]
    : F extends { mode: "earlyWrite" }
      ? [...A, onEarly?: ((result: R) => void) | undefined]
      : A
  : never;

/** The verbs as their callers see them, wherever they run. */
export type Verbs = {
  [K in Names]: Modules[K] extends (db: Database, ...args: never[]) => infer R
    ? (...args: Arguments<Modules[K]>) => Promise<Result<R>>
    : never;
};
