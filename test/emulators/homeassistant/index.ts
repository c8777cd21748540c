/**
 * Home Assistant on this machine: a WebSocket for changes, REST for states and services. Nothing is replayed: a change that is
 * pushed while no client listens is only to be seen in the states. A notification replaces the one with its id.
 */
import { randomUUID } from "node:crypto";
import { type WebSocket, WebSocketServer } from "ws";
import { type RestAnswer, type RestRequest, RestServer } from "../rest-server.js";

export const TOKEN = "emulated.hass.token";

export interface Notification {
  id: string;
  text: string;
  atMs: number;
}

interface State {
  entity_id: string;
  state: string;
  attributes: Record<string, unknown>;
  last_changed: string;
  last_updated: string;
  context: { id: string; parent_id: null; user_id: null };
}

interface Client {
  socket: WebSocket;
  isIn: boolean;
  /** The command that subscribed. */
  subscription: number | undefined;
}

const MAX_STATE = 255;

export class HomeAssistantEmulator {
  readonly server = new RestServer((request) => this.#answer(request));
  token = TOKEN;
  /** Each change is pushed twice. */
  duplicate = false;
  /** By id, oldest first. */
  readonly notifications = new Map<string, Notification>();
  /** Calls of `notify` services. */
  readonly notified: { service: string; body: Record<string, unknown> }[] = [];
  readonly #states = new Map<string, State>();
  readonly #clients = new Set<Client>();
  #held: (() => void)[] | undefined;
  #lastMs = 0;

  constructor() {
    const sockets = new WebSocketServer({ noServer: true });
    this.server.http.on("upgrade", (request, socket, head) => {
      if (request.url !== "/api/websocket" || this.server.silent) return void socket.destroy();
      sockets.handleUpgrade(request, socket, head, (client) => this.#welcome(client));
    });
  }

  get url(): string {
    return this.server.url;
  }

  get sockets(): number {
    return this.#clients.size;
  }

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  async close(): Promise<void> {
    this.cut();
    await this.server.stop();
  }

  // ── the house ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The new state of an entity; an entity that isn't there yet begins to be. */
  set(entityId: string, state: string, attributes: Record<string, unknown> = {}): void {
    const before = this.#states.get(entityId);
    const at = new Date(this.#now()).toISOString();
    const kept = state.slice(0, MAX_STATE);
    const isSame = before?.state === kept;
    const now: State = {
      ...{ entity_id: entityId, state: kept, attributes: { ...before?.attributes, ...attributes } },
      ...{ last_changed: isSame ? before.last_changed : at, last_updated: at },
      context: { id: randomUUID(), parent_id: null, user_id: null },
    };
    this.#states.set(entityId, now);
    this.#push({ entity_id: entityId, old_state: before ?? null, new_state: now });
  }

  remove(entityId: string): void {
    const before = this.#states.get(entityId);
    this.#states.delete(entityId);
    this.#push({ entity_id: entityId, old_state: before ?? null, new_state: null });
  }

  hold(): void {
    this.#held ??= [];
  }

  /** Pushes what was kept back, the last first. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const push of held.reverse()) push();
  }

  cut(): void {
    for (const { socket } of this.#clients) socket.terminate();
  }

  /** To every client that is logged in. */
  raw(text: string): void {
    for (const { socket, isIn } of this.#clients) if (isIn) socket.send(text);
  }

  #now(): number {
    this.#lastMs = Math.max(this.#lastMs + 1, Date.now());
    return this.#lastMs;
  }

  // ── the socket ────────────────────────────────────────────────────────────────────────────────────────────────────

  #push(data: object): void {
    const event = {
      event_type: "state_changed",
      data,
      origin: "LOCAL",
      time_fired: new Date().toISOString(),
    };
    const push = () => {
      for (let copies = this.duplicate ? 2 : 1; copies > 0; copies--) this.#pushOnce(event);
    };
    if (this.#held) this.#held.push(push);
    else push();
  }

  #pushOnce(event: object): void {
    if (this.server.silent) return;
    for (const { socket, subscription: id } of this.#clients)
      if (id !== undefined) socket.send(JSON.stringify({ id, type: "event", event }));
  }

  #welcome(socket: WebSocket): void {
    const client: Client = { socket, isIn: false, subscription: undefined };
    this.#clients.add(client);
    socket.on("close", () => this.#clients.delete(client));
    socket.on("error", () => socket.terminate());
    socket.on("message", (frame) => {
      if (!this.server.silent) this.#hear(client, JSON.parse(String(frame)));
    });
    socket.send(JSON.stringify({ type: "auth_required", ha_version: "2026.11.0" }));
  }

  #hear(
    client: Client,
    frame: { id: number; type: string; access_token?: string; event_type?: string },
  ): void {
    const { socket } = client;
    const say = (value: object) => socket.send(JSON.stringify(value));
    if (frame.type === "auth") {
      client.isIn = frame.access_token === this.token;
      say(client.isIn ? { type: "auth_ok" } : { type: "auth_invalid", message: "Invalid access token" });
    }
    if (!client.isIn) socket.close();
    else if (frame.type === "ping") say({ id: frame.id, type: "pong" });
    else if (frame.type === "subscribe_events") {
      client.subscription = frame.id;
      say({ id: frame.id, type: "result", success: true, result: null });
    }
  }

  // ── REST ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #answer({ method, path, headers, json }: RestRequest): RestAnswer {
    if (headers.authorization !== `Bearer ${this.token}`)
      return { status: 401, body: { message: "Unauthorized" } };
    if (path === "/api/") return { status: 200, body: { message: "API running." } };
    if (path === "/api/states") return { status: 200, body: [...this.#states.values()] };
    const [, domain, service] = /^\/api\/services\/(\w+)\/(\w+)$/.exec(path) ?? [];
    if (method !== "POST" || domain === undefined) return { status: 404, body: { message: "Not found" } };
    if (domain === "persistent_notification") this.#notify(json);
    else if (domain === "notify") this.notified.push({ service: service!, body: json });
    else return { status: 400, body: { message: "Service not found" } };
    return { status: 200, body: [] };
  }

  #notify({ notification_id: id, message }: Record<string, unknown>): void {
    const given = String(id ?? randomUUID());
    const atMs = this.notifications.get(given)?.atMs ?? Date.now();
    this.notifications.set(given, { id: given, text: String(message), atMs });
  }
}

/** What it answers to calls that come too early; so do proxies in front of it. */
export function rateLimited(seconds: number): RestAnswer {
  return { status: 429, body: { message: "Too many requests" }, headers: { "retry-after": String(seconds) } };
}
