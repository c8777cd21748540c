import { HermesError } from "../../../errors.js";
import type { Looks } from "../../looks.js";
import { Thread } from "../thread.js";
import type { lookVerbs, Remote } from "../verbs.js";

/** Nobody has looked for so long: the thread and its memory are given back. */
const IDLE_MS = 5 * 60_000;

/**
 * In a thread of its own, started when somebody looks: a search through years of history never makes a message wait.
 */
export function openLooks({ path, idleMs = IDLE_MS }: { path: string; idleMs?: number }): Looks {
  let thread: Promise<Thread> | undefined;
  let closed = false;
  let busy = 0;
  let idle: NodeJS.Timeout | undefined;

  const start = (): Promise<Thread> => {
    const started = Thread.start({ role: "reader", path });
    started.catch(() => {
      if (thread === started) thread = undefined;
    });
    return started;
  };
  const end = async () => {
    const ended = thread;
    thread = undefined;
    await (await ended?.catch(() => undefined))?.close();
  };
  const call = async (verb: string, args: unknown[]) => {
    if (closed) throw new HermesError("unavailable", "The store is closed.");
    clearTimeout(idle);
    busy += 1;
    try {
      thread ??= start();
      return await (await thread).call(verb, args);
    } finally {
      busy -= 1;
      if (busy === 0 && !closed) idle = setTimeout(() => void end(), idleMs).unref();
    }
  };
  const verbs = new Proxy({} as Remote<typeof lookVerbs>, {
    get:
      (_, verb) =>
      (...args: unknown[]) =>
        call(verb as string, args),
  });
  return {
    browseSessions: (query) => verbs.browseSessions(query),
    sessionSources: () => verbs.sessionSources(),
    findTitles: (text, limit) => verbs.findTitles(text, limit),
    sessionDetail: (id) => verbs.sessionDetail(id),
    getLineage: (id) => verbs.getLineage(id),
    readTranscript: (id, query) => verbs.readTranscript(id, query),
    readMessage: (id) => verbs.readMessage(id),
    searchMessages: (query, options) => verbs.searchMessages(query, options),
    usage: (query) => verbs.usage(query),
    queueDepths: () => verbs.queueDepths(),
    throughput: (since) => verbs.throughput(since),
    totals: () => verbs.totals(),
    recentMessages: (query) => verbs.recentMessages(query),
    traceMessage: (reference) => verbs.traceMessage(reference),
    deadPage: (query) => verbs.deadPage(query),
    pairingPage: (query) => verbs.pairingPage(query),
    close: async () => {
      closed = true;
      clearTimeout(idle);
      await end();
    },
  };
}
