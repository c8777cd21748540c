/** One WebSocket to Mattermost: log in, then events. */
import type { Socket } from "node:net";
import { isRecord } from "../kit/rest.js";
import type { LiveSocket } from "../kit/socket-loop.js";

export interface SocketOptions {
  /** The server's address, with http or https. */
  apiUrl: string;
  token: string;
  /** Every frame is a sign of life. */
  heard(): void;
  event(name: string, data: Record<string, unknown>): void;
  /** An event was lost on the way. */
  gap(): void;
  signal: AbortSignal;
}

/** Posts have at most some kilobytes. */
const MAX_FRAME_CHARS = 2_000_000;

/** Resolves after the server's hello. Rejects if the socket closes before. */
export async function openSocket(options: SocketOptions): Promise<LiveSocket> {
  const { apiUrl, token, heard, signal } = options;
  const { WebSocket, Agent, buildConnector } = await import("undici");
  const connector = buildConnector({});
  let raw: Socket | undefined;
  const dispatcher = new Agent({
    connect: (to, done) =>
      connector(to, (...result) => {
        raw = result[1] ?? undefined;
        done(...result);
      }),
  });
  signal.throwIfAborted();
  const socket = new WebSocket(`${apiUrl.replace(/^http/, "ws")}/api/v4/websocket`, { dispatcher });
  const events = new Events(options);
  let sent = 0;
  const say = (action: string, data: object = {}) => {
    sent += 1;
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ seq: sent, action, data }));
  };
  const closed = new Promise<void>((resolve) => {
    const end = () => resolve();
    socket.addEventListener("close", end, { once: true });
    // Node's socket errors may contain addresses, so the loop reports its own text.
    socket.addEventListener("error", end, { once: true });
  });
  socket.addEventListener("open", () => say("authentication_challenge", { token }), { once: true });
  const hello = new Promise<void>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      heard();
      if (events.take(data) === "hello") resolve();
    });
  });
  /** A silent server doesn't complete the closing handshake, so terminate. */
  const close = () => {
    socket.close();
    raw?.destroy();
    void dispatcher.destroy().catch(() => undefined);
  };
  signal.addEventListener("abort", close, { once: true });
  try {
    const first = await Promise.race([hello.then(() => "hello"), closed]);
    signal.throwIfAborted();
    if (first !== "hello") throw new Error("The socket closed before the server's hello");
  } catch (error) {
    close();
    throw error;
  } finally {
    signal.removeEventListener("abort", close);
  }
  return { closed, close, ping: () => say("ping") };
}

/** Frames → events, in the order of their numbers. */
class Events {
  readonly #options: Pick<SocketOptions, "event" | "gap">;
  #next: number | undefined;

  constructor(options: Pick<SocketOptions, "event" | "gap">) {
    this.#options = options;
  }

  /** The event's name; undefined if it is an answer, or can't be read. */
  take(frame: unknown): string | undefined {
    const read = readFrame(frame);
    if (!read) return undefined;
    const { event, data, seq } = read;
    if (typeof seq === "number") {
      if (this.#next !== undefined && seq > this.#next) this.#options.gap();
      this.#next = seq + 1;
    }
    if (event !== "hello") this.#options.event(event, data);
    return event;
  }
}

function readFrame(frame: unknown) {
  if (typeof frame !== "string" || frame.length > MAX_FRAME_CHARS) return undefined;
  try {
    const value: unknown = JSON.parse(frame);
    if (!isRecord(value) || typeof value.event !== "string") return undefined;
    return { event: value.event, data: isRecord(value.data) ? value.data : {}, seq: value.seq };
  } catch {
    return undefined;
  }
}
