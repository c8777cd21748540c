import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Database } from "better-sqlite3";
import type { Progress } from "../store.js";
import { answerRead, verbNamed } from "./answer-read.js";
import { notAdopted } from "./foreign.js";
import { GroupCommit, type Job, waitMsOf } from "./group-commit.js";
import { openCheckpointer, openReader, openWriter } from "./opening.js";
import { checkpoint } from "./optimize.js";
import { type Call, CHECKPOINT_DUE, type Reply, type WorkerOptions } from "./thread.js";
import { modes } from "./verbs.js";
import { toWire } from "./wire-error.js";

/** A thread with one connection. The writer groups calls, the reader answers one by one. */
const port = parentPort!;
const { role, path, foreign = "refuse", mayMigrate = false } = workerData as WorkerOptions;

let replies: Reply[] = [];

/** Replies of one group are sent together. */
function reply(message: Reply): void {
  if (replies.push(message) === 1) queueMicrotask(sendReplies);
}

function sendReplies(): void {
  if (replies.length === 0) return;
  port.postMessage(replies);
  replies = [];
}

/** Sent immediately: work that never pauses wouldn't flush a queue. */
function tell(id: number, progress: Progress): void {
  port.postMessage([{ id, progress }] satisfies Reply[]);
}

const fail = (id: number, error: unknown) => reply({ id, error: toWire(error, path) });

function serveWrites(db: Database): (call: Call) => void {
  const commits = new GroupCommit(db, (due) => reply({ id: CHECKPOINT_DUE, value: due }), sendReplies);
  const toJob = ({ id, verb, args, early }: Call): Job => {
    const work = verbNamed(verb) as unknown as (db: Database, ...args: unknown[]) => unknown;
    const isEarly = early === true && modes[verb] === "earlyWrite";
    return {
      work: () => work(db, ...args),
      alone: modes[verb] === "exclusive",
      waitMs: waitMsOf(modes[verb]),
      ...(isEarly ? { early: (value) => reply({ id, early: value }) } : {}),
      resolve: (value) => reply(isEarly ? { id, committed: true } : { id, value }),
      reject: (error) => fail(id, error),
      progress: (progress) => reply({ id, progress }),
    };
  };
  return (first) => {
    const calls = [first, ...waitingCalls()];
    const last = calls.find(({ verb }) => verb === "close");
    const asked = calls.filter(({ verb }) => verb === "writerStats");
    commits.add(...calls.filter((call) => call !== last && !asked.includes(call)).map(toJob));
    // Immediately, even while writes wait for a lock.
    for (const { id } of asked) reply({ id, value: commits.stats() });
    if (last) void commits.end().then(() => close(db, last.id));
  };
}

/** Never writes to a file that wasn't adopted. */
function refuseWrites({ id, verb }: Call): void {
  if (verb === "close") {
    reply({ id, value: undefined });
    queueMicrotask(() => port.close());
  } else fail(id, notAdopted(path));
}

/** Calls that arrived together with the first. */
function* waitingCalls(): Generator<Call> {
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) yield next.message;
}

function serveReads(db: Database): (call: Call) => void {
  return ({ id, verb, args, deadline }) => {
    if (verb === "close") return close(db, id);
    try {
      const value = answerRead(db, verb, args, { deadline, onProgress: (progress) => tell(id, progress) });
      if (value instanceof Promise) replyLater(id, value);
      else reply({ id, value });
    } catch (error) {
      fail(id, error);
    }
  };
}

function serveCheckpoints(db: Database): (call: Call) => void {
  return ({ id, verb }) => {
    if (verb === "close") return close(db, id);
    try {
      reply({ id, value: checkpoint(db) });
    } catch (error) {
      fail(id, error);
    }
  };
}

function replyLater(id: number, result: Promise<unknown>): void {
  result.then(
    (value) => reply({ id, value }),
    (error: unknown) => fail(id, error),
  );
}

function close(db: Database, id: number): void {
  db.close();
  reply({ id, value: undefined });
  queueMicrotask(() => port.close());
}

async function serve(): Promise<(call: Call) => void> {
  if (role === "reader") return serveReads(await openReader(path));
  if (role === "checkpointer") return serveCheckpoints(await openCheckpointer(path));
  const db = await openWriter({ path, foreign, mayMigrate, onProgress: (progress) => tell(0, progress) });
  return db ? serveWrites(db) : refuseWrites;
}

try {
  port.on("message", await serve());
  reply({ id: 0, value: role === "writer" ? modes : undefined });
} catch (error) {
  fail(0, error);
}
