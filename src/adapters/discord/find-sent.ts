/**
 * Finds a post of ours in a channel by its content and the message it quotes: Discord doesn't return nonces in the
 * history, and forgets them within minutes.
 */
import type { APIMessage, REST } from "discord.js";

export type Matcher = (message: APIMessage) => boolean;

export interface SearchScope {
  channelId: string;
  /** The post comes after this message: the question, or the part before it. */
  afterId: string;
  /** Whether it quotes that message. */
  quoted: boolean;
  /** The preview that it may have replaced: it quotes the question of that time. */
  previewId?: string | undefined;
}

const PAGE = 100;
const MAX_PAGES = 5;

/** The id of the first post that matches. */
export async function findSent(
  { rest, botId }: { rest: REST; botId: string },
  { channelId, afterId, quoted, previewId = afterId }: SearchScope,
  matches: Matcher,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isAnswer = ({ id, message_reference: quote }: APIMessage) =>
    !quoted || quote?.message_id === afterId || id === previewId;
  let after = BigInt(previewId) < BigInt(afterId) ? String(BigInt(previewId) - 1n) : afterId;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({ after, limit: String(PAGE) });
    const newestFirst = (await rest.get(`/channels/${channelId}/messages`, {
      query,
      signal,
    })) as APIMessage[];
    const found = newestFirst.findLast(
      (message) => message.author.id === botId && matches(message) && isAnswer(message),
    );
    if (found) return found.id;
    if (newestFirst.length < PAGE) break;
    after = newestFirst[0]!.id;
  }
  return undefined;
}
