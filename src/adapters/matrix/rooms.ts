/** What is known about rooms, their people and their threads: from syncs, else asked for once. */
import { BoundedMap } from "../../bounded-map.js";
import { isRecord } from "../kit/rest.js";
import { type MatrixApi, type MatrixEvent, roomPath, unlessRefused } from "./api.js";
import { isRoomId } from "./ids.js";
import { type RoomFacts, rootOf, type ThreadFacts } from "./normalise.js";

const MAX_ROOMS = 5000;
const MAX_THREADS = 5000;
const MAX_NAMES = 20_000;

export class Rooms {
  readonly #api: MatrixApi;
  readonly #known = new BoundedMap<string, Omit<RoomFacts, "isDirect"> & { members: number }>(MAX_ROOMS);
  readonly #names = new BoundedMap<string, string>(MAX_NAMES);
  readonly #threads = new BoundedMap<string, ThreadFacts>(MAX_THREADS);
  /** Rooms in the bot's own list of direct chats. */
  #direct: Record<string, string[]> | undefined;

  constructor(api: MatrixApi) {
    this.#api = api;
  }

  /** A change of the room: what is known of it is asked for again when it is needed. */
  changed(roomId: string, event: MatrixEvent): void {
    if (/^m\.room\.(?:member|name|encryption)$/.test(event.type)) this.#known.delete(roomId);
  }

  learnDirect(content: unknown): void {
    if (isRecord(content)) this.#direct = readDirect(content);
  }

  /** Rejects if the server is unavailable right now. */
  async find(roomId: string, me: string, signal: AbortSignal): Promise<RoomFacts> {
    const known = this.#known.get(roomId) ?? (await this.#ask(roomId, signal));
    this.#known.set(roomId, known);
    const { name, encrypted, members } = known;
    const isListed = Object.values(await this.#directRooms(me, signal)).some((rooms) =>
      rooms.includes(roomId),
    );
    return { name, encrypted, isDirect: isListed || (name === null && members === 2) };
  }

  async #ask(roomId: string, signal: AbortSignal) {
    const [named, encryption, list] = await Promise.all([
      this.#api.state(roomId, "m.room.name", signal),
      this.#api.state(roomId, "m.room.encryption", signal),
      this.#api.call("GET", `${roomPath(roomId)}/joined_members`, { signal }).catch(unlessRefused),
    ]);
    const joined = isRecord(list) && isRecord(list.joined) ? list.joined : {};
    for (const [id, person] of Object.entries(joined).slice(0, MAX_NAMES))
      if (isRecord(person) && typeof person.display_name === "string")
        this.#names.set(id, person.display_name);
    const name = typeof named?.name === "string" && named.name !== "" ? named.name : null;
    return { name, encrypted: encryption !== undefined, members: Object.keys(joined).length };
  }

  nameOf(userId: string): string | null {
    return this.#names.get(userId) || null;
  }

  async #directRooms(me: string, signal: AbortSignal): Promise<Record<string, string[]>> {
    const path = `/user/${encodeURIComponent(me)}/account_data/m.direct`;
    this.#direct ??= readDirect(await this.#api.call("GET", path, { signal }).catch(unlessRefused));
    return this.#direct;
  }

  /** Adds a room to the bot's direct chats, as clients do when they accept an invitation to one. */
  async addDirect(me: string, person: string, roomId: string, signal: AbortSignal): Promise<void> {
    const direct = await this.#directRooms(me, signal);
    const rooms = direct[person] ?? [];
    if (rooms.includes(roomId)) return;
    this.#direct = { ...direct, [person]: [...rooms, roomId] };
    const path = `/user/${encodeURIComponent(me)}/account_data/m.direct`;
    await this.#api.call("PUT", path, { body: this.#direct, signal });
  }

  // ── threads ───────────────────────────────────────────────────────────────────────────────────────────────────────

  joined(rootId: string | null | undefined): void {
    if (!rootId) return;
    this.#threads.set(rootId, { withBot: true, byBot: this.#threads.get(rootId)?.byBot ?? false });
  }

  /** Undefined if the event is in no thread. Rejects if the server is unavailable right now. */
  async threadOf(
    roomId: string,
    event: MatrixEvent,
    me: string,
    signal: AbortSignal,
  ): Promise<ThreadFacts | undefined> {
    const root = rootOf(event);
    if (root === undefined) return undefined;
    const known = this.#threads.get(root);
    if (known) return known;
    const [first, replies] = await Promise.all([
      this.#api.event(roomId, root, signal),
      this.#api.thread(roomId, root, signal),
    ]);
    const byBot = first?.sender === me;
    const facts = { byBot, withBot: byBot || replies.some(({ sender }) => sender === me) };
    this.#threads.set(root, facts);
    return facts;
  }
}

function readDirect(content: unknown): Record<string, string[]> {
  if (!isRecord(content)) return {};
  return Object.fromEntries(
    Object.entries(content).map(([id, rooms]) => [id, Array.isArray(rooms) ? rooms.filter(isRoomId) : []]),
  );
}
