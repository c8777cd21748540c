/** A WebSocket for JSON frames that can be terminated. */
import type { Socket } from "node:net";
import type { LiveSocket } from "./socket-loop.js";

export interface FrameSocket extends LiveSocket {
  /** Does nothing while the socket isn't open. */
  send(frame: object): void;
}

export interface FrameOptions {
  /** With http or https. */
  url: string;
  /** Longer frames are skipped. */
  maxChars: number;
  /** Called for every frame, even unreadable ones. */
  heard(): void;
  frame(value: unknown): void;
  signal: AbortSignal;
}

/** The signal closes it. */
export async function frameSocket(options: FrameOptions): Promise<FrameSocket> {
  const { url, maxChars, heard, frame, signal } = options;
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
  const socket = new WebSocket(url.replace(/^http/, "ws"), { dispatcher });
  /** A silent server doesn't complete the closing handshake, so terminate. */
  const close = () => {
    signal.removeEventListener("abort", close);
    socket.close();
    raw?.destroy();
    void dispatcher.destroy().catch(() => undefined);
  };
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      close();
      resolve();
    };
    socket.addEventListener("close", end, { once: true });
    // Node's socket errors may contain addresses, so the loop reports its own text.
    socket.addEventListener("error", end, { once: true });
  });
  socket.addEventListener("message", ({ data }) => {
    heard();
    const value = typeof data === "string" && data.length <= maxChars ? jsonOf(data) : undefined;
    if (value !== undefined) frame(value);
  });
  signal.addEventListener("abort", close, { once: true });
  const send = (value: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(value));
  };
  return { closed, close, send };
}

/** Undefined if it isn't JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
