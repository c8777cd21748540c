/** Messages since the stored cursor, from the histories of all conversations, oldest first. */
import { setTimeout as sleep } from "node:timers/promises";
import type { SlackApi } from "./api.js";
import type { Settings } from "./config.js";
import { explain, isHopeless } from "./errors.js";
import { pages } from "./history.js";
import { isTs } from "./ids.js";
import type { SlackEvent } from "./payloads.js";

export interface CatchUpParts {
  settings: Settings;
  api: SlackApi;
  /** Handles a message as if Slack had delivered it. */
  accept(event: SlackEvent): Promise<void>;
  closing: AbortSignal;
}

/** Slack redelivers for this long, so messages just before the cursor may be missing too. */
const OVERLAP_SECONDS = 600;
const MAX_CHANNELS = 500;
const MAX_PAGES = 10;
const MAX_WAIT_SECONDS = 60;
const CHANNEL_TYPES = ["im", "mpim", "private_channel", "public_channel"];

interface Channel {
  id: string;
  type: string;
}

/** Everything newer than `seen`. Rejects only when the adapter stops or Slack is unreachable. */
export async function catchUp(parts: CatchUpParts, seen: string): Promise<void> {
  const { log } = parts.settings;
  const oldest = Math.max(Number(seen) - OVERLAP_SECONDS, 0);
  let late = 0;
  for (const channel of await channelsOf(parts)) {
    for (const event of await missedIn(parts, channel, oldest)) {
      await parts.accept(event);
      if (Number(event.ts) > Number(seen)) late += 1;
    }
  }
  if (late > 0) log("info", `Fetched ${late} messages that were missed while disconnected`);
}

/** Direct messages first: all of them are for the bot. */
async function channelsOf(parts: CatchUpParts): Promise<Channel[]> {
  const channels: Channel[] = [];
  for (const type of CHANNEL_TYPES) {
    let cursor: string | undefined;
    do {
      const args = { types: type, cursor, limit: 200, exclude_archived: true };
      const page = await retrying(parts, () => parts.api.call<ChannelsPage>("users.conversations", args));
      if (!page) break;
      channels.push(...(page.channels ?? []).flatMap(({ id }) => (id ? [{ id, type }] : [])));
      cursor = page.response_metadata?.next_cursor || undefined;
    } while (cursor !== undefined && channels.length < MAX_CHANNELS);
  }
  return channels.slice(0, MAX_CHANNELS);
}

interface ChannelsPage {
  channels?: { id?: string }[];
  response_metadata?: { next_cursor?: string };
}

/** Messages and replies since `oldest`, in order. The root of a reply may be older. */
async function missedIn(parts: CatchUpParts, channel: Channel, oldest: number): Promise<SlackEvent[]> {
  const roots = await retrying(parts, () => rootsOf(parts, channel.id, oldest));
  const missed = (roots ?? []).filter(({ ts }) => Number(ts) > oldest);
  for (const { ts, latest_reply: reply } of roots ?? []) {
    if (!isTs(ts) || Number(reply ?? 0) <= oldest) continue;
    const replies = await retrying(parts, () => repliesOf(parts, channel.id, ts, oldest));
    missed.push(...(replies ?? []));
  }
  const channelType = channel.type === "im" || channel.type === "mpim" ? channel.type : "channel";
  return missed
    .map((event) => ({ ...event, type: "message", channel: channel.id, channel_type: channelType }))
    .sort((a, b) => Number(a.ts) - Number(b.ts));
}

/** Back to `oldest` and to the end of that page, for older threads with new replies. */
async function rootsOf(
  { api, closing }: CatchUpParts,
  channel: string,
  oldest: number,
): Promise<SlackEvent[]> {
  const roots: SlackEvent[] = [];
  for await (const page of pages(api, { channel }, MAX_PAGES, closing)) {
    roots.push(...page);
    if (Number(page.at(-1)?.ts ?? 0) <= oldest) break;
  }
  return roots;
}

async function repliesOf({ api, closing }: CatchUpParts, channel: string, ts: string, oldest: number) {
  const replies: SlackEvent[] = [];
  const range = { channel, thread_ts: ts, oldest: String(oldest) };
  for await (const page of pages(api, range, MAX_PAGES, closing)) replies.push(...page);
  return replies.filter((reply) => reply.ts !== ts && Number(reply.ts) > oldest);
}

/** Obeys rate limits. Skips what this app may not read and logs it. */
async function retrying<T>(parts: CatchUpParts, ask: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      parts.closing.throwIfAborted();
      const { retryAfter } = error as { retryAfter?: number };
      if (retryAfter === undefined) return skip(parts, error);
      await sleep(Math.min(retryAfter, MAX_WAIT_SECONDS) * 1000, undefined, { signal: parts.closing });
    }
  }
}

function skip(parts: CatchUpParts, error: unknown): undefined {
  const { data } = error as { data?: unknown };
  // Slack is unreachable: trying every channel would take too long.
  if (data === undefined) throw error;
  parts.settings.log(
    isHopeless(error) ? "warn" : "debug",
    `Could not fetch missed messages: ${explain(error)}`,
  );
  return undefined;
}
