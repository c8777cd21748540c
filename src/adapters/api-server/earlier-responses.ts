/** Earlier responses and their chats, for the key that requested them. */

import { answerOf } from "./answer.js";
import { ApiError } from "./errors.js";
import type { ExchangeParts } from "./exchange.js";
import { chatName, requestOfResponse } from "./ids.js";
import { isEnd } from "./pending.js";
import { type RequestChat, unknownResponse } from "./request-chat.js";
import { failedResponse, response } from "./responses-answer.js";

async function find(parts: Pick<ExchangeParts, "outcome">, key: string, id: string) {
  const request = requestOfResponse(id);
  const outcome = request === undefined ? undefined : await parts.outcome(request);
  const chatId = outcome?.message.origin.chatId ?? null;
  const name = chatName(key, chatId);
  if (request === undefined || !outcome || chatId === null || name === undefined) throw unknownResponse(id);
  return { request, outcome, chatId, name };
}

/** The chat of the previous response. */
export async function previousChat(
  parts: Pick<ExchangeParts, "outcome" | "sessionOf">,
  key: string,
  id: string,
): Promise<RequestChat> {
  const { chatId, name, outcome } = await find(parts, key, id);
  const isOpen = (await parts.sessionOf(chatId)) !== undefined;
  return { chatId, name, ...(isOpen || outcome.sessionId === null ? {} : { resume: outcome.sessionId }) };
}

export async function storedResponse(
  parts: Pick<ExchangeParts, "outcome"> & { model: string },
  key: string,
  id: string,
): Promise<object> {
  const { request, outcome } = await find(parts, key, id);
  const known = { id: request, createdAt: Math.floor(outcome.receivedAt) };
  const echoed = { instructions: outcome.message.request?.instructions ?? null, previousResponseId: null };
  const end = outcome.answers.findLast(isEnd);
  if (!end) throw new ApiError(404, "response_not_ready", "That response isn't ready yet; try again later");
  try {
    return response(known, echoed, answerOf(end, outcome.sessionId ?? "", parts.model));
  } catch (error) {
    if (error instanceof ApiError) return failedResponse(known, echoed, parts.model, error);
    throw error;
  }
}
