import type { Looks } from "../../looks.js";
import type { lookVerbs, Remote } from "../verbs.js";

/** What an operator looks at, through the thread for long reads: it never makes a message wait. */
export function looksThrough(verbs: Remote<typeof lookVerbs>): Looks {
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
  };
}
