/** `hermes trace`: what became of a message, step by step. */

import { Command } from "commander";
import { HermesError } from "../errors.js";
import type { Trace } from "../store/reports.js";
import { oneLine, padToCells, shorten } from "./cells.js";
import { SHORT, withStore } from "./open.js";
import { jsonOption } from "./options.js";
import { colors, print, printJson } from "./output.js";
import { localDate } from "./times.js";

const TEXT_CELLS = 72;

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
    throw new HermesError("not_found", `No message '${reference}' is known.`, {
      hint: "Finished messages are forgotten after a while; a message that never came in leaves no trace.",
    });
  }
  if (json) printJson(traces);
  else print(traces.map(drawTrace).join("\n\n"));
}

export function drawTrace(trace: Trace): string {
  return [...header(trace), ...timeline(trace), ...trace.deliveries.flatMap(drawDelivery)].join("\n");
}

function header({ inbox, reason, sessionId }: Trace): string[] {
  const { message } = inbox;
  const where = [message.platform, message.origin.chatType, message.origin.chatId, message.origin.threadId];
  const state = [inbox.state, reason ?? inbox.error].filter((part) => part).join(": ");
  return [
    `${colors.bold(`in:${inbox.id}`)}  ${state}${inbox.attempts > 1 ? `  (attempt ${inbox.attempts})` : ""}`,
    field("text", shorten(oneLine(message.text), TEXT_CELLS)),
    field("chat", where.filter((part) => part).join(" ")),
    field("user", [message.origin.userId, message.origin.userName].filter((part) => part).join(" ")),
    field("trace", inbox.traceId),
    field("key", inbox.sessionKey),
    ...(sessionId ? [field("session", sessionId)] : []),
  ];
}

function field(name: string, value: string): string {
  return `  ${colors.dim(padToCells(name, 8))} ${oneLine(value)}`;
}

/** The moment, how long after the one before, what happened. */
function timeline({ steps }: Trace): string[] {
  return steps.map(({ at, what, detail }, index) => {
    const before = steps[index - 1];
    const after = padToCells(before ? `+${duration(at - before.at)}` : "", 9);
    const about = detail ? colors.dim(`  ${oneLine(detail)}`) : "";
    return `  ${moment(at)}  ${after} ${oneLine(what)}${about}`;
  });
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
  return [`  ${colors.bold(`out:${id}`)}  ${kind}  ${oneLine(facts.join("  "))}`];
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
