/** The answer to a sync → what happened in which room, oldest first. */
import { isRecord } from "../kit/rest.js";
import { type MatrixApi, type MatrixEvent, readEvents, unlessRefused } from "./api.js";
import { isRoomId } from "./ids.js";

export interface Invitation {
  roomId: string;
  from: string;
  isDirect: boolean;
  encrypted: boolean;
}

export interface SyncNews {
  nextBatch: string;
  rooms: { roomId: string; state: MatrixEvent[]; events: MatrixEvent[] }[];
  invitations: Invitation[];
  /** The bot's own list of direct chats, if it changed. */
  direct: unknown;
}

export interface SyncOptions {
  since: string | undefined;
  timeoutMs: number;
  graceMs: number;
  me: string;
  signal: AbortSignal;
  /** A gap was too long to be read completely. */
  skipped(roomId: string): void;
}

const TIMELINE = 50;
const PAGE = 100;
const MAX_PAGES = 50;
/** Nothing that we don't read: no presence, no receipts, no typing. */
const FILTER = JSON.stringify({
  presence: { types: [] },
  account_data: { types: ["m.direct"] },
  room: {
    ephemeral: { types: [] },
    account_data: { types: [] },
    state: { lazy_load_members: true },
    timeline: { limit: TIMELINE },
  },
});

export async function sync(api: MatrixApi, options: SyncOptions): Promise<SyncNews> {
  const { since, timeoutMs, graceMs, me, signal } = options;
  const query = { filter: FILTER, set_presence: "offline", timeout: Math.round(timeoutMs), since };
  const answer = await api.call("GET", "/sync", { query, signal, timeoutMs: timeoutMs + graceMs });
  if (!isRecord(answer) || typeof answer.next_batch !== "string") throw new Error("The answer isn't a sync");
  const rooms = isRecord(answer.rooms) ? answer.rooms : {};
  const news: SyncNews = {
    nextBatch: answer.next_batch,
    rooms: [],
    invitations: entries(rooms.invite).flatMap(([roomId, room]) => invitationOf(roomId, room, me) ?? []),
    direct: directOf(answer.account_data),
  };
  for (const [roomId, room] of entries(rooms.join)) {
    const timeline = isRecord(room.timeline) ? room.timeline : {};
    const events = readEvents(timeline.events);
    // Before the first sync ever nothing is missed.
    const isGap = since !== undefined && timeline.limited === true;
    const missed = isGap ? await gap(api, roomId, timeline.prev_batch, since, options) : [];
    const state = readEvents(isRecord(room.state) ? room.state.events : []);
    news.rooms.push({ roomId, state, events: [...missed, ...events] });
  }
  return news;
}

/** What came between the last sync and the timeline of this one. */
async function gap(
  api: MatrixApi,
  roomId: string,
  before: unknown,
  since: string,
  { signal, skipped }: SyncOptions,
): Promise<MatrixEvent[]> {
  const missed: MatrixEvent[] = [];
  let from = typeof before === "string" ? before : undefined;
  for (let page = 0; from !== undefined; page++) {
    if (page === MAX_PAGES) {
      skipped(roomId);
      break;
    }
    const found = await api.messages(roomId, { from, to: since, limit: PAGE }, signal).catch(unlessRefused);
    missed.push(...(found?.events ?? []));
    from = found && found.events.length > 0 && found.end !== from ? found.end : undefined;
  }
  return missed.reverse();
}

function entries(value: unknown): [string, Record<string, unknown>][] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([id, room]) => (isRoomId(id) && isRecord(room) ? [[id, room]] : []));
}

/** Its events have no ids. */
function invitationOf(roomId: string, room: Record<string, unknown>, me: string): Invitation | undefined {
  const state = isRecord(room.invite_state) ? room.invite_state.events : undefined;
  const events = Array.isArray(state) ? state.filter(isRecord) : [];
  const own = events.find(({ type, state_key: key }) => type === "m.room.member" && key === me);
  if (!own || typeof own.sender !== "string") return undefined;
  const isDirect = isRecord(own.content) && own.content.is_direct === true;
  const encrypted = events.some(({ type }) => type === "m.room.encryption");
  return { roomId, from: own.sender, isDirect, encrypted };
}

function directOf(data: unknown): unknown {
  const events = isRecord(data) && Array.isArray(data.events) ? data.events.filter(isRecord) : [];
  return events.find(({ type }) => type === "m.direct")?.content;
}
