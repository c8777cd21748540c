import type { Database } from "better-sqlite3";
import { check, rebuildDerived } from "./check.js";
import { getLineage, splitSession } from "./lineage.js";
import { listSessions } from "./list.js";
import { browseSessions, sessionDetail, sessionSources } from "./looks/browse.js";
import { deadPage, pairingPage, queueDepths, recentMessages, throughput } from "./looks/queues.js";
import { readMessage, readTranscript } from "./looks/transcript.js";
import { findTitles, totals, usage } from "./looks/usage.js";
import { appendMessages, clearMessages, getConversation, getMessages, undoTurns } from "./messages.js";
import { claimAutoPrune, getMeta, setMeta } from "./meta.js";
import {
  checkpoint,
  emptyLog,
  mergeFullText,
  optimizeFullText,
  restartLog,
  shrink,
  vacuum,
} from "./optimize.js";
import { erasePerson, forgetPerson, scrubbed, scrubDue } from "./people/erase.js";
import { planErasure, queueRowsOf, writtenIn } from "./people/index.js";
import { listPeople } from "./people/list.js";
import { copyDatabase, copyPages } from "./prepare.js";
import { countPrunable, deleteSession, pruneSessions } from "./prune.js";
import { backlog } from "./queues/backlog.js";
import { changeMessage } from "./queues/changes.js";
import { dueRoutes, postponeRoutes, recheckRoutes } from "./queues/due.js";
import { endFarewell, openFarewells, startFarewell } from "./queues/farewells.js";
import {
  acceptMessages,
  cancelWaiting,
  settleMessage,
  startCommand,
  waitingMessages,
} from "./queues/inbox.js";
import { claimDeliveries, enqueueReply, getDelivery, settleDelivery } from "./queues/outbox.js";
import {
  addPairing,
  adoptPairings,
  approvePairing,
  denyPairing,
  failPairing,
  isPaired,
  listPairings,
  pairingState,
  pendingPairings,
  revokePairing,
} from "./queues/pairing.js";
import { getCursor, moveChat, openPenalties, saveCursor, savePenalty } from "./queues/platforms.js";
import {
  forgetPreview,
  foundPreview,
  getPreview,
  isPreview,
  leftPreviews,
  notePreview,
  savePreview,
  settlePreview,
} from "./queues/previews.js";
import {
  chatLog,
  deadLetters,
  dropDead,
  eventOutcome,
  pruneQueues,
  recover,
  retryDead,
  traceMessage,
} from "./queues/record.js";
import {
  adoptRoutes,
  branchRoute,
  closeRoute,
  countRoutes,
  expireRoute,
  findRoute,
  getRoute,
  hasRoutes,
  knownChats,
  listRoutes,
  openRoute,
  setRouteFlags,
  splitRoute,
  switchRoute,
} from "./queues/routes.js";
import {
  addSchedule,
  changeSchedule,
  dueSchedules,
  findSchedule,
  listSchedules,
  removeSchedule,
  scheduleRuns,
  skipRun,
} from "./queues/schedules.js";
import { inheritChat } from "./queues/share.js";
import { markedTranscripts, markTranscript, unmarkTranscript } from "./queues/transcripts.js";
import { askAgain, failTurn, finishTurn, runningTurns, startTurn } from "./queues/turns.js";
import { restartWaits } from "./queues/waits.js";
import { salvage } from "./salvage.js";
import { searchMessages } from "./search.js";
import {
  addParticipant,
  addUsage,
  archiveSession,
  createSession,
  endSession,
  getRoom,
  getSession,
  reopenSession,
  resolveSession,
} from "./sessions.js";
import { databaseBytes, insights, stats } from "./stats.js";
import { nextTitle, resolveTitle, setTitle, suggestTitle } from "./titles.js";
import { countExport, exportPage, importBatch, linkParents } from "./transfer.js";
import { vitals } from "./vitals.js";

/** What each thread can be asked. A generator is long work that lets others in at every `yield`. */

