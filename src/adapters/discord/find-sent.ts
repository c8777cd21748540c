/**
 * Which posts of a message stand in their channel already. Found by what they say and what they answer: Discord tells a
 * nonce to nobody afterwards, and forgets it in minutes.
 */
import type { APIMessage, REST } from "discord.js";

export type Wanted = (message: APIMessage) => boolean;

export interface Where {
  channelId: string;
  /** The question: nothing before it can be an answer to it. */
  questionId: string;
  /** Whether the first post quotes it. */
  quoted: boolean;
  /** What the first post may have taken the place of: it quotes what was the question then. */
  previewId?: string;
}

const PAGE = 100;
const MOST_PAGES = 5;

/** The ids of those that are there, from the first on: they were sent one after another. */
export async function findSent(
  { rest, botId }: { rest: REST; botId: string },
  { channelId, questionId, quoted, previewId = questionId }: Where,
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<string[]> {
  const found: string[] = [];
  let after = BigInt(previewId) < BigInt(questionId) ? String(BigInt(previewId) - 1n) : questionId;
  for (let page = 0; page < MOST_PAGES && found.length < wanted.length; page++) {
    const query = new URLSearchParams({ after, limit: String(PAGE) });
    const newestFirst = (await rest.get(`/channels/${channelId}/messages`, {
      query,
      signal,
    })) as APIMessage[];
    for (const message of newestFirst.toReversed()) {
      if (message.author.id !== botId || !wanted[found.length]?.(message)) continue;
      const answers =
        !quoted || message.message_reference?.message_id === questionId || message.id === previewId;
      if (found.length > 0 || answers) found.push(message.id);
    }
    if (newestFirst.length < PAGE) break;
    after = newestFirst[0]!.id;
  }
  return found;
}
