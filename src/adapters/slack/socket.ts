/** Socket Mode: keeps one socket open until the adapter stops, and acknowledges what the receiver has stored. */
import type { SocketModeClient } from "@slack/socket-mode";
import type { BackoffLimits } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import { settlesWithin } from "../../timeout.js";
import { keepSocketOpen, type LiveSocket, type SocketLost } from "../kit/socket-loop.js";
import type { Delivery } from "./bolt.js";
import type { Timing } from "./config.js";
import { explain, isHopeless } from "./errors.js";
import { quietLogger } from "./quiet-logger.js";

export interface SocketParts {
  appToken: string;
  apiUrl: string;
  timing: Timing;
  backoff: BackoffLimits;
  /** Resolves with the response once the event is stored; rejects to have Slack deliver it again. */
  take(delivery: Delivery): Promise<unknown>;
  /** Called before each socket; `gapMs` is the time without one, undefined for the first. */
  beforeOpen(gapMs: number | undefined): Promise<void>;
  /** `sockets` is how many this app has open, those of other gateways included. */
  onOpen(sockets: number): void;
  onAlive(): void;
  /** The socket closed or couldn't be opened; another attempt follows. */
  onFailure(detail: string, hopeless: boolean): void;
  closing: AbortSignal;
}

interface SocketEnvelope {
  body: unknown;
  retry_num?: number;
  retry_reason?: string;
  ack(response?: unknown): Promise<void>;
}

/** Ends when the adapter stops. Rejects only if the first attempt fails for a reason that retries can't fix. */
export async function listen(parts: SocketParts): Promise<void> {
  const { timing, backoff, closing } = parts;
  let sockets = 1;
  let hasOpened = false;
  let clockOffsetMs = 0;
  await keepSocketOpen({
    open: (heard, signal) => open(parts, heard, (count) => (sockets = count), signal),
    beforeOpen: parts.beforeOpen,
    onOpen: () => {
      hasOpened = true;
      clockOffsetMs = clockOffset();
      parts.onOpen(sockets);
    },
    onAlive: parts.onAlive,
    onLost: (lost) => {
      const delayMs = lostDelay(parts, lost, hasOpened);
      // The SDK dates pongs by the wall clock, so it closes a good socket when the clock is set. Nothing failed.
      const wasClockSet = lost.wasOpen && Math.abs(clockOffset() - clockOffsetMs) > timing.pingMs / 2;
      return wasClockSet ? 0 : delayMs;
    },
    signal: closing,
    backoff,
    openTimeoutMs: timing.helloMs,
    // The SDK sends the pings and closes a socket without pongs. This is the limit if it fails to.
    pingMs: timing.pingMs,
    stableMs: timing.stableMs,
    closeTimeoutMs: 2 * timing.closeMs,
  });
}

/** Changes only when the clock is set. */
function clockOffset(): number {
  return Date.now() - performance.now();
}

function lostDelay(parts: SocketParts, { reason, wasOpen, failures }: SocketLost, hasOpened: boolean) {
  if (wasOpen) {
    parts.onFailure("The socket to Slack was closed: reconnecting", false);
    return undefined;
  }
  const hopeless = isHopeless(reason);
  // The bot token has passed auth.test, so Slack rejects the app token here.
  const detail = hopeless ? `Socket Mode's app_token: ${explain(reason)}` : explain(reason);
  if (hopeless && !hasOpened && failures === 1) throw new HermesError("refused", detail, { cause: reason });
  parts.onFailure(detail, hopeless);
  return hopeless ? parts.timing.hopelessMs : undefined;
}

async function open(
  parts: SocketParts,
  heard: () => void,
  onHello: (sockets: number) => void,
  signal: AbortSignal,
): Promise<LiveSocket> {
  const client = await createClient(parts, heard, signal);
  client.on("ws_message", (data: unknown) => {
    const sockets = openSockets(data);
    if (sockets !== undefined) onHello(sockets);
  });
  client.on("slack_event", (envelope: SocketEnvelope) => {
    heard();
    void take(parts, envelope);
  });
  const closed = new Promise<void>((resolve) => client.on("disconnected", () => resolve()));
  const close = () => disconnect(client, closed, parts.timing.closeMs);
  const abandon = () => {
    // The SDK opens its socket even after we gave up waiting for it.
    client.on("connecting", () => setImmediate(() => void client.disconnect()));
    void close();
  };
  signal.addEventListener("abort", abandon, { once: true });
  try {
    await client.start();
  } catch (error) {
    void close();
    throw error;
  } finally {
    signal.removeEventListener("abort", abandon);
  }
  return { closed, close };
}

async function createClient(
  { appToken, apiUrl, timing }: SocketParts,
  heard: () => void,
  signal: AbortSignal,
): Promise<SocketModeClient> {
  const { SocketModeClient: Client } = await import("@slack/socket-mode");
  const client = new Client({
    appToken,
    // The SDK's reconnect waits five seconds even after a requested refresh, and has no jitter.
    autoReconnectEnabled: false,
    clientPingTimeout: timing.pingMs,
    // The SDK reports pongs only in its log.
    pingPongLoggingEnabled: true,
    logger: quietLogger((text) => {
      if (text.startsWith("WebSocket received p")) heard();
    }),
    clientOptions: {
      slackApiUrl: apiUrl,
      timeout: timing.callMs,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      fetch: (input, init) =>
        fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal }),
    },
  });
  guard(client);
  return client;
}

async function take(parts: SocketParts, envelope: SocketEnvelope): Promise<void> {
  const { body, retry_num: retryNum, retry_reason: retryReason, ack } = envelope;
  try {
    await ack(await parts.take({ body, retryNum, retryReason }));
  } catch {
    // Not stored, which `take` has reported, or the socket was replaced meanwhile: Slack delivers it again either way.
  }
}

/** The SDK throws on envelopes without an event ("app_rate_limited"), in a promise it doesn't handle. */
function guard(client: SocketModeClient): void {
  const listeners = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  for (const listener of listeners) {
    client.on("ws_message", async (...data: unknown[]) => {
      try {
        await listener.apply(client, data);
      } catch {
        // There is nothing to receive in it.
      }
    });
  }
}

/** The number of open sockets in Slack's hello. */
function openSockets(data: unknown): number | undefined {
  if (typeof data !== "string" || !/"type"\s*:\s*"hello"/.test(data)) return undefined;
  const { type, num_connections: sockets } = JSON.parse(data) as { type?: string; num_connections?: number };
  return type === "hello" ? (sockets ?? 1) : undefined;
}

/** The SDK waits 30 s for Slack's close frame; a second disconnect ends it at once. */
async function disconnect(client: SocketModeClient, closed: Promise<void>, closeMs: number): Promise<void> {
  void client.disconnect().catch(() => undefined);
  await settlesWithin(closed, closeMs);
  void client.disconnect().catch(() => undefined);
}
