/** The end of a request → what every API reports. */
import type { AnswerDetails } from "../../client-request.js";
import { ApiError, failedTurn } from "./errors.js";
import type { Finished } from "./pending.js";

export interface Answer extends Omit<AnswerDetails, "failure"> {
  text: string;
}

const NOTHING = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 };

/** Throws if the turn has failed. A command's reply is an answer, too. */
export function answerOf(
  { kind, text, details, files = [] }: Finished,
  sessionId: string,
  model: string,
): Answer {
  if (details?.failure) throw failedTurn(details.failure, text);
  if (kind === "notice") throw new ApiError(500, "turn_failed", text);
  const whole = [text, ...files.map(({ name }) => `[file: ${name}]`)]
    .filter((part) => part !== "")
    .join("\n");
  const bare = { sessionId, model, finishReason: "stop", calls: [], usage: NOTHING };
  return { ...bare, ...details, text: whole };
}

/** The rest of the answer after what was streamed already, which can't be taken back. */
export function restOf(shown: string, whole: string): string {
  if (whole.startsWith(shown)) return whole.slice(shown.length);
  // Text before a tool call was streamed too; the answer is the last part.
  if (whole === "" || shown.trimEnd().endsWith(whole.trim())) return "";
  return `\n\n${whole}`;
}
