/** The plan and the report of an erasure as text. Pure. */
import type { ErasurePlan } from "../../store/people.js";
import { oneLine } from "../cells.js";
import { counted } from "../numbers.js";
import type { ErasureReport } from "./erase.js";
import type { PersonFiles } from "./files.js";
import type { LeftAlone } from "./left-alone.js";

export interface ErasureCounts {
  sessions: number;
  messages: number;
  sharedSessions: number;
  /** Rows of shared sessions that become a mark: theirs and the answers to them. */
  redactedMessages: number;
  /** Rows of others that lose a quote or a repetition. */
  changedMessages: number;
  queueRowsRemoved: number;
  queueRowsRedacted: number;
  routes: number;
  schedules: number;
  pairings: number;
  memories: number;
  files: number;
}

export function countsOf(plan: ErasurePlan, files: PersonFiles): ErasureCounts {
  const { own, shared, changes, inbox, outbox, routes, schedules, pairing } = plan;
  const whole = changes.filter((change) => change.whole).length;
  return {
    sessions: own.length,
    messages: own.reduce((sum, { messages }) => sum + messages, 0),
    sharedSessions: shared.length,
    redactedMessages: whole,
    changedMessages: changes.length - whole,
    queueRowsRemoved: inbox.remove.length + outbox.remove.length,
    queueRowsRedacted:
      inbox.redact.length + inbox.quotes.length + outbox.redact.length + outbox.changes.length,
    routes: routes.remove.length + routes.redact.length,
    schedules: schedules.length,
    pairings: pairing.approved + pairing.pending,
    memories: files.memories.length,
    files: files.media.length + files.history.length,
  };
}

const MAX_NAMED = 10;

export function drawPlan(
  person: string,
  counts: ErasureCounts,
  { names, ids, own, shared }: ErasurePlan,
): string {
  const known = [...names, ...ids.slice(1)].map(oneLine).join(", ");
  const lines: [number, string][] = [
    [
      counts.sessions,
      `remove  ${counted(counts.sessions, "session")} of theirs with ${counted(counts.messages, "message")}`,
    ],
    [
      counts.sharedSessions,
      `redact  ${counted(counts.redactedMessages, "message")} in ${counted(counts.sharedSessions, "session")} with others`,
    ],
    [
      counts.changedMessages,
      `redact  quotes of them in ${counted(counts.changedMessages, "message")} of others`,
    ],
    [counts.queueRowsRemoved, `remove  ${counted(counts.queueRowsRemoved, "row")} of the queues`],
    [counts.queueRowsRedacted, `redact  ${counted(counts.queueRowsRedacted, "row")} of the queues`],
    [counts.memories, `remove  what the agent remembers about them`],
    [counts.files, `remove  ${counted(counts.files, "file")}`],
    [counts.schedules, `remove  ${counted(counts.schedules, "schedule")} of theirs`],
    [counts.pairings, `remove  their pairing`],
  ];
  const shown = lines.filter(([count]) => count > 0).map(([, line]) => `  ${line}`);
  const titled = [...own, ...shared].filter(({ title }) => title !== null).slice(0, MAX_NAMED);
  return [
    `${person}${known ? ` (${known})` : ""}:`,
    ...(shown.length > 0 ? shown : ["  nothing is left but to clean the file"]),
    ...titled.map(({ id, title }) => `          ${id}  ${oneLine(title ?? "")}`),
  ].join("\n");
}

export function drawLeft({ copies, settings, schedules, logs, gatewayRuns }: LeftAlone): string {
  return [
    ...(copies.length > 0 ? ["", "Copies that still hold it (delete them, or let them rotate away):"] : []),
    ...copies.map((file) => `  ${file}`),
    ...(settings.length > 0
      ? ["", "Settings that name them (edit config.yaml):", ...settings.map((key) => `  ${key}`)]
      : []),
    ...(schedules.length > 0
      ? [
          "",
          "Schedules of others that write to them (hermes cron remove NAME):",
          ...schedules.map((name) => `  ${oneLine(name)}`),
        ]
      : []),
    ...(logs === null ? [] : ["", `Logs hold ids, no texts: ${logs}`]),
    ...(gatewayRuns ? ["", "The gateway runs: sessions.json follows within a minute."] : []),
  ].join("\n");
}

export function drawScrubbed({ person, scrubbed, traces }: ErasureReport): string {
  const clean = traces?.found.length === 0;
  return [
    "",
    `Erased ${person}.`,
    scrubbed?.rewritten
      ? "state.db was rewritten: nothing that was deleted is left in it."
      : "Another process has state.db open: deleted text was overwritten, but the file was not rewritten.",
    ...(traces && traces.looked > 0
      ? [
          `Looked for ${counted(traces.looked, "sentence")} of theirs in its bytes: ${clean ? "none is there." : "SOME ARE STILL THERE."}`,
        ]
      : []),
    ...(scrubbed?.rewritten
      ? []
      : [`To be certain, stop the gateway and run \`hermes people erase ${person}\` once more.`]),
  ].join("\n");
}
