/** `hermes audit`: tool calls with their user, chat, approval and outcome; or operator actions. */

import { Command, Option } from "commander";
import { exampleTargets } from "../adapters/platforms.js";
import { nowSeconds } from "../clock.js";
import type { Position } from "../store/common.js";
import { type OperatorAction, operatorActions } from "../store/operator-actions.js";
import type { ToolCallRow, ToolCallState } from "../store/queues.js";
import type { ToolCallQuery } from "../store/reports.js";
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
  operator?: boolean;
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
    .description("List tool calls (user, chat, approval, outcome) or operator actions, newest first")
    .option("--tool <name>", "only this tool")
    .option("--person <person>", `only this person, as platform:user id (${PERSON})`)
    .addOption(new Option("--state <state>", "only calls in this state").choices([...STATES]))
    .option("--operator", "operator actions in the dashboard, instead of tool calls")
    .option("--limit <n>", "how many", wholeNumber(1), 50)
    .addOption(jsonOption())
    .action(audit);
}

async function audit(options: AuditOptions): Promise<void> {
  const { tool, person, state, operator, limit, json } = options;
  if (operator && (tool ?? person ?? state) !== undefined)
    throw new Misuse(
      "--operator can't be combined with --tool, --person or --state.",
      "Those options only apply to tool calls.",
    );
  if (operator) return printActions(limit, json);
  const query = given<ToolCallQuery>({ tool, state, ...(person === undefined ? {} : personOf(person)) });
  const calls = await withStore(
    (store) =>
      newest(limit, async (page) => {
        const { calls: rows, next } = await store.reports.toolCalls({ ...query, ...page });
        return { rows, next };
      }),
    () => [],
    SHORT,
  );
  if (json) printJson(calls);
  else print(calls.length === 0 ? "No tool calls found." : drawn(calls, nowSeconds()));
}

function personOf(text: string): { platform: string; userId: string } {
  const colon = text.indexOf(":");
  const [platform, userId] = [text.slice(0, colon), text.slice(colon + 1)];
  if (colon < 1 || userId === "")
    throw new Misuse(`'${text}' isn't a person.`, `Use platform:user id, as in ${PERSON}.`);
  return { platform, userId };
}

async function printActions(limit: number, json = false): Promise<void> {
  const actions = await withStore(
    (store) =>
      newest(limit, async (page) => {
        const { actions: rows, next } = await operatorActions(store, page);
        return { rows, next };
      }),
    () => [],
    SHORT,
  );
  if (json) printJson(actions);
  else print(actions.length === 0 ? "No operator actions found." : drawnActions(actions, nowSeconds()));
}

async function newest<T>(
  limit: number,
  read: (page: { limit: number; before?: Position }) => Promise<{ rows: T[]; next: Position | null }>,
): Promise<T[]> {
  const found: T[] = [];
  let before: Position | undefined;
  while (found.length < limit) {
    const { rows, next } = await read({
      limit: Math.min(PER_PAGE, limit - found.length),
      ...(before ? { before } : {}),
    });
    found.push(...rows);
    if (next === null) break;
    before = next;
  }
  return found;
}

function drawnActions(actions: readonly OperatorAction[], now: number): string {
  const columns = [
    { header: "When", width: 11 },
    { header: "Who", width: 16, cut: 16 },
    { header: "From", width: 16, cut: 16 },
    { header: "Action", width: 24, cut: 24 },
    { header: "Outcome", width: 12, cut: 12 },
    { header: "About", width: 48, cut: 48 },
  ];
  const rows = actions.map(({ at, who, from, action, outcome, fields }) => [
    relativeTime(at, now),
    ...[who, from, action, outcome, fields],
  ]);
  return drawColumns(columns, rows, 132);
}

function drawn(calls: readonly ToolCallRow[], now: number): string {
  const columns = [
    { header: "When", width: 11 },
    { header: "Tool", width: 16, cut: 16, min: 8 },
    { header: "Person", width: 22, cut: 22, min: 12 },
    { header: "Chat", width: 16, cut: 16, min: 6 },
    { header: "State", width: 8 },
    { header: "Approved by", width: 18, cut: 18, min: 8 },
    { header: "Arguments", width: 40, cut: 40, min: 9 },
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
