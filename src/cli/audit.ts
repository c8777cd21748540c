/** `hermes audit`: who used which tool where, who approved it, and what came of it. */

import { Command, Option } from "commander";
import { exampleTargets } from "../adapters/platforms.js";
import { nowSeconds } from "../clock.js";
import type { Position } from "../store/common.js";
import type { ToolCallRow, ToolCallState } from "../store/queues.js";
import type { Reports, ToolCallQuery } from "../store/reports.js";
import { drawColumns } from "./columns.js";
import { Misuse } from "./failure.js";
import { SHORT, withStore } from "./open.js";
import { given, jsonOption, wholeNumber } from "./options.js";
import { print, printJson } from "./output.js";
import { relativeTime } from "./times.js";

interface AuditOptions {
  tool?: string;
  person?: string;
  state?: ToolCallState;
  limit: number;
  json?: boolean;
}

const STATES: readonly ToolCallState[] = [
  "waiting",
  "running",
  "done",
  "failed",
  "denied",
  "unknown",
  "stopped",
];
const PERSON = `${exampleTargets().platform}:111`;
const PER_PAGE = 200;

export function auditCommand(): Command {
  return new Command("audit")
    .description("List the calls of tools, newest first: who, where, who approved it, what came of it")
    .option("--tool <name>", "only this tool")
    .option("--person <person>", `only this person, as platform:user id (${PERSON})`)
    .addOption(new Option("--state <state>", "only calls in this state").choices([...STATES]))
    .option("--limit <n>", "how many", wholeNumber(1), 50)
    .addOption(jsonOption())
    .action(audit);
}

async function audit({ tool, person, state, limit, json }: AuditOptions): Promise<void> {
  const query = given<ToolCallQuery>({ tool, state, ...(person === undefined ? {} : personOf(person)) });
  const calls = await withStore(
    (store) => newest(store.reports, query, limit),
    () => [],
    SHORT,
  );
  if (json) printJson(calls);
  else print(calls.length === 0 ? "No calls of tools found." : drawn(calls, nowSeconds()));
}

function personOf(text: string): { platform: string; userId: string } {
  const colon = text.indexOf(":");
  const [platform, userId] = [text.slice(0, colon), text.slice(colon + 1)];
  if (colon < 1 || userId === "")
    throw new Misuse(`'${text}' is no person.`, `Use platform:user id, as in ${PERSON}.`);
  return { platform, userId };
}

async function newest(reports: Reports, query: ToolCallQuery, limit: number): Promise<ToolCallRow[]> {
  const found: ToolCallRow[] = [];
  let before: Position | undefined;
  while (found.length < limit) {
    const page = { limit: Math.min(PER_PAGE, limit - found.length), ...(before ? { before } : {}) };
    const { calls, next } = await reports.toolCalls({ ...query, ...page });
    found.push(...calls);
    if (next === null) break;
    before = next;
  }
  return found;
}

function drawn(calls: readonly ToolCallRow[], now: number): string {
  const columns = [
    { header: "When", width: 11 },
    { header: "Tool", width: 16, cut: 16 },
    { header: "Person", width: 22, cut: 22 },
    { header: "Chat", width: 16, cut: 16 },
    { header: "State", width: 8 },
    { header: "Approved by", width: 18, cut: 18 },
    { header: "Arguments", width: 40, cut: 40 },
  ];
  const rows = calls.map((call) => [
    relativeTime(call.createdAt, now),
    call.tool,
    `${call.platform}:${call.userId}`,
    call.chatId ?? "—",
    call.state,
    call.decidedBy ?? "—",
    call.arguments,
  ]);
  return drawColumns(columns, rows, 132);
}
