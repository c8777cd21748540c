/**
 * Pigeon, the made-up platform of docs/adding-a-platform.md: people talk in rooms, a bot polls for what happened and
 * posts. `new PigeonEmulator().start()`, then give a bot its `url` and `token`.
 */
import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface Room {
  id: string;
  direct: boolean;
  name: string;
}

interface Said {
  id: string;
  room: Room;
  from: { id: string; name: string; bot: boolean };
  text: string;
  mentions: string[];
  answers: { id: string; from: string; text: string } | null;
  at: number;
}

interface Event {
  number: number;
  kind: string;
  message: unknown;
}

interface Poll {
  answer(): void;
}

/** What a post meets: refused, put off, or carried out without a word about it. */
type Fault = { status: number; reason: string; retryAfter?: number } | "drop";

export class PigeonEmulator {
  readonly bot = "bot7";
  token = `${this.bot}.feather`;
  /** Everything that stands in a room, oldest first. */
  readonly messages: Said[] = [];
  /** The bot has said that it has these and all before. */
  confirmed = 0;
  requests = 0;
  posts = 0;
  typing = 0;
  /** How often an event is told. */
  copies = 1;
  /** Every answer takes so long; Infinity: none comes. */
  delayMs = 0;
  readonly faults: Fault[] = [];
  readonly #rooms = new Map<string, Room>();
  readonly #events: Event[] = [];
  readonly #byKey = new Map<string, string>();
  readonly #polls = new Set<Poll>();
  readonly #server = http.createServer((request, response) => void this.#serve(request, response));
  #port = 0;
  #ids = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get polls(): number {
    return this.#polls.size;
  }

  get lastEvent(): number {
    return this.#events.at(-1)?.number ?? 0;
  }

  async start(): Promise<this> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Nobody listens; `start` brings it back at the same address. */
  async goDown(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.goDown();
  }

  say(room: Room, from: string, text: string, mentions: string[] = []): Said {
    const message = this.#put(room, { id: from.toLowerCase(), name: from, bot: false }, text, null);
    message.mentions = mentions;
    this.tell("said", message);
    return message;
  }

  edit(message: Said, text: string): void {
    message.text = text;
    this.tell("changed", message);
  }

  remove(message: Said): void {
    this.messages.splice(this.messages.indexOf(message), 1);
    this.tell("removed", message);
  }

  tell(kind: string, message: unknown): void {
    this.#events.push({ number: this.lastEvent + 1, kind, message });
    for (const poll of this.#polls) poll.answer();
  }

  /** What the bot has said in a room. */
  said(room: Room): Said[] {
    return this.messages.filter((message) => message.room.id === room.id && message.from.bot);
  }

  #put(room: Room, from: Said["from"], text: string, answers: string | null): Said {
    this.#ids += 1;
    this.#rooms.set(room.id, room);
    const asked = this.messages.find(({ id }) => id === answers);
    const message: Said = {
      id: `m${this.#ids}`,
      room,
      from,
      text,
      mentions: [],
      answers: asked ? { id: asked.id, from: asked.from.id, text: asked.text } : null,
      at: Date.now() / 1000,
    };
    this.messages.push(message);
    return message;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    const { pathname, searchParams } = new URL(request.url ?? "", this.url);
    const body = request.method === "POST" ? ((await json(request)) as Record<string, string>) : {};
    if (request.headers.authorization !== `Bearer ${this.token}`) this.#answer(response, 401, "who are you?");
    else if (pathname === "/events")
      this.#poll(response, Number(searchParams.get("after")), Number(searchParams.get("wait")));
    else if (pathname === "/messages") this.#post(response, body);
    else {
      if (pathname === "/typing") this.typing += 1;
      this.#answer(response, 200, { id: this.bot });
    }
  }

  #poll(response: ServerResponse, after: number, waitSeconds: number): void {
    this.confirmed = Math.max(this.confirmed, after);
    const events = () => this.#events.filter(({ number }) => number > after);
    const poll: Poll = {
      answer: () => {
        this.#polls.delete(poll);
        clearTimeout(timer);
        const told = events().flatMap((event) => Array.from({ length: this.copies }, () => event));
        this.#answer(response, 200, { events: told });
      },
    };
    const timer = setTimeout(poll.answer, waitSeconds * 1000);
    this.#polls.add(poll);
    response.once("close", () => {
      this.#polls.delete(poll);
      clearTimeout(timer);
    });
    if (events().length > 0) poll.answer();
  }

  #post(response: ServerResponse, body: Record<string, string | null>): void {
    this.posts += 1;
    const fault = this.faults.shift();
    const room = this.#rooms.get(body.room ?? "");
    if (fault && fault !== "drop") {
      if (fault.retryAfter !== undefined) response.setHeader("retry-after", fault.retryAfter);
      this.#answer(response, fault.status, fault.reason);
    } else if (!room) {
      this.#answer(response, 404, "there is no such room");
    } else {
      const bot = { id: this.bot, name: "Hermes", bot: true };
      const known = this.#byKey.get(body.key!);
      const id = known ?? this.#put(room, bot, body.text!, body.answers ?? null).id;
      this.#byKey.set(body.key!, id);
      if (fault === "drop") response.destroy();
      else this.#answer(response, 201, { id });
    }
  }

  #answer(response: ServerResponse, status: number, body: object | string): void {
    if (this.delayMs === Number.POSITIVE_INFINITY) return;
    const end = () => {
      response.statusCode = status;
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    };
    if (this.delayMs === 0) end();
    else setTimeout(end, this.delayMs);
  }
}
