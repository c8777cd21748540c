/** The messages sent when a turn ends: the answer, or why there is none. */
import type { Failure } from "../agents/backend.js";
import { isRefused, refusalText } from "../media/outgoing.js";
import { readTags, type WantedFile } from "../media/tags.js";
import type { Target } from "../message.js";
import type { NewReply, ReplyFile } from "../store/queues.js";
import { failureText, type Task } from "../task.js";
import { answerDetails, failureDetails } from "./details.js";
import type { AgentResult } from "./run.js";
import type { Turn } from "./turn.js";

/** Copies the files an answer names. Returns a reason for each file that can't be sent. */
export type TakeFiles = (files: readonly WantedFile[], target: Target) => Promise<ReplyFile[]>;

/** The agent's last text. Some agents write their answer before their last tool call and nothing after it. */
export function lastAnswer(result: AgentResult): string {
  const texts = result.messages
    .filter(({ role, content }) => role === "assistant" && typeof content === "string")
    .map(({ content }) => content as string);
  return texts.findLast((text) => text.trim() !== "") ?? texts.at(-1) ?? result.text;
}

export function reply(turn: Turn, text: string, kind: NewReply["kind"]): NewReply {
  const { task } = turn.last.message;
  return { target: turn.replyTarget, kind, text: task ? underHeading(task, text) : text };
}

/** The answer with its task's heading. */
function underHeading(task: Task | undefined, text: string): string {
  return task?.heading ? `${task.heading}\n\n${text}` : text;
}

/** If `answer` is undefined the agent has nothing to say, but a program waiting for a reply still gets one. */
export async function answerReplies(
  turn: Turn,
  model: string,
  result: AgentResult,
  answer: string | undefined,
  takeFiles: TakeFiles,
): Promise<NewReply[]> {
  const { request } = turn.first.message;
  if (!request) return answer === undefined ? [] : [await withFiles(turn, answer, takeFiles)];
  const details = answerDetails(request, turn.session, model, result);
  return [{ ...(await withFiles(turn, answer ?? lastAnswer(result), takeFiles)), details }];
}

/** Includes the files it names; for those that can't be sent, the answer says why. */
async function withFiles(turn: Turn, answer: string, takeFiles: TakeFiles): Promise<NewReply> {
  const { text, files: wanted } = readTags(answer);
  const plain = reply(turn, text, "answer");
  if (wanted.length === 0) return plain;
  const files = await takeFiles(wanted, plain.target);
  const refusals = files.filter(isRefused).map(refusalText);
  return { ...reply(turn, [text, ...refusals].filter((part) => part !== "").join("\n\n"), "answer"), files };
}

export function failureReplies(
  turn: Turn,
  model: string,
  failure: { kind: string; message: string; notice: string },
): NewReply[] {
  const { task, request } = turn.last.message;
  const text = failureText(task, failure.notice);
  if (text === undefined) return [];
  const details = request && failureDetails(turn.session, model, failure);
  return [{ target: turn.replyTarget, kind: "notice", text, ...(details ? { details } : {}) }];
}

/** The turn was ended because the agent was silent for too long. */
export function tookTooLong({ last, end }: Turn, seconds: number): Failure {
  const time = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  const message = `there was no progress for ${time}`;
  const more = "The operator can allow more time (`agent.gateway_timeout`).";
  // If the session ended too, /retry would repeat something else.
  const again = end ? "Send it again." : "Send it again or /retry.";
  const notice = last.message.task
    ? `${message}. ${more}`
    : `That took too long: ${message}, so I gave up. ${again} ${more}`;
  return { kind: "timeout", message, notice };
}

export function saysNothing(answer: string, { last }: Turn): boolean {
  return answer.trim() === "" || isSilence(answer, last.message.task);
}

const SILENT = new Set(["[silent]", "silent", "no_reply", "no reply"]);

/** Whether the agent chose to say nothing. In a task, the marker may be anywhere in the answer. */
export function isSilence(answer: string, task?: Task): boolean {
  const words = answer.trim().toLowerCase();
  return SILENT.has(words) || (task !== undefined && words.includes("[silent]"));
}
