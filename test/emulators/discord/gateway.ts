/** The gateway: hello, identify, heartbeats, resume with replay, invalid session, reconnect. */
import { randomBytes } from "node:crypto";
import type { WebSocket } from "ws";
import type { Faults } from "./faults.js";
import type { Json } from "./payloads.js";

const OP = {
  dispatch: 0,
  heartbeat: 1,
  identify: 2,
  resume: 6,
  reconnect: 7,
  invalid: 9,
  hello: 10,
  ack: 11,
} as const;
const MAX_REPLAY = 20_000;

interface Frame {
  s: number;
  t: string;
  d: Json;
}

interface Session {
  id: string;
  seq: number;
  log: Frame[];
  socket: WebSocket | null;
}

export interface GatewayOptions {
  token: string;
  heartbeatMs: number;
  /** The allowed intents; others close the connection with 4014. */
  allowedIntents: number;
  url(): string;
  ready(): Json;
  /** The servers that follow READY. */
  afterReady(): { t: string; d: Json }[];
  identified(): void;
}

export class GatewayServer {
  readonly #options: GatewayOptions;
  readonly #faults: Faults;
  readonly #sessions = new Map<string, Session>();
  readonly #sockets = new Set<WebSocket>();
  readonly #held: { t: string; d: Json }[] = [];
  identifies = 0;
  resumes = 0;
  heartbeats = 0;
  /** The sequence that each RESUME began from. */
  readonly resumedFrom: number[] = [];
  readonly closeCodes: number[] = [];

  constructor(options: GatewayOptions, faults: Faults) {
    this.#options = options;
    this.#faults = faults;
  }

  get connected(): boolean {
    return [...this.#sessions.values()].some(({ socket }) => socket !== null);
  }

  get sockets(): number {
    return this.#sockets.size;
  }

  accept(socket: WebSocket): void {
    this.#sockets.add(socket);
    socket.on("close", (code) => this.#closed(socket, code));
    socket.on("error", () => socket.terminate());
    socket.on("message", (data) => this.#heard(socket, JSON.parse(String(data)) as Json));
    send(socket, { op: OP.hello, d: { heartbeat_interval: this.#options.heartbeatMs } });
    if (this.#faults.closeAfterHello !== null) socket.close(this.#faults.closeAfterHello);
  }

  dispatch(t: string, d: Json): void {
    const { reorderBy, duplicateEvents } = this.#faults;
    if (reorderBy > 0 && t === "MESSAGE_CREATE") {
      this.#held.push({ t, d });
      if (this.#held.length >= reorderBy) this.release();
      return;
    }
    this.release();
    this.#emit(t, d);
    if (duplicateEvents && t.startsWith("MESSAGE_")) this.#emit(t, d);
  }

  /** Delivers held events, last first. */
  release(): void {
    for (const { t, d } of this.#held.splice(0).reverse()) this.#emit(t, d);
  }

  /** Cuts every connection; the sessions can be resumed. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  close(code: number): void {
    for (const socket of this.#sockets) socket.close(code);
  }

  askToReconnect(): void {
    for (const socket of this.#sockets) send(socket, { op: OP.reconnect, d: null });
  }

  /** The next RESUME fails with an invalid session. */
  forgetSessions(): void {
    this.#sessions.clear();
  }

  invalidate(resumable = false): void {
    if (!resumable) this.forgetSessions();
    for (const socket of this.#sockets) send(socket, { op: OP.invalid, d: resumable });
  }

  #emit(t: string, d: Json): void {
    for (const session of this.#sessions.values()) this.#emitTo(session, t, d);
  }

  #emitTo(session: Session, t: string, d: Json): void {
    session.seq += 1;
    const frame = { s: session.seq, t, d };
    session.log.push(frame);
    if (session.log.length > MAX_REPLAY) session.log.shift();
    if (session.socket) send(session.socket, { op: OP.dispatch, ...frame });
  }

  #heard(socket: WebSocket, frame: Json): void {
    const d = frame.d as Json;
    if (frame.op === OP.heartbeat) this.#beat(socket);
    if (frame.op === OP.identify) this.#identify(socket, d);
    if (frame.op === OP.resume) this.#resume(socket, d);
  }

  #beat(socket: WebSocket): void {
    this.heartbeats += 1;
    if (!this.#faults.deafToHeartbeats && !this.#faults.silent) send(socket, { op: OP.ack });
  }

  #identify(socket: WebSocket, d: Json): void {
    this.identifies += 1;
    this.#options.identified();
    const refusal = this.#refusal(d);
    if (refusal) {
      socket.close(...refusal);
      return;
    }
    const session: Session = { id: randomBytes(16).toString("hex"), seq: 0, log: [], socket };
    this.#sessions.set(session.id, session);
    const ready = {
      ...this.#options.ready(),
      session_id: session.id,
      resume_gateway_url: this.#options.url(),
    };
    this.#emitTo(session, "READY", ready);
    for (const { t, d: data } of this.#options.afterReady()) this.#emitTo(session, t, data);
  }

  #refusal(d: Json): [code: number, reason: string] | undefined {
    if (d.token !== this.#options.token) return [4004, "Authentication failed."];
    if ((Number(d.intents ?? 0) & ~this.#options.allowedIntents) !== 0)
      return [4014, "Disallowed intent(s)."];
    return undefined;
  }

  #resume(socket: WebSocket, d: Json): void {
    this.resumes += 1;
    const session = this.#sessions.get(String(d.session_id));
    const seq = Number(d.seq);
    const refusal = this.#refusal(d) ?? (session && seq > session.seq ? [4007, "Invalid seq."] : undefined);
    if (refusal) {
      socket.close(refusal[0] as number, refusal[1] as string);
      return;
    }
    if (!session || (session.log[0]?.s ?? 1) > seq + 1) {
      send(socket, { op: OP.invalid, d: false });
      return;
    }
    this.resumedFrom.push(seq);
    session.socket = socket;
    for (const frame of session.log.filter(({ s }) => s > seq)) send(socket, { op: OP.dispatch, ...frame });
    this.#emitTo(session, "RESUMED", {});
  }

  #closed(socket: WebSocket, code: number): void {
    this.#sockets.delete(socket);
    this.closeCodes.push(code);
    for (const session of this.#sessions.values()) {
      if (session.socket !== socket) continue;
      session.socket = null;
      // The client closed normally: the session ends.
      if (code === 1000 || code === 1001) this.#sessions.delete(session.id);
    }
  }
}

function send(socket: WebSocket, frame: object): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}
