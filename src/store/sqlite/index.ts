import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileStamp } from "../../clock.js";
import { HermesError } from "../../errors.js";
import { freeName } from "../../free-name.js";
import type { Looks } from "../looks.js";
import type { Scrubbed } from "../people.js";
import type {
  AutoPruned,
  AutoPruneSettings,
  CheckReport,
  ExportedSession,
  ExportQuery,
  OnProgress,
  Optimized,
  RepairReport,
  Store,
  WriterStats,
} from "../store.js";
import { Checkpoints } from "./checkpoints.js";
import { toConversation } from "./content.js";
import type { ForeignFile } from "./foreign.js";
import { looksThrough } from "./looks/index.js";
import { ReadLane } from "./read-lane.js";
import { isDamage } from "./salvage.js";
import { storeClosed, Thread } from "./thread.js";
import type { ExportCursor, ImportOutcome } from "./transfer.js";
import type { aloneVerbs, bulkReadVerbs, longReadVerbs, Remote, readVerbs, writeVerbs } from "./verbs.js";

export interface OpenOptions {
  /** The file; its folder is made if it isn't there. */
  path: string;
  /** Called while an older file is brought up to date. */
  onProgress?: OnProgress;
  /** What to do with a file that another Hermes program made; by default it is left alone. */
  foreign?: ForeignFile;
  limits?: Partial<ReadLimits>;
}

export interface ReadLimits {
  /** After so long, a read fails. */
  shortMs: number;
  longMs: number;
  /** The thread for long reads ends after so long without one. */
  idleMs: number;
}

/** Nothing that a chat waits for takes seconds, except on a machine in trouble. */
const LIMITS: ReadLimits = { shortMs: 10_000, longMs: 30_000, idleMs: 15_000 };
const BULK_MS = 10 * 60_000;

const EMPTY_LOG_TRIES = 50;
const EMPTY_LOG_PAUSE_MS = 40;

type Writes = Remote<typeof writeVerbs & typeof aloneVerbs>;

/** With what the dashboard reads. */
export type OpenedStore = Store & { readonly looks: Looks };

/**
 * Opens `state.db`, or makes it. The event loop never waits for the disk: threads do, one that writes, one for short reads
 * and one for long ones.
 */
export async function openStore(options: OpenOptions): Promise<OpenedStore> {
  const { path: file, onProgress, foreign = "refuse", limits } = options;
  const writer = await Thread.start({ role: "writer", path: file, foreign }, onProgress);
  return new SqliteStore(file, writer, { ...LIMITS, ...limits });
}

/** `verbs.appendMessages(…)` is a call to the thread; the last argument may be a listener for progress. */
function remote<V>(call: (verb: string, args: unknown[]) => Promise<unknown>): V {
  return new Proxy({} as object, {
    get:
      (_, verb) =>
      (...args: unknown[]) =>
        call(verb as string, args),
  }) as V;
}

class SqliteStore implements OpenedStore {
  readonly #file: string;
  readonly #writer: Thread;
  readonly #shortReads: ReadLane;
  readonly #longReads: ReadLane;
  readonly #checkpoints: Checkpoints;
  /** Threads that check or copy the file. */
  readonly #atWork = new Set<Thread>();
  readonly #write: Writes;
  readonly #read: Remote<typeof readVerbs>;
  readonly #readLong: Remote<typeof longReadVerbs>;
  readonly #readBulk: Remote<typeof bulkReadVerbs>;
  readonly looks: Looks;

