/** What goes out when a turn ends: the answer, or why there is none. */
import type { Failure, TurnMessage, TurnUsage } from "../agents/backend.js";
import { failureWords, isSilence, underHeading } from "../errand.js";
import { isRefused, refusalText } from "../media/outgoing.js";
import { readTags, type WantedFile } from "../media/tags.js";
import { type Target, targetOf } from "../message.js";
import { endAfterTurn } from "../one-turn.js";
import type { SessionRow } from "../session.js";
import type { InboxRow, NewReply, ReplyFile } from "../store/queues.js";
import { answerDetails, failureDetails } from "./details.js";

/** Whom a turn answers. */
export interface Answering {
  rows: readonly InboxRow[];
  session: SessionRow;
  model: string;
  /** Copies of the files that an answer names, or why there is none. */
  takeFiles(files: readonly WantedFile[], target: Target): Promise<ReplyFile[]>;
}

interface Result {
  text: string;
  messages: readonly TurnMessage[];
  usages: readonly TurnUsage[];
}

/** The agent's last words. Some say all they want before their last tool call, and nothing after it. */
export function lastAnswer(result: Result): string {
  const words = result.messages
    .filter(({ role, content }) => role === "assistant" && typeof content === "string")
    .map(({ content }) => content as string);
  return words.findLast((text) => text.trim() !== "") ?? words.at(-1) ?? result.text;
}

export function reply(rows: readonly InboxRow[], text: string, kind: NewReply["kind"]): NewReply {
  const { message } = rows.at(-1)!;
  return { target: targetOf(message), kind, text: underHeading(message.errand, text) };
}

/** Undefined: the agent has nothing to say. A program that waits for an answer is told that too. */
export async function answerReplies(
  answering: Answering,
  result: Result,
  answer: string | undefined,
): Promise<NewReply[]> {
  const { rows, session, model } = answering;
  const { request } = rows[0]!.message;
  if (!request) return answer === undefined ? [] : [await withFiles(answering, answer)];
  const details = answerDetails(request, session, model, result);
  return [{ ...(await withFiles(answering, answer ?? lastAnswer(result))), details }];
}

/** The files that it names go along; where one doesn't, the answer says why. */
async function withFiles({ rows, takeFiles }: Answering, answer: string): Promise<NewReply> {
  const { text, files: wanted } = readTags(answer);
  const plain = reply(rows, text, "answer");
  if (wanted.length === 0) return plain;
  const files = await takeFiles(wanted, plain.target);
  const refusals = files.filter(isRefused).map(refusalText);
  return { ...reply(rows, [text, ...refusals].filter((part) => part !== "").join("\n\n"), "answer"), files };
}

export function failureReplies(
  { rows, session, model }: Answering,
  failure: { kind: string; message: string; notice: string },
): NewReply[] {
  const { message } = rows.at(-1)!;
  const text = failureWords(message.errand, failure.notice);
  if (text === undefined) return [];
  const details = message.request && failureDetails(session, model, failure);
  return [{ target: targetOf(message), kind: "notice", text, ...(details ? { details } : {}) }];
}

/** Nobody stopped it, but for so long nothing came. */
export function tookTooLong(rows: readonly InboxRow[], seconds: number): Failure {
  const time = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  const message = `there was no progress for ${time}`;
  const more = "The operator can allow more time (`agent.gateway_timeout`).";
  // Where the session has ended with it, /retry would ask something else again.
  const again = endAfterTurn(rows[0]!) ? "Send it again." : "Send it again or /retry.";
  const notice = rows.at(-1)!.message.errand
    ? `${message}. ${more}`
    : `That took too long: ${message}, so I gave up. ${again} ${more}`;
  return { kind: "timeout", message, notice };
}

/** A program waits for what comes of it, whatever that is. */
export function isRequest(rows: readonly InboxRow[]): boolean {
  return rows[0]!.message.request !== undefined;
}

export function says(answer: string, rows: readonly InboxRow[]): boolean {
  return answer.trim() !== "" && !isSilence(answer, rows.at(-1)!.message.errand);
}
