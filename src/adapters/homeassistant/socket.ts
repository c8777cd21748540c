/** One WebSocket to Home Assistant: log in, subscribe, then changes of states. */
import { isRecord } from "../kit/rest.js";
import type { LiveSocket } from "../kit/socket-loop.js";
import { type FrameSocket, frameSocket } from "../kit/web-socket.js";
import { AuthRefused } from "./api.js";

export interface SocketOptions {
  /** With http or https. */
  apiUrl: string;
  token: string;
  /** Every frame is a sign of life. */
  heard(): void;
  /** Subscribed: called before the first change. */
  subscribed(): void;
  changed(data: unknown): void;
  signal: AbortSignal;
}

/** Attributes can be long; no state has this much. */
const MAX_FRAME_CHARS = 4_000_000;
const SUBSCRIPTION = 1;

/** Resolves when changes come in. Rejects with AuthRefused, or if the socket closes before. */
export async function openSocket(options: SocketOptions): Promise<LiveSocket> {
  const { apiUrl, token, heard, signal } = options;
  let ready = () => {};
  let fail = (_: Error) => {};
  const begun = new Promise<void>((resolve, reject) => {
    ready = resolve;
    fail = reject;
  });
  begun.catch(() => undefined);
  const waiting: unknown[] = [];
  let socket: FrameSocket | undefined;

  const frame = (value: unknown) => {
    // The first frame may come before we hold the socket.
    if (!socket) return void waiting.push(value);
    if (!isRecord(value)) return;
    switch (value.type) {
      case "auth_required":
        return socket.send({ type: "auth", access_token: token });
      case "auth_ok":
        return socket.send({ id: SUBSCRIPTION, type: "subscribe_events", event_type: "state_changed" });
      case "auth_invalid":
        return fail(new AuthRefused("The token was refused"));
      case "result":
        return value.id === SUBSCRIPTION ? subscribed(value.success === true) : undefined;
      case "event":
        if (value.id === SUBSCRIPTION && isRecord(value.event)) options.changed(value.event.data);
    }
  };
  const subscribed = (isDone: boolean) => {
    if (!isDone) return fail(new Error("The subscription was refused"));
    options.subscribed();
    ready();
  };

  socket = await frameSocket({
    ...{ url: `${apiUrl}/api/websocket`, maxChars: MAX_FRAME_CHARS, heard, frame, signal },
  });
  const { closed, close, send } = socket;
  for (const value of waiting) frame(value);
  try {
    await Promise.race([
      begun,
      closed.then(() => Promise.reject(new Error("The socket closed before the login"))),
    ]);
    signal.throwIfAborted();
  } catch (error) {
    await close();
    throw error;
  }
  let pings = SUBSCRIPTION;
  return {
    ...{ closed, close },
    ping: () => {
      pings += 1;
      send({ id: pings, type: "ping" });
    },
  };
}
