/** `hermes trace`: the timeline of a message. */

import { Command } from "commander";
import { HermesError } from "../errors.js";
import type { Trace } from "../store/reports.js";
import { cellWidth, oneLine, padToCells, shorten } from "./cells.js";
import { hanging } from "./fit.js";
import { counted } from "./numbers.js";
import { SHORT, withStore } from "./open.js";
import { jsonOption } from "./options.js";
import { colors, print, printJson } from "./output.js";
import { localDate } from "./times.js";

const TEXT_CELLS = 72;
const DETAIL_INDENT = 6;

export function traceCommand(): Command {
  return new Command("trace")
    .description("Print the timeline of one message: accepted, answered, delivered, or why not")
    .argument(
      "<message>",
      "in:12, its trace or request id, or the platform's id of the message or of its answer",
    )
    .addOption(jsonOption())
    .action(trace);
}

async function trace(reference: string, { json }: { json?: boolean }): Promise<void> {
  const traces = await withStore(
    (store) => store.reports.traceMessage(reference),
    () => [],
    SHORT,
  );
  if (traces.length === 0) {
    throw new HermesError("not_found", `No message '${reference}' found.`, {
      hint: "Finished messages are deleted after a while, and a message that never arrived has no trace.",
    });
  }
  if (json) printJson(traces);
  else print(traces.map(drawTrace).join("\n\n"));
}

export function drawTrace(trace: Trace): string {
  const parts = [header(trace), timeline(trace), trace.attempts.flatMap(drawAttempt)];
  return [...parts.flat(), ...trace.deliveries.flatMap(drawDelivery)].join("\n");
}

function header({ inbox, reason, sessionId }: Trace): string[] {
  const { message } = inbox;
  const where = [message.platform, message.origin.chatType, message.origin.chatId, message.origin.threadId];
  const tries = inbox.attempts > 1 ? ` (attempt ${inbox.attempts})` : "";
  const state = [inbox.state, reason ?? inbox.error].filter((part) => part).join(": ");
  return [
    `${colors.bold(`in:${inbox.id}`)}  ${hanging(oneLine(`${state}${tries}`), 2, 2 + `in:${inbox.id}`.length)}`,
    field("text", shorten(oneLine(message.text), TEXT_CELLS)),
    field("chat", where.filter((part) => part).join(" ")),
    field("user", [message.origin.userId, message.origin.userName].filter((part) => part).join(" ")),
    field("trace", inbox.traceId),
    field("key", inbox.sessionKey),
    ...(sessionId ? [field("session", sessionId)] : []),
  ];
}

function field(name: string, value: string): string {
  return `  ${colors.dim(padToCells(name, 8))} ${hanging(oneLine(value), 11)}`;
}

/** The moment, how long after the one before, what happened. */
function timeline({ steps }: Trace): string[] {
  return steps.map(({ at, what, detail }, index) => {
    const before = steps[index - 1];
    const after = padToCells(before ? `+${duration(at - before.at)}` : "", 9);
    const head = `  ${moment(at)}  ${after} ${oneLine(what)}`;
    const about = detail
      ? `  ${colors.dim(hanging(oneLine(detail), DETAIL_INDENT, cellWidth(head) + 2))}`
      : "";
    return head + about;
  });
}

/** Calls of tools are in the timeline. */
function drawAttempt(attempt: Trace["attempts"][number], index: number): string[] {
  const { outcome, startedAt, endedAt, error, requests, calls } = attempt;
  const sum = (of: (one: (typeof requests)[number]) => number) =>
    requests.reduce((total, one) => total + of(one), 0);
  const cost = sum((one) => one.costUsd ?? 0);
  const facts = [
    outcome,
    duration(endedAt - startedAt),
    ...(attempt.model === null ? [] : [attempt.model]),
    counted(requests.length, "model request"),
    counted(calls.length, "tool call"),
    `${sum((one) => one.inputTokens)} + ${sum((one) => one.outputTokens)} tokens`,
    ...(cost > 0 ? [`$${cost.toFixed(4)}`] : []),
    ...(error ? [error] : []),
  ];
  const name = `attempt ${index + 1}`;
  return [`  ${colors.bold(name)}  ${hanging(oneLine(facts.join("  ")), DETAIL_INDENT, 4 + name.length)}`];
}

function drawDelivery(delivery: Trace["deliveries"][number]): string[] {
  const { id, kind, state, attempts, error, messageIds, files, parts } = delivery;
  const sent = parts?.filter(({ ids }) => ids !== undefined).length;
  const facts = [
    state,
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(parts ? [`${sent} of ${parts.length} parts sent`] : []),
    ...(messageIds.length > 0 ? [`message ${messageIds.join(", ")}`] : []),
    ...(error ? [error] : []),
    ...files.map((file) => `file ${file.name}${"problem" in file ? ` (not sent: ${file.problem})` : ""}`),
  ];
  const name = `out:${id}`;
  const used = 2 + name.length + 2 + cellWidth(kind) + 2;
  return [`  ${colors.bold(name)}  ${kind}  ${hanging(oneLine(facts.join(" ")), DETAIL_INDENT, used)}`];
}

/** `2026-06-16 09:15:23.123` in local time. */
function moment(time: number): string {
  const date = new Date(time * 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${localDate(time)} ${clock}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)}ms`;
  return seconds < 120 ? `${seconds.toFixed(1)}s` : `${Math.round(seconds / 60)}m`;
}
