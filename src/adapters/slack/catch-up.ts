/** What was said while nobody listened: the histories since the stored cursor → the intake, oldest first. */
import { setTimeout as sleep } from "node:timers/promises";
import type { SlackApi } from "./api.js";
import type { SlackSettings } from "./config.js";
import { explain, isHopeless } from "./faults.js";
import { pages } from "./history.js";
import { isTs } from "./ids.js";
import type { SlackEvent } from "./native.js";

export interface CatchUpParts {
  settings: SlackSettings;
  api: SlackApi;
  /** Takes a post as if Slack had delivered it. */
  accept(event: SlackEvent): Promise<void>;
  stopping: AbortSignal;
}

/** Slack delivers again for so long: what it would still bring must not be taken for heard. */
const OVERLAP_SECONDS = 600;
const MOST_ROOMS = 500;
const MOST_PAGES = 10;
const LONGEST_WAIT_SECONDS = 60;
const KINDS = ["im", "mpim", "private_channel", "public_channel"];

interface Room {
  id: string;
  type: string;
}

/** Everything in all rooms that is younger than `seen`. Rejects only when the adapter stops or Slack is gone. */
export async function catchUp(parts: CatchUpParts, seen: string): Promise<void> {
  const { log } = parts.settings;
  const oldest = Math.max(Number(seen) - OVERLAP_SECONDS, 0);
  let late = 0;
  for (const room of await roomsOf(parts)) {
    for (const event of await missedIn(parts, room, oldest)) {
      await parts.accept(event);
      if (Number(event.ts) > Number(seen)) late += 1;
    }
  }
  if (late > 0) log("info", `Fetched ${late} messages that came while the bot was away`);
}

/** Direct messages first: in them everything is for the bot. */
async function roomsOf(parts: CatchUpParts): Promise<Room[]> {
  const rooms: Room[] = [];
  for (const type of KINDS) {
    let cursor: string | undefined;
    do {
      const args = { types: type, cursor, limit: 200, exclude_archived: true };
      const answer = await patiently(parts, () => parts.api.call<RoomsAnswer>("users.conversations", args));
      if (!answer) break;
      rooms.push(...(answer.channels ?? []).flatMap(({ id }) => (id ? [{ id, type }] : [])));
      cursor = answer.response_metadata?.next_cursor || undefined;
    } while (cursor !== undefined && rooms.length < MOST_ROOMS);
  }
  return rooms.slice(0, MOST_ROOMS);
}

interface RoomsAnswer {
  channels?: { id?: string }[];
  response_metadata?: { next_cursor?: string };
}

/** Posts and replies since `oldest`, in order. Replies hang on roots that may be older. */
async function missedIn(parts: CatchUpParts, room: Room, oldest: number): Promise<SlackEvent[]> {
  const roots = await patiently(parts, () => rootsOf(parts, room.id, oldest));
  const missed = (roots ?? []).filter(({ ts }) => Number(ts) > oldest);
  for (const { ts, latest_reply: reply } of roots ?? []) {
    if (!isTs(ts) || Number(reply ?? 0) <= oldest) continue;
    const replies = await patiently(parts, () => repliesOf(parts, room.id, ts, oldest));
    missed.push(...(replies ?? []));
  }
  const channelType = room.type === "im" || room.type === "mpim" ? room.type : "channel";
  return missed
    .map((event) => ({ ...event, type: "message", channel: room.id, channel_type: channelType }))
    .sort((a, b) => Number(a.ts) - Number(b.ts));
}

/** Back to `oldest`, and the rest of that page: threads that live longer. */
async function rootsOf(
  { api, stopping }: CatchUpParts,
  channel: string,
  oldest: number,
): Promise<SlackEvent[]> {
  const roots: SlackEvent[] = [];
  for await (const page of pages(api, { channel }, MOST_PAGES, stopping)) {
    roots.push(...page);
    if (Number(page.at(-1)?.ts ?? 0) <= oldest) break;
  }
  return roots;
}

async function repliesOf({ api, stopping }: CatchUpParts, channel: string, ts: string, oldest: number) {
  const replies: SlackEvent[] = [];
  const range = { channel, thread_ts: ts, oldest: String(oldest) };
  for await (const page of pages(api, range, MOST_PAGES, stopping)) replies.push(...page);
  return replies.filter((reply) => reply.ts !== ts && Number(reply.ts) > oldest);
}

/** Waits where Slack asks to; leaves out what this app may not read, with one line about it. */
async function patiently<T>(parts: CatchUpParts, ask: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      parts.stopping.throwIfAborted();
      const { retryAfter } = error as { retryAfter?: number };
      if (retryAfter === undefined) return giveUp(parts, error);
      await sleep(Math.min(retryAfter, LONGEST_WAIT_SECONDS) * 1000, undefined, { signal: parts.stopping });
    }
  }
}

function giveUp(parts: CatchUpParts, error: unknown): undefined {
  const { data } = error as { data?: unknown };
  // No answer at all: Slack is gone, and trying every room would take for ever.
  if (data === undefined) throw error;
  parts.settings.log(isHopeless(error) ? "warn" : "debug", `Not caught up: ${explain(error)}`);
  return undefined;
}
