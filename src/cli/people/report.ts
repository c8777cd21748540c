/** The plan and the report of an erasure as text. Pure. */
import type { ErasureCounts, LeftAlone } from "../../people/types.js";
import type { ErasurePlan } from "../../store/people.js";
import { oneLine } from "../cells.js";
import { counted } from "../numbers.js";
import type { ErasureReport } from "./erase.js";

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
    ...(shown.length > 0 ? shown : ["  only the file itself still has to be cleaned"]),
    ...titled.map(({ id, title }) => `          ${id}  ${oneLine(title ?? "")}`),
  ].join("\n");
}

export function drawLeft({ copies, settings, schedules, logs, gatewayRuns }: LeftAlone): string {
  return [
    ...(copies.length > 0 ? ["", "Copies that still contain it (delete them, or wait for rotation):"] : []),
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
    ...(logs === null ? [] : ["", `Logs contain ids but no texts: ${logs}`]),
    ...(gatewayRuns ? ["", "The gateway is running: it updates sessions.json within a minute."] : []),
  ].join("\n");
}

export function drawScrubbed({ person, scrubbed, traces }: ErasureReport): string {
  const clean = traces?.found.length === 0;
  return [
    "",
    `Erased ${person}.`,
    scrubbed?.rewritten
      ? "state.db was rewritten: no deleted data is left in it."
      : "Another process has state.db open: deleted text was overwritten, but the file was not rewritten.",
    ...(traces && traces.looked > 0
      ? [
          `Looked for ${counted(traces.looked, "sentence")} of theirs in its bytes: ${clean ? "none found." : "SOME WERE FOUND."}`,
        ]
      : []),
    ...(scrubbed?.rewritten
      ? []
      : [`To be certain, stop the gateway and run \`hermes people erase ${person}\` once more.`]),
  ].join("\n");
}