  constructor(file: string, writer: Thread, { shortMs, longMs, idleMs }: ReadLimits) {
    this.#file = file;
    this.#writer = writer;
    this.#shortReads = new ReadLane({ path: file, deadlineMs: shortMs });
    this.#longReads = new ReadLane({ path: file, deadlineMs: longMs, idleMs });
    this.#write = remote((verb, args) => writer.call(verb, args));
    this.#read = remote((verb, args) => this.#shortReads.call(verb, args));
    this.#readLong = remote((verb, args) => this.#longReads.call(verb, args));
    this.#readBulk = remote((verb, args) => this.#longReads.call(verb, args, BULK_MS));
    this.looks = looksThrough(remote((verb, args) => this.#longReads.call(verb, args)));
    this.#checkpoints = new Checkpoints(file, writer, this.#write);
    this.#checkpoints.start();
  }

  createSession: Store["createSession"] = (session) => this.#write.createSession(session);
  endSession: Store["endSession"] = (id, reason) => this.#write.endSession(id, reason);
  reopenSession: Store["reopenSession"] = (id) => this.#write.reopenSession(id);
  archiveSession: Store["archiveSession"] = (id, archived) => this.#write.archiveSession(id, archived);
  getSession: Store["getSession"] = (id) => this.#read.getSession(id);
  listSessions: Store["listSessions"] = (query) => this.#readLong.listSessions(query);
  resolveSession: Store["resolveSession"] = (reference, asker) => this.#read.resolveSession(reference, asker);
  addUsage: Store["addUsage"] = (id, usage, mode) => this.#write.addUsage(id, usage, mode);
  addParticipant: Store["addParticipant"] = (id, person) => this.#write.addParticipant(id, person);
  getRoom: Store["getRoom"] = (id) => this.#read.getRoom(id);

  setTitle: Store["setTitle"] = (id, title) => this.#write.setTitle(id, title);
  suggestTitle: Store["suggestTitle"] = (id, title) => this.#write.suggestTitle(id, title);
  nextTitle: Store["nextTitle"] = (title) => this.#read.nextTitle(title);
  resolveTitle: Store["resolveTitle"] = (title, asker) => this.#read.resolveTitle(title, asker);

  appendMessages: Store["appendMessages"] = (id, messages) => this.#write.appendMessages(id, messages);
  getMessages: Store["getMessages"] = (id, query) => this.#read.getMessages(id, query);
  getConversation: Store["getConversation"] = async (id) =>
    toConversation(await this.#read.getConversation(id));
  clearMessages: Store["clearMessages"] = (id) => this.#write.clearMessages(id);
  undoTurns: Store["undoTurns"] = (id, turns) => this.#write.undoTurns(id, turns);
  searchMessages: Store["searchMessages"] = (query, options) => this.#readLong.searchMessages(query, options);

  getLineage: Store["getLineage"] = (id) => this.#read.getLineage(id);
  splitSession: Store["splitSession"] = (split) => this.#write.splitSession(split);
  deleteSession: Store["deleteSession"] = (id) => this.#write.deleteSession(id);
  stats: Store["stats"] = () => this.#readLong.stats();
  insights: Store["insights"] = (query) => this.#readLong.insights(query);
  vitals: Store["vitals"] = (retentionDays) => this.#readLong.vitals(retentionDays);
  getMeta: Store["getMeta"] = (key) => this.#read.getMeta(key);
  setMeta: Store["setMeta"] = (key, value) => this.#write.setMeta(key, value);

  acceptMessages: Store["acceptMessages"] = (messages) => this.#write.acceptMessages(messages);
  waitingMessages: Store["waitingMessages"] = (share) => this.#read.waitingMessages(share);
  cancelWaiting: Store["cancelWaiting"] = (key, reason, before) =>
    this.#write.cancelWaiting(key, reason, before);
  askAgain: Store["askAgain"] = (key) => this.#write.askAgain(key);
  startCommand: Store["startCommand"] = (id, command, bootId) =>
    this.#write.startCommand(id, command, bootId);
  settleMessage: Store["settleMessage"] = (settled) => this.#write.settleMessage(settled);
  getRoute: Store["getRoute"] = (key) => this.#read.getRoute(key);
  findRoute: Store["findRoute"] = (sessionId) => this.#read.findRoute(sessionId);
  listRoutes: Store["listRoutes"] = () => this.#readLong.listRoutes();
  countRoutes: Store["countRoutes"] = () => this.#read.countRoutes();
  hasRoutes: Store["hasRoutes"] = (except) => this.#read.hasRoutes(except);
  dueRoutes: Store["dueRoutes"] = (query) => this.#read.dueRoutes(query);
  postponeRoutes: Store["postponeRoutes"] = (routes) => this.#write.postponeRoutes(routes);
  recheckRoutes: Store["recheckRoutes"] = (rules) => this.#write.recheckRoutes(rules);
  openRoute: Store["openRoute"] = (route) => this.#write.openRoute(route);
  switchRoute: Store["switchRoute"] = (key, id, reason) => this.#write.switchRoute(key, id, reason);
  branchRoute: Store["branchRoute"] = (branch) => this.#write.branchRoute(branch);
  expireRoute: Store["expireRoute"] = (key, id, reason) => this.#write.expireRoute(key, id, reason);
  openFarewells: Store["openFarewells"] = (share) => this.#read.openFarewells(share);
  startFarewell: Store["startFarewell"] = (id) => this.#write.startFarewell(id);
  endFarewell: Store["endFarewell"] = (id) => this.#write.endFarewell(id);
  closeRoute: Store["closeRoute"] = (key, id, reason) => this.#write.closeRoute(key, id, reason);
  adoptRoutes: Store["adoptRoutes"] = (routes) => this.#write.adoptRoutes(routes);
  setRouteFlags: Store["setRouteFlags"] = (key, flags) => this.#write.setRouteFlags(key, flags);
  getCursor: Store["getCursor"] = (platform, account, name) => this.#read.getCursor(platform, account, name);
  saveCursor: Store["saveCursor"] = (platform, account, name, value) =>
    this.#write.saveCursor(platform, account, name, value);
  changeMessage: Store["changeMessage"] = (change) => this.#write.changeMessage(change);
  moveChat: Store["moveChat"] = (platform, from, to) => this.#write.moveChat(platform, from, to);
  notePreview: Store["notePreview"] = (inboxId) => this.#write.notePreview(inboxId);
  forgetPreview: Store["forgetPreview"] = (inboxId) => this.#write.forgetPreview(inboxId);
  foundPreview: Store["foundPreview"] = (outboxId, messageId) =>
    this.#write.foundPreview(outboxId, messageId);
  savePreview: Store["savePreview"] = (inboxId, messageId) => this.#write.savePreview(inboxId, messageId);
  getPreview: Store["getPreview"] = (inboxId) => this.#read.getPreview(inboxId);
  leftPreviews: Store["leftPreviews"] = (which, share) => this.#read.leftPreviews(which, share);
  settlePreview: Store["settlePreview"] = (inboxId) => this.#write.settlePreview(inboxId);
  isPreview: Store["isPreview"] = (messageId) => this.#read.isPreview(messageId);
  savePenalty: Store["savePenalty"] = (penalty) => this.#write.savePenalty(penalty);
  restartWaits: Store["restartWaits"] = () => this.#write.restartWaits();
  openPenalties: Store["openPenalties"] = () => this.#read.openPenalties();
  startTurn: Store["startTurn"] = (start) => this.#write.startTurn(start);
  finishTurn: Store["finishTurn"] = (finish) => this.#write.finishTurn(finish);
  failTurn: Store["failTurn"] = (failed) => this.#write.failTurn(failed);
  runningTurns: Store["runningTurns"] = (bootId) => this.#read.runningTurns(bootId);
  splitRoute: Store["splitRoute"] = (split) => this.#write.splitRoute(split);
  enqueueReply: Store["enqueueReply"] = (reply, key) => this.#write.enqueueReply(reply, key);
  getDelivery: Store["getDelivery"] = (outboxId) => this.#read.getDelivery(outboxId);
  knownChats: Store["knownChats"] = (query) => this.#readLong.knownChats(query);
  claimDeliveries: Store["claimDeliveries"] = (bootId, limit, share) =>
    this.#write.claimDeliveries(bootId, limit, share);
  settleDelivery: Store["settleDelivery"] = (id, outcome) => this.#write.settleDelivery(id, outcome);
  chatLog: Store["chatLog"] = (platform, chatId, limit) => this.#read.chatLog(platform, chatId, limit);
  recover: Store["recover"] = (bootId, maxAttempts, notices, share) =>
    this.#write.recover(bootId, maxAttempts, notices, share);
  inheritChat: Store["inheritChat"] = (platform, from, heir) => this.#write.inheritChat(platform, from, heir);
  backlog: Store["backlog"] = (share) => this.#read.backlog(share);
  deadLetters: Store["deadLetters"] = () => this.#readLong.deadLetters();
  retryDead: Store["retryDead"] = (id) => this.#write.retryDead(id);
  dropDead: Store["dropDead"] = (chat, reason) => this.#write.dropDead(chat, reason);
  traceMessage: Store["traceMessage"] = (reference) => this.#readLong.traceMessage(reference);
  eventOutcome: Store["eventOutcome"] = (platform, account, eventId) =>
    this.#read.eventOutcome(platform, account, eventId);
  pruneQueues: Store["pruneQueues"] = (seconds) => this.#write.pruneQueues(seconds);
  pairingState: Store["pairingState"] = (platform, userId) => this.#read.pairingState(platform, userId);
  addPairing: Store["addPairing"] = (pairing, settled) => this.#write.addPairing(pairing, settled);
  adoptPairings: Store["adoptPairings"] = (people) => this.#write.adoptPairings(people);
  listPairings: Store["listPairings"] = () => this.#readLong.listPairings();
  pendingPairings: Store["pendingPairings"] = (platform) => this.#read.pendingPairings(platform);
  approvePairing: Store["approvePairing"] = (id) => this.#write.approvePairing(id);
  denyPairing: Store["denyPairing"] = (id) => this.#write.denyPairing(id);
  failPairing: Store["failPairing"] = (platform, failures, until) =>
    this.#write.failPairing(platform, failures, until);
  revokePairing: Store["revokePairing"] = (platform, userId) => this.#write.revokePairing(platform, userId);
  isPaired: Store["isPaired"] = (platform, userIds) => this.#read.isPaired(platform, userIds);
  addSchedule: Store["addSchedule"] = (schedule, max) => this.#write.addSchedule(schedule, max);
  listSchedules: Store["listSchedules"] = () => this.#read.listSchedules();
  findSchedule: Store["findSchedule"] = (reference) => this.#read.findSchedule(reference);
  changeSchedule: Store["changeSchedule"] = (id, changes) => this.#write.changeSchedule(id, changes);
  removeSchedule: Store["removeSchedule"] = (id) => this.#write.removeSchedule(id);
  dueSchedules: Store["dueSchedules"] = (now) => this.#read.dueSchedules(now);
  skipRun: Store["skipRun"] = (skipped) => this.#write.skipRun(skipped);
  scheduleRuns: Store["scheduleRuns"] = (id, limit) => this.#read.scheduleRuns(id, limit);

  markTranscript: Store["markTranscript"] = (id) => this.#write.markTranscript(id);
  unmarkTranscript: Store["unmarkTranscript"] = (id) => this.#write.unmarkTranscript(id);
  markedTranscripts: Store["markedTranscripts"] = () => this.#read.markedTranscripts();

  countPrunable: Store["countPrunable"] = (query) => this.#readBulk.countPrunable(query);
  listPeople: Store["listPeople"] = (platform) => this.#readBulk.listPeople(platform);
  planErasure: Store["planErasure"] = (person) => this.#readBulk.planErasure(person);
  writtenIn: Store["writtenIn"] = (ids, sessionId) => this.#readBulk.writtenIn(ids, sessionId);
  queueRowsOf: Store["queueRowsOf"] = (plan) => this.#readBulk.queueRowsOf(plan);
  erasePerson: Store["erasePerson"] = (plan, onProgress) =>
    this.#long<void>("erasePerson", [plan], onProgress);
  forgetPerson: Store["forgetPerson"] = (plan) => this.#write.forgetPerson(plan);
  scrubDue: Store["scrubDue"] = () => this.#read.scrubDue();

  async scrub(onProgress?: OnProgress): Promise<Scrubbed> {
    await this.#long<void>("mergeFullText", [], onProgress);
    const rewritten = await this.#alone(() => this.#write.vacuum());
    if (!rewritten) await this.#long<boolean>("shrink", [], onProgress);
    if (rewritten) await this.#write.scrubbed();
    return { rewritten, logEmptied: await this.#emptyLog() };
  }

  /** Readers come and go: there is a moment without any. */
  async #emptyLog(tries = EMPTY_LOG_TRIES): Promise<boolean> {
    if (await this.#write.emptyLog()) return true;
    await sleep(EMPTY_LOG_PAUSE_MS);
    return tries > 1 ? this.#emptyLog(tries - 1) : false;
  }

  pruneSessions: Store["pruneSessions"] = (query, onProgress) =>
    this.#long<number>("pruneSessions", [query], onProgress);

  async *exportSessions(query: ExportQuery = {}): AsyncGenerator<ExportedSession> {
    let cursor: ExportCursor | undefined;
    do {
      const page: ExportedSession[] = await this.#readBulk.exportPage(query, cursor);
      yield* page;
      const last = page.at(-1);
      cursor =
        last && query.sessionId === undefined ? { started_at: last.started_at, id: last.id } : undefined;
    } while (cursor);
  }

  countExport: Store["countExport"] = (query) => this.#readBulk.countExport(query);

  async importSessions(
    sessions: Iterable<ExportedSession> | AsyncIterable<ExportedSession>,
  ): Promise<{ imported: number; skipped: number }> {
    const total = { imported: 0, skipped: 0 };
    let orphans: ImportOutcome["orphans"] = [];
    for await (const batch of inBatches(sessions)) {
      const outcome = await this.#write.importBatch(batch);
      total.imported += outcome.imported;
      total.skipped += outcome.skipped;
      orphans = orphans.concat(outcome.orphans);
    }
    if (orphans.length > 0) await this.#write.linkParents(orphans);
    return total;
  }

  async autoPrune(settings: AutoPruneSettings, onProgress?: OnProgress): Promise<AutoPruned | undefined> {
    if (!settings.enabled || !(await this.#write.claimAutoPrune(settings.minIntervalHours))) return undefined;
    const pruned = await this.pruneSessions({ olderThanDays: settings.retentionDays }, onProgress);
    const vacuumed = pruned > 0 && settings.vacuumAfterPrune && (await this.#giveSpaceBack(onProgress));
    return { pruned, vacuumed };
  }

  async optimize(onProgress?: OnProgress): Promise<Optimized> {
    const bytesBefore = await this.#read.databaseBytes();
    const converted = await this.#long<boolean>("optimizeFullText", [], onProgress);
    const given = await this.#giveSpaceBack(onProgress);
    const sizes = { bytesBefore, bytesAfter: await this.#read.databaseBytes(), converted };
    return given
      ? sizes
      : { ...sizes, note: "Another process has state.db open: stop it to give space back." };
  }

  async check(onProgress?: OnProgress): Promise<CheckReport> {
    return this.#apart<CheckReport>("check", [], onProgress);
  }

  async repair(onProgress?: OnProgress): Promise<RepairReport> {
    const copy = freeName(`${this.#file}.repair-${fileStamp()}`);
    await this.#keepCopy(copy, onProgress);
    const { problems } = await this.check(onProgress);
    const damaged = problems.some(isDamage);
    if (damaged && !(await this.#alone(() => this.#write.salvage()))) throw inUse(this.#file, copy);
    const repaired = await this.#long<string[]>("rebuildDerived", [problems], onProgress);
    const after = await this.check(onProgress);
    return {
      ok: after.ok,
      problems: after.ok ? problems : after.problems,
      copy,
      repaired: damaged ? ["file", ...repaired] : repaired,
    };
  }

  async backup(target: string, onProgress?: OnProgress): Promise<void> {
    if (path.resolve(target) === path.resolve(this.#file)) {
      throw new HermesError("invalid", "A backup can't replace the file that it is taken from.");
    }
    await this.#apart("copyDatabase", [target], onProgress);
  }

  writerStats(): Promise<WriterStats> {
    return this.#writer.call("writerStats", []) as Promise<WriterStats>;
  }

  /** The writer closes last, as far as readers have ended by then: the last connection takes the WAL away. */
  async close(): Promise<void> {
    for (const thread of this.#atWork) thread.abandon(storeClosed());
    await Promise.all([this.#shortReads.close(), this.#longReads.close(), this.#checkpoints.stop()]);
    await this.#writer.close();
  }

  /** A damaged file may not be readable to its end: then its pages are kept as they are. */
  async #keepCopy(copy: string, onProgress?: OnProgress): Promise<void> {
    try {
      await this.backup(copy, onProgress);
    } catch {
      await this.#apart("copyPages", [copy], onProgress);
    }
  }

  /** A few pages at a time; a file that was made without incremental vacuum is vacuumed whole, if nobody else has it. */
  async #giveSpaceBack(onProgress?: OnProgress): Promise<boolean> {
    if (await this.#long<boolean>("shrink", [], onProgress)) {
      await this.#write.checkpoint();
      return true;
    }
    return this.#alone(() => this.#write.vacuum());
  }

  /** Without our own other connections. Reads that come meanwhile wait. */
  #alone(work: () => Promise<boolean>): Promise<boolean> {
    return this.#shortReads.alone(() =>
      this.#longReads.alone(async () => {
        await this.#checkpoints.stop();
        this.#checkpoints.start();
        return work();
      }),
    );
  }

  /** Maintenance gets a thread of its own: it may take minutes. */
  async #apart<T>(verb: string, args: unknown[], onProgress?: OnProgress): Promise<T> {
    const thread = await Thread.start({ role: "reader", path: this.#file });
    this.#atWork.add(thread);
    try {
      return (await thread.call(verb, args, { onProgress })) as T;
    } finally {
      this.#atWork.delete(thread);
      await thread.close();
    }
  }

  #long<T>(verb: string, args: unknown[], onProgress?: OnProgress): Promise<T> {
    return this.#writer.call(verb, args, { onProgress }) as Promise<T>;
  }
}

function inUse(file: string, copy: string): HermesError {
  return new HermesError("unavailable", `${file} is damaged, and another process has it open.`, {
    hint: `Stop the gateway and every other Hermes process, then repair again. A copy is kept at ${copy}`,
  });
}

const BATCH_MESSAGES = 100;

/** By messages, not by sessions: one batch is one transaction, and a short one. */
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
