/** Socket Mode: tickets, hello, envelopes and acknowledgements. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Deliveries, Delivery } from "./deliveries.js";

export class Sockets {
  /** Opens sockets without a hello. */
  withholdHello = false;
  /** Doesn't answer pings. */
  withholdPongs = false;
  opened = 0;
  pings = 0;
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false });
  readonly #tickets = new Set<string>();
  readonly #open = new Map<WebSocket, Set<string>>();
  readonly #deliveries: Deliveries;
  readonly #appId: string;
  readonly #changed: () => void;

  constructor(deliveries: Deliveries, appId: string, changed: () => void) {
    this.#deliveries = deliveries;
    this.#appId = appId;
    this.#changed = changed;
  }

  get count(): number {
    return this.#open.size;
  }

  ticket(): string {
    const ticket = randomBytes(8).toString("hex");
    this.#tickets.add(ticket);
    return ticket;
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = new URL(request.url ?? "/", "http://emulator").searchParams.get("ticket") ?? "";
    if (!this.#tickets.delete(ticket)) {
      socket.end("HTTP/1.1 408 Request Timeout\r\n\r\n");
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (ws) => this.#accept(ws));
  }

  #accept(ws: WebSocket): void {
    this.#open.set(ws, new Set());
    this.opened += 1;
    ws.on("ping", (data) => {
      this.pings += 1;
      if (!this.withholdPongs) ws.pong(data);
    });
    ws.on("message", (data) => this.#take(ws, String(data)));
    ws.on("close", () => this.#closed(ws));
    ws.on("error", () => ws.terminate());
    if (this.withholdHello) return;
    this.#say(ws, {
      type: "hello",
      num_connections: this.#open.size,
      connection_info: { app_id: this.#appId },
      debug_info: { host: "emulator", approximate_connection_time: 18_060 },
    });
    this.#deliveries.flush();
    this.#changed();
  }

  #take(ws: WebSocket, text: string): void {
    const { envelope_id: id, payload } = JSON.parse(text) as { envelope_id?: string; payload?: unknown };
    if (id === undefined) return;
    this.#open.get(ws)?.delete(id);
    this.#deliveries.acknowledge(id, payload);
  }

  /** Redelivers the unacknowledged events of a closed socket. */
  #closed(ws: WebSocket): void {
    const flying = this.#open.get(ws) ?? new Set();
    this.#open.delete(ws);
    for (const id of flying) this.#deliveries.failed(id, "timeout");
    this.#changed();
  }

  /** Sends each event to a random socket. */
  carry(delivery: Delivery): boolean {
    const sockets = [...this.#open.keys()].filter((ws) => ws.readyState === ws.OPEN);
    const ws = sockets[Math.floor(Math.random() * sockets.length)];
    if (!ws) return false;
    this.#open.get(ws)!.add(delivery.envelopeId);
    this.#say(ws, {
      envelope_id: delivery.envelopeId,
      type: delivery.type,
      payload: delivery.payload,
      accepts_response_payload: delivery.type !== "events_api",
      ...(delivery.type === "events_api"
        ? { retry_attempt: delivery.attempts - 1, retry_reason: delivery.retryReason }
        : {}),
    });
    return true;
  }

  #say(ws: WebSocket, message: unknown): void {
    ws.send(JSON.stringify(message));
  }

  /** Sends a raw message to all sockets. */
  broadcast(message: unknown): void {
    for (const ws of this.#open.keys()) this.#say(ws, message);
  }

  /** Asks the client to reconnect. */
  refresh(reason = "refresh_requested"): void {
    this.broadcast({ type: "disconnect", reason, debug_info: { host: "emulator" } });
  }

  cut(): void {
    for (const ws of this.#open.keys()) ws.terminate();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
