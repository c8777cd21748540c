/** The WebSockets of an emulated Mattermost server. What is pushed while none is open is lost. */
import type http from "node:http";
import { type WebSocket, WebSocketServer } from "ws";

interface Client {
  socket: WebSocket;
  seq: number;
  isIn: boolean;
}

export class Sockets {
  /** Each event is pushed twice. */
  duplicate = false;
  /** Frames get no answer, and no event is pushed. */
  silent = false;
  /** How many were opened. */
  opened = 0;
  readonly #clients = new Set<Client>();
  readonly #isToken: (token: unknown) => boolean;
  /** Events that are kept back, to come in another order. */
  #held: (() => void)[] | undefined;

  constructor(server: http.Server, isToken: (token: unknown) => boolean) {
    this.#isToken = isToken;
    const sockets = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request, socket, head) => {
      this.opened += 1;
      if (request.url !== "/api/v4/websocket") return void socket.destroy();
      sockets.handleUpgrade(request, socket, head, (client) => this.#welcome(client));
    });
  }

  get count(): number {
    return this.#clients.size;
  }

  push(event: string, data: object, channelId: string): void {
    const send = () => {
      for (let copies = this.duplicate ? 2 : 1; copies > 0; copies--) this.#pushOnce(event, data, channelId);
    };
    if (this.#held) this.#held.push(send);
    else send();
  }

  hold(): void {
    this.#held ??= [];
  }

  /** Pushes what was kept back, the last first. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held.reverse()) send();
  }

  /** As if events were lost on the way. */
  skip(): void {
    for (const client of this.#clients) client.seq += 1;
  }

  cut(): void {
    for (const { socket } of this.#clients) socket.terminate();
  }

  raw(text: string): void {
    for (const { socket } of this.#clients) socket.send(text);
  }

  #pushOnce(event: string, data: object, channelId: string): void {
    if (this.silent) return;
    for (const client of this.#clients) {
      if (!client.isIn) continue;
      client.seq += 1;
      const broadcast = { omit_users: null, user_id: "", channel_id: channelId, team_id: "" };
      client.socket.send(JSON.stringify({ event, data, broadcast, seq: client.seq }));
    }
  }

  #welcome(socket: WebSocket): void {
    const client: Client = { socket, seq: 0, isIn: false };
    this.#clients.add(client);
    socket.on("close", () => this.#clients.delete(client));
    socket.on("error", () => socket.terminate());
    socket.on("message", (frame) => {
      if (!this.silent) this.#answer(client, JSON.parse(String(frame)));
    });
  }

  #answer(client: Client, { action, seq, data }: { action: string; seq: number; data: { token?: unknown } }) {
    const { socket } = client;
    if (action === "authentication_challenge") {
      if (!this.#isToken(data.token)) return void socket.close();
      client.isIn = true;
      socket.send(JSON.stringify({ status: "OK", seq_reply: seq }));
      const hello = { server_version: "11.0.0", connection_id: "c" };
      socket.send(JSON.stringify({ event: "hello", data: hello, broadcast: {}, seq: 0 }));
    }
    if (action === "ping")
      socket.send(JSON.stringify({ status: "OK", data: { text: "pong" }, seq_reply: seq }));
  }
}
