/** Reads what stands in a conversation, page by page. */
import type { SlackApi } from "./api.js";
import type { SlackEvent } from "./native.js";

const PAGE = 200;

interface Page {
  messages?: SlackEvent[];
  response_metadata?: { next_cursor?: string };
}

export interface HistoryRange {
  channel: string;
  /** Its replies instead of the conversation's top. */
  thread_ts?: string;
  oldest?: string;
}

/** Pages as Slack gives them: the top newest first, replies oldest first with the root before them. */
export async function* pages(
  api: SlackApi,
  { channel, thread_ts: ts, oldest }: HistoryRange,
  most: number,
  signal?: AbortSignal,
): AsyncGenerator<SlackEvent[]> {
  const method = ts === undefined ? "conversations.history" : "conversations.replies";
  let cursor: string | undefined;
  for (let page = 0; page < most; page++) {
    const args = { channel, ts, oldest, cursor, limit: PAGE, include_all_metadata: true };
    const answer = await api.call<Page>(method, args, { signal });
    yield answer.messages ?? [];
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) return;
  }
}