export const writeVerbs = {
  createSession,
  endSession,
  reopenSession,
  archiveSession,
  addUsage,
  addParticipant,
  setTitle,
  suggestTitle,
  appendMessages,
  clearMessages,
  undoTurns,
  splitSession,
  deleteSession,
  pruneSessions,
  importBatch,
  linkParents,
  setMeta,
  claimAutoPrune,
  optimizeFullText,
  mergeFullText,
  shrink,
  erasePerson,
  forgetPerson,
  scrubbed,
  rebuildDerived,

  acceptMessages,
  cancelWaiting,
  askAgain,
  startCommand,
  settleMessage,
  openRoute,
  switchRoute,
  branchRoute,
  expireRoute,
  adoptRoutes,
  closeRoute,
  startFarewell,
  endFarewell,
  setRouteFlags,
  postponeRoutes,
  recheckRoutes,
  splitRoute,
  saveCursor,
  changeMessage,
  moveChat,
  inheritChat,
  notePreview,
  savePreview,
  forgetPreview,
  foundPreview,
  settlePreview,
  savePenalty,
  restartWaits,
  startTurn,
  finishTurn,
  failTurn,
  enqueueReply,
  claimDeliveries,
  settleDelivery,
  recover,
  dropDead,
  retryDead,
  pruneQueues,
  addPairing,
  adoptPairings,
  approvePairing,
  denyPairing,
  failPairing,
  revokePairing,
  addSchedule,
  changeSchedule,
  removeSchedule,
  skipRun,
  markTranscript,
  unmarkTranscript,
};

/** Not inside a transaction. */
export const aloneVerbs = { vacuum: (db: Database) => vacuum(db), salvage, checkpoint, restartLog, emptyLog };

/** Answered from an index or a few rows. Chats wait for these: nothing that grows with the history belongs here. */
export const readVerbs = {
  getSession,
  getRoom,
  resolveSession,
  nextTitle,
  resolveTitle,
  getMessages,
  getConversation,
  getLineage,
  databaseBytes,
  getMeta,
  scrubDue,

  waitingMessages,
  runningTurns,
  openFarewells,
  getCursor,
  getPreview,
  leftPreviews,
  isPreview,
  openPenalties,
  getRoute,
  findRoute,
  countRoutes,
  hasRoutes,
  dueRoutes,
  getDelivery,
  chatLog,
  backlog,
  eventOutcome,
  pairingState,
  pendingPairings,
  isPaired,
  listSchedules,
  findSchedule,
  dueSchedules,
  scheduleRuns,
  markedTranscripts,
};

/** Reads whose cost grows with the history. They have a thread of their own, which the dashboard shares. */
export const longReadVerbs = {
  listSessions,
  searchMessages,
  stats,
  insights,
  vitals,
  listRoutes,
  knownChats,
  deadLetters,
  traceMessage,
  listPairings,
};

/** Parts of export, erasure and pruning: on an operator's command, and with time to finish. In the same thread. */
export const bulkReadVerbs = {
  countPrunable,
  countExport,
  exportPage,
  listPeople,
  planErasure,
  queueRowsOf,
  writtenIn,
};

/** Not inside one transaction, which would hold the WAL, and each in a thread of its own. */
export const maintenanceVerbs = { check, copyDatabase, copyPages };

/** What an operator looks at. Read by the thread for long reads. */
export const lookVerbs = {
  browseSessions,
  sessionSources,
  sessionDetail,
  findTitles,
  getLineage,
  readTranscript,
  readMessage,
  searchMessages,
  usage,
  queueDepths,
  throughput,
  totals,
  recentMessages,
  traceMessage,
  deadPage,
  pairingPage,
};

type Result<R> = R extends Generator<unknown, infer T> ? T : R;
type Arguments<F> = F extends (db: Database, ...args: infer A) => unknown ? A : never;

/** The same verbs as seen from another thread. */
export type Remote<V> = {
  [K in keyof V]: V[K] extends (db: Database, ...args: never[]) => infer R
    ? (...args: Arguments<V[K]>) => Promise<Result<R>>
    : never;
};
