import type { OpenOptions } from "../open.js";
import { toConversation } from "../shared/content.js";
import type {
  ExportedSession,
  ExportQuery,
  SearchOptions,
  SearchResult,
  SessionExport,
  Store,
} from "../store.js";
import type { Engine, ReadLimits } from "./engine.js";
import { maintenanceOf } from "./maintenance.js";
import { ThreadEngine } from "./threads.js";
import type { ExportCursor, ImportOutcome } from "./transfer.js";
import type { Verbs } from "./verbs.js";

export type { OpenOptions } from "../open.js";

/** Reads that a chat waits for never take seconds on a healthy machine. */
const LIMITS: ReadLimits = { shortMs: 10_000, longMs: 30_000, idleMs: 15_000 };

/** Includes engine-specific verbs beyond the contract, for tests and benchmarks. */
export type OpenedStore = Store & Omit<Verbs, keyof Store>;

/** Opens or creates `state.db`. */
export async function openStore(options: OpenOptions): Promise<OpenedStore> {
  const {
    path,
    threads = true,
    onProgress = () => undefined,
    foreign = "refuse",
    migrate = false,
    limits,
  } = options;
  const all = { path, foreign, mayMigrate: migrate, onProgress, limits: { ...LIMITS, ...limits } };
  const engine = threads ? await ThreadEngine.open(all) : await openInThread(all);
  return storeOn(engine, path);
}

/** Loaded on demand: with threads, only they need the verbs. */
async function openInThread(options: Parameters<typeof ThreadEngine.open>[0]): Promise<Engine> {
  const { InThreadEngine } = await import("./in-thread.js");
  return InThreadEngine.open(options);
}

function storeOn(engine: Engine, path: string): OpenedStore {
  const verbs = verbsOn(engine);
  return {
    ...verbs,
    getConversation: async (id) => toConversation(await verbs.getConversation(id)),
    searchMessages: (query, options) => searchMessages(verbs, query, options),
    pruneSessions: ({ dryRun, ...query }, onProgress) =>
      dryRun ? verbs.countPrunable(query) : verbs.pruneSessions(query, onProgress),
    exportSessions: (query) => exportOf(verbs, query),
    importSessions: (sessions) => importSessions(verbs, sessions),
    reports: verbs,
    maintenance: maintenanceOf(engine, verbs, path),
    close: () => engine.close(),
  };
}

/** Every verb becomes a function that calls the engine. */
function verbsOn(engine: Engine): Verbs {
  const names = Object.keys(engine.modes);
  const calls = names.map((verb) => [verb, (...args: unknown[]) => engine.call(verb, args)]);
  return Object.fromEntries(calls) as Verbs;
}

async function searchMessages(
  verbs: Verbs,
  query: string,
  { titles, ...options }: SearchOptions = {},
): Promise<SearchResult> {
  const titled = titles && (await verbs.findTitles(titles.containing, titles.limit));
  const found = await verbs.searchMessages(query, options);
  return titled ? { ...found, titles: titled } : found;
}

function exportOf(verbs: Verbs, query: ExportQuery = {}): SessionExport {
  return {
    total: () => verbs.countExport(query),
    [Symbol.asyncIterator]: () => exportSessions(verbs, query),
  };
}

async function* exportSessions(verbs: Verbs, query: ExportQuery): AsyncGenerator<ExportedSession> {
  let cursor: ExportCursor | undefined;
  do {
    const page: ExportedSession[] = await verbs.exportPage(query, cursor);
    yield* page;
    const last = page.at(-1);
    cursor = last && query.sessionId === undefined ? { started_at: last.started_at, id: last.id } : undefined;
  } while (cursor);
}

async function importSessions(
  verbs: Verbs,
  sessions: Iterable<ExportedSession> | AsyncIterable<ExportedSession>,
): Promise<{ imported: number; skipped: number }> {
  const total = { imported: 0, skipped: 0 };
  let orphans: ImportOutcome["orphans"] = [];
  for await (const batch of inBatches(sessions)) {
    const outcome = await verbs.importBatch(batch);
    total.imported += outcome.imported;
    total.skipped += outcome.skipped;
    orphans = orphans.concat(outcome.orphans);
  }
  if (orphans.length > 0) await verbs.linkParents(orphans);
  return total;
}

const BATCH_MESSAGES = 100;

/** Batches by messages, not sessions, to keep each transaction short. */
async function* inBatches(
  sessions: Iterable<ExportedSession> | AsyncIterable<ExportedSession>,
): AsyncGenerator<ExportedSession[]> {
  let batch: ExportedSession[] = [];
  let messages = 0;
  for await (const session of sessions) {
    batch.push(session);
    messages += session?.messages?.length ?? 0;
    if (messages < BATCH_MESSAGES) continue;
    yield batch;
    batch = [];
    messages = 0;
  }
  if (batch.length > 0) yield batch;
}
