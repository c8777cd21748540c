/** A Matrix homeserver on this machine: the client-server API as far as a bot without encryption uses it. */
import { type RestAnswer, type RestRequest, RestServer, send } from "../rest-server.js";
import { type Placed, type Room, type StoredEvent, World } from "./world.js";

export type { Room, StoredEvent } from "./world.js";

export const BOT = "@hermes:test.example";

export interface EmulatorOptions {
  /** How long a transaction id is remembered. */
  txnMs?: number;
  /** How many events a sync gives of a room at most. */
  timeline?: number;
}

export interface Said {
  id: string;
  text: string;
  html: string;
  atMs: number;
  threadId: string | null;
  /** The message that it visibly replies to. */
  replyTo: string | null;
}

interface Poll {
  answer(): void;
}

const ok = (body: unknown): RestAnswer => ({ status: 200, body });
const failed = (status: number, errcode: string, error: string, more: object = {}): RestAnswer => ({
  status,
  body: { errcode, error, ...more },
});
const NOT_FOUND = failed(404, "M_NOT_FOUND", "Not found");

export class MatrixEmulator {
  token = "syt_secret_token";
  readonly world = new World();
  readonly server = new RestServer((request) => this.#answer(request));
  readonly typing: string[] = [];
  readonly receipts: string[] = [];
  /** Each event comes twice. */
  duplicate = false;
  /** Tokens before this one are forgotten. */
  forgotten = -1;
  /** The newest token that a sync came with. */
  confirmed = 0;
  readonly #options: Required<EmulatorOptions>;
  readonly #polls = new Set<Poll>();
  readonly #txns = new Map<string, { id: string; atMs: number }>();

  constructor({ txnMs = 1_800_000, timeline = 20 }: EmulatorOptions = {}) {
    this.#options = { txnMs, timeline };
    this.world.onNews = () => {
      for (const poll of this.#polls) poll.answer();
    };
  }

  get url(): string {
    return this.server.url;
  }

  /** For `platforms.matrix` in config.yaml. */
  get settings() {
    return { token: this.token, api_url: this.url };
  }

  get polls(): number {
    return this.#polls.size;
  }

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  async close(): Promise<void> {
    await this.server.stop();
  }

  // ── people ────────────────────────────────────────────────────────────────────────────────────────────────────────

  room(people: Record<string, string>, name?: string): Room {
    const room = this.world.room({ [BOT]: "Hermes", ...people });
    if (name !== undefined) this.world.setState(room, "m.room.name", { name });
    return room;
  }

  say(room: Room, sender: string, body: string, more: Record<string, unknown> = {}): StoredEvent {
    return this.world.put(room, sender, "m.room.message", { msgtype: "m.text", body, ...more });
  }

  edit(room: Room, { event_id, sender }: StoredEvent, body: string): void {
    this.world.put(room, sender, "m.room.message", {
      ...{ msgtype: "m.text", body: `* ${body}` },
      "m.new_content": { msgtype: "m.text", body },
      "m.relates_to": { rel_type: "m.replace", event_id },
    });
  }

  remove(room: Room, { event_id, sender }: StoredEvent): void {
    this.world.redact(room, sender, event_id);
  }

  /** Someone makes a room and invites the bot. */
  invite(by: string, direct: boolean): Room {
    const room = this.world.room({ [by]: by });
    this.world.pos += 1;
    room.invited.set(BOT, { by, direct, pos: this.world.pos });
    this.world.onNews();
    return room;
  }

  /** The bot's messages as people see them: with their edits, without those that were removed. */
  said(room: Room): Said[] {
    const own = room.timeline.map(({ event }) => event).filter(({ sender }) => sender === BOT);
    const messages = own.filter(
      ({ type, content }) => type === "m.room.message" && !isEdit(content) && content.body,
    );
    return messages.map((event) => {
      const edits = own.filter(
        ({ content }) => isEdit(content) && relation(content).event_id === event.event_id,
      );
      const shown = (edits.at(-1)?.content["m.new_content"] ?? event.content) as Record<string, unknown>;
      const { rel_type: type, event_id: root, "m.in_reply_to": reply } = relation(event.content);
      const quoted =
        type === undefined ? this.world.find(room, String((reply as StoredEvent)?.event_id)) : undefined;
      return {
        id: event.event_id,
        text: String(shown.body),
        html: String(shown.formatted_body ?? ""),
        atMs: event.origin_server_ts,
        threadId: type === "m.thread" ? String(root) : null,
        replyTo: quoted?.content.body ? quoted.event_id : null,
      };
    });
  }

  // ── the API ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #answer(request: RestRequest): RestAnswer | "kept open" {
    if (request.headers.authorization !== `Bearer ${this.token}`)
      return failed(401, "M_UNKNOWN_TOKEN", "Unrecognised access token", { soft_logout: false });
    const [, , area, version, ...rest] = request.path.split("/").map(decodeURIComponent);
    if (area === "media") return this.#upload(request);
    if (version === "v1" && rest[0] === "media") return this.#download(rest[3] ?? "");
    const [first, second] = rest;
    if (first === "sync") return this.#sync(request);
    if (first === "account") return ok({ user_id: BOT, device_id: "D" });
    if (first === "profile") return ok({ displayname: "Hermes" });
    if (first === "joined_rooms") return ok({ joined_rooms: this.#joined().map(({ id }) => id) });
    if (first === "user") return this.#accountData(request, rest[3] ?? "");
    if (first === "join") return this.#join(second ?? "");
    const room = this.world.rooms.get(second ?? "");
    if (first !== "rooms" || !room?.members.has(BOT))
      return failed(403, "M_FORBIDDEN", "You are not in the room");
    return this.#inRoom(room, rest.slice(2), request);
  }

  #inRoom(room: Room, [what, one = "", two = ""]: string[], request: RestRequest): RestAnswer {
    switch (what) {
      case "send":
        return this.#once(`send ${room.id} ${two}`, () => this.#send(room, request.json, two));
      case "redact":
        return this.#once(`redact ${room.id} ${two}`, () => this.world.redact(room, BOT, one).event_id);
      case "messages":
        return this.#messages(room, request.query);
      case "event": {
        const event = this.world.find(room, one);
        return event ? ok(event) : NOT_FOUND;
      }
      case "relations":
        return ok({
          chunk: room.timeline.map(({ event }) => event).filter(({ content }) => isIn(content, one)),
        });
      case "state":
        return room.state.has(one) ? ok(room.state.get(one)!.content) : NOT_FOUND;
      case "joined_members":
        return ok({
          joined: Object.fromEntries([...room.members].map(([id, name]) => [id, { display_name: name }])),
        });
      case "typing":
        this.typing.push(room.id);
        return ok({});
      case "receipt":
        this.receipts.push(two);
        return ok({});
      default:
        return NOT_FOUND;
    }
  }

  /** The same answer for a transaction id that is remembered. */
  #once(txn: string, work: () => string): RestAnswer {
    const known = this.#txns.get(txn);
    if (known && Date.now() - known.atMs < this.#options.txnMs) return ok({ event_id: known.id });
    const id = work();
    this.#txns.set(txn, { id, atMs: Date.now() });
    return ok({ event_id: id });
  }

  #send(room: Room, content: Record<string, unknown>, txn: string): string {
    return this.world.put(room, BOT, "m.room.message", content, { unsigned: { transaction_id: txn } })
      .event_id;
  }

  #messages(room: Room, query: URLSearchParams): RestAnswer {
    const from = Number(query.get("from")?.slice(1) ?? Number.POSITIVE_INFINITY);
    const to = Number(query.get("to")?.slice(1) ?? 0);
    const before = room.timeline.filter(({ pos }) => pos < from && pos > to).reverse();
    const page = before.slice(0, Number(query.get("limit") ?? 10));
    const end = page.length < before.length ? { end: `t${page.at(-1)!.pos}` } : {};
    return ok({ chunk: page.map(({ event }) => event), start: `t${from}`, ...end });
  }

