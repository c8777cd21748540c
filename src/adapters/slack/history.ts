/** Reads a conversation's history page by page. */
import type { SlackApi } from "./api.js";
import type { SlackEvent } from "./payloads.js";

const PAGE = 200;

interface Page {
  messages?: SlackEvent[];
  response_metadata?: { next_cursor?: string };
}

export interface HistoryRange {
  channel: string;
  /** Reads this thread's replies instead of the top level. */
  thread_ts?: string;
  oldest?: string;
}

/** In Slack's order: the top level newest first, a thread oldest first with its root at the start. */
export async function* pages(
  api: SlackApi,
  { channel, thread_ts: ts, oldest }: HistoryRange,
  maxPages: number,
  signal?: AbortSignal,
): AsyncGenerator<SlackEvent[]> {
  const method = ts === undefined ? "conversations.history" : "conversations.replies";
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const args = { channel, ts, oldest, cursor, limit: PAGE, include_all_metadata: true };
    const answer = await api.call<Page>(method, args, { signal });
    yield answer.messages ?? [];
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) return;
  }
}
