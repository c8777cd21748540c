import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import { describeError } from "../../errors.js";
import type { Progress } from "../store.js";
import { connect, explainDamage } from "./connect.js";
import { defineInTime, withDeadline } from "./deadline.js";
import { explainFault, isBusy, isCorrupt } from "./faults.js";
import { checkForeign, notAdopted, standIn } from "./foreign.js";
import { GroupCommit, isGenerator, type Job, retryDelayMs } from "./group-commit.js";
import { checkpoint } from "./optimize.js";
import { prepare } from "./prepare.js";
import { type Call, CHECKPOINT_DUE, type Reply, type WorkerOptions } from "./thread.js";
import {
  aloneVerbs,
  bulkReadVerbs,
  longReadVerbs,
  lookVerbs,
  maintenanceVerbs,
  readVerbs,
  writeVerbs,
} from "./verbs.js";

/** A thread with one connection: calls in, replies out. The writer groups them, the reader answers one by one. */
const port = parentPort!;
const { role, path, foreign = "refuse" } = workerData as WorkerOptions;

type Verb = (db: Database, ...args: unknown[]) => unknown;
type Verbs = Record<string, Verb>;

let replies: Reply[] = [];

/** Replies of one group travel together. */
function reply(message: Reply): void {
  if (replies.push(message) > 1) return;
  queueMicrotask(() => {
    port.postMessage(replies);
    replies = [];
  });
}

/** At once: work that never pauses has no moment for a queue. */
function tell(id: number, progress: Progress): void {
  port.postMessage([{ id, progress }] satisfies Reply[]);
}

const fail = (id: number, error: unknown) => {
  const cause = explainFault(error, path);
  reply({ id, error: { ...describeError(cause), stack: error instanceof Error ? error.stack : undefined } });
};

/**
 * Even a look at the file can meet a lock: another process may be recovering it, or closing it as the last. Undefined for the
 * writer of a file that isn't ours to write.
 */
async function open(): Promise<Database | undefined> {
  let db: Database | undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      if (role === "writer" && !db && checkForeign(path, foreign)) return undefined;
      db ??= connect(path, { readonly: role === "reader" });
      if (role === "writer") prepare(db, path, (progress) => tell(0, progress));
      if (role === "reader") standIn(db, path);
      return db;
    } catch (error) {
      if (!isBusy(error)) {
        db?.close();
        throw isCorrupt(error) ? (explainDamage(path) ?? error) : error;
      }
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs(tries)));
    }
  }
}

function serveWrites(db: Database): (call: Call) => void {
  const verbs = { ...writeVerbs, ...aloneVerbs } as Verbs;
  const commits = new GroupCommit(db, (due) => reply({ id: CHECKPOINT_DUE, value: due }));
  const toJob = ({ id, verb, args }: Call): Job => ({
    work: () => verbs[verb]!(db, ...args),
    alone: verb in aloneVerbs,
    resolve: (value) => reply({ id, value }),
    reject: (error) => fail(id, error),
    progress: (progress) => reply({ id, progress }),
  });
  return (first) => {
    const calls = [first, ...waitingCalls()];
    const last = calls.find(({ verb }) => verb === "close");
    const asked = calls.filter(({ verb }) => verb === "writerStats");
    commits.add(...calls.filter((call) => call !== last && !asked.includes(call)).map(toJob));
    // At once, also while writes wait for a lock.
    for (const { id } of asked) reply({ id, value: commits.stats() });
    if (last) void commits.end().then(() => close(db, last.id));
  };
}

/** Nothing is written to a file that was not adopted. */
function refuseWrites({ id, verb }: Call): void {
  if (verb === "close") {
    reply({ id, value: undefined });
    queueMicrotask(() => port.close());
  } else fail(id, notAdopted(path));
}

/** Calls that came with the one that woke us. */
function* waitingCalls(): Generator<Call> {
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) yield next.message;
}

const reads = { ...readVerbs, ...longReadVerbs, ...bulkReadVerbs, ...lookVerbs };

function serveReads(db: Database): (call: Call) => void {
  const known = role === "checkpointer" ? { checkpoint } : { ...atOneMoment(db, reads), ...maintenanceVerbs };
  const verbs = known as unknown as Verbs;
  defineInTime(db);
  return ({ id, verb, args, deadline }) => {
    if (verb === "close") return close(db, id);
    try {
      const value = withDeadline(verb, deadline, () => finish(id, verbs[verb]!(db, ...args)));
      if (value instanceof Promise) replyLater(id, value);
      else reply({ id, value });
    } catch (error) {
      fail(id, error);
    }
  };
}

/** All statements of a read see the same state, and the locks are taken once: a search is a hundred statements. */
function atOneMoment(db: Database, reads: object): Verbs {
  const one = db.transaction((verb: Verb, args: unknown[]) => verb(db, ...args));
  const entries = Object.entries(reads as Verbs);
  return Object.fromEntries(entries.map(([name, verb]) => [name, (_, ...args) => one(verb, args)]));
}

function replyLater(id: number, result: Promise<unknown>): void {
  result.then(
    (value) => reply({ id, value }),
    (error: unknown) => fail(id, error),
  );
}

/** Maintenance runs to its end, telling how far they are. */
function finish(id: number, result: unknown): unknown {
  if (!isGenerator(result)) return result;
  for (let step = result.next(); ; step = result.next()) {
    if (step.done) return step.value;
    tell(id, step.value);
  }
}

function close(db: Database, id: number): void {
  db.close();
  reply({ id, value: undefined });
  queueMicrotask(() => port.close());
}

try {
  const db = await open();
  port.on("message", !db ? refuseWrites : role === "writer" ? serveWrites(db) : serveReads(db));
  reply({ id: 0, value: undefined });
} catch (error) {
  fail(0, error);
}