  #joined(): Room[] {
    return [...this.world.rooms.values()].filter(({ members }) => members.has(BOT));
  }

  #join(id: string): RestAnswer {
    const room = this.world.rooms.get(id);
    if (!room?.invited.delete(BOT)) return failed(403, "M_FORBIDDEN", "You are not invited");
    room.members.set(BOT, "Hermes");
    return ok({ room_id: id });
  }

  #accountData({ method, json }: RestRequest, type: string): RestAnswer {
    const known = this.world.accountData.get(type);
    if (method === "GET") return known ? ok(known.content) : NOT_FOUND;
    this.world.pos += 1;
    this.world.accountData.set(type, { pos: this.world.pos, content: json });
    return ok({});
  }

  #upload({ body, headers }: RestRequest): RestAnswer {
    const id = `m${this.world.media.size}`;
    this.world.media.set(id, { type: headers["content-type"] ?? "", content: body });
    return ok({ content_uri: `mxc://test.example/${id}` });
  }

  #download(id: string): RestAnswer {
    const file = this.world.media.get(id);
    return file ? { status: 200, body: file.content, headers: { "content-type": file.type } } : NOT_FOUND;
  }

  // ── syncs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #sync({ query, response }: RestRequest): RestAnswer | "kept open" {
    const since = query.get("since");
    const from = since === null ? 0 : Number(since.slice(1));
    if (since !== null && from < this.forgotten) return failed(400, "M_UNKNOWN", "Unknown token");
    this.confirmed = Math.max(this.confirmed, from);
    const waitMs = Number(query.get("timeout") ?? 0);
    if (waitMs === 0 || this.#hasNews(from)) return ok(this.#news(from, since === null));
    const poll: Poll = {
      answer: () => {
        end();
        if (!this.server.silent) send(response, ok(this.#news(from, false)));
      },
    };
    const timer = setTimeout(poll.answer, waitMs);
    const end = () => {
      clearTimeout(timer);
      this.#polls.delete(poll);
    };
    this.#polls.add(poll);
    response.once("close", end);
    return "kept open";
  }

  #hasNews(from: number): boolean {
    return this.world.pos > from;
  }

  #news(from: number, isFirst: boolean): object {
    const join: Record<string, object> = {};
    for (const room of this.#joined()) {
      const news = room.timeline.filter(({ pos }) => pos > from);
      if (news.length === 0) continue;
      const shown = news.slice(-this.#options.timeline);
      const limited = isFirst || shown.length < news.length;
      const events = shown.flatMap(({ event }: Placed) => (this.duplicate ? [event, event] : [event]));
      join[room.id] = {
        timeline: { events, limited, prev_batch: `t${shown[0]!.pos}` },
        state: { events: [] },
      };
    }
    const data = [...this.world.accountData].filter(([, { pos }]) => pos > from);
    return {
      next_batch: `s${this.world.pos}`,
      rooms: { join, invite: this.#invitations(from), leave: {} },
      account_data: { events: data.map(([type, { content }]) => ({ type, content })) },
    };
  }

  #invitations(from: number): object {
    const found = [...this.world.rooms.values()].flatMap((room) => {
      const invitation = room.invited.get(BOT);
      if (!invitation || invitation.pos <= from) return [];
      const content = { membership: "invite", is_direct: invitation.direct };
      const member = { type: "m.room.member", state_key: BOT, sender: invitation.by, content };
      const events = [member, ...room.state.values()];
      return [[room.id, { invite_state: { events } }] as const];
    });
    return Object.fromEntries(found);
  }
}

function relation(content: Record<string, unknown>): Record<string, unknown> {
  return (content["m.relates_to"] ?? {}) as Record<string, unknown>;
}

function isEdit(content: Record<string, unknown>): boolean {
  return relation(content).rel_type === "m.replace";
}

function isIn(content: Record<string, unknown>, rootId: string): boolean {
  return relation(content).rel_type === "m.thread" && relation(content).event_id === rootId;
}
