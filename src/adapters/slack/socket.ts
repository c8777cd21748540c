/** Socket Mode: one socket at a time, opened again for as long as the adapter lives. An ack follows the inbox. */
import { setTimeout as sleep } from "node:timers/promises";
import type { SocketModeClient } from "@slack/socket-mode";
import { HermesError } from "../../errors.js";
import { backoffMs } from "./backoff.js";
import type { SlackTimes } from "./config.js";
import { explain, isHopeless } from "./faults.js";
import { quietLogger } from "./quiet-logger.js";

export interface SocketParts {
  appToken: string;
  apiUrl: string;
  times: SlackTimes;
  /** Resolves when the inbox has it; rejects: no ack, Slack delivers again. */
  accept(delivered: { type: string; body: unknown }): Promise<void>;
  /** Before a socket is opened; `gapMs`: how long there was none, undefined for the first. */
  beforeOpen(gapMs: number | undefined): Promise<void>;
  onOpen(connections: number): void;
  onAlive(): void;
  /** The connection is gone or didn't come about; another attempt follows. */
  onTrouble(detail: string, hopeless: boolean): void;
}

interface SlackEnvelope {
  type: string;
  body: unknown;
  ack: (answer?: object) => Promise<void>;
}

export class Socket {
  readonly #parts: SocketParts;
  readonly #stopping: AbortSignal;
  #failures = 0;
  #lostAtMs: number | undefined;

  constructor(parts: SocketParts, stopping: AbortSignal) {
    this.#parts = parts;
    this.#stopping = stopping;
  }

  /** Ends when the adapter stops; rejects only where the very first attempt is hopeless. */
  async run(): Promise<void> {
    while (!this.#stopping.aborted) {
      try {
        await this.#parts.beforeOpen(
          this.#lostAtMs === undefined ? undefined : performance.now() - this.#lostAtMs,
        );
        await this.#once();
      } catch (error) {
        await this.#failed(error);
      }
    }
  }

  /** From opening a socket to its end. Rejects when it never opened. */
  async #once(): Promise<void> {
    const client = await this.#client();
    const gone = new Promise<void>((resolve) => client.on("disconnected", () => resolve()));
    const { helloMs, closeMs } = this.#parts.times;
    let given = false;
    // The SDK would still open a socket that nobody waits for any longer.
    client.on("connecting", () => void (given && setImmediate(() => void client.disconnect())));
    try {
      await this.#unlessStopped(within(client.start(), helloMs));
      const openedAtMs = performance.now();
      await this.#unlessStopped(gone);
      await this.#lost(performance.now() - openedAtMs);
    } finally {
      given = true;
      await closeSocket(client, gone, closeMs);
    }
  }

  /** Sockets are replaced every few hours, at once. One that dies young, again and again, is given time. */
  async #lost(livedMs: number): Promise<void> {
    if (this.#stopping.aborted) return;
    this.#lostAtMs = performance.now();
    this.#failures = livedMs >= this.#parts.times.stableMs ? 0 : this.#failures + 1;
    this.#parts.onTrouble("The socket to Slack is closed: opening another", false);
    if (this.#failures > 1) await this.#pause(backoffMs(this.#failures - 2, this.#parts.times));
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#stopping.aborted) return;
    const hopeless = isHopeless(error);
    // The bot's own token is known to be good by now: what Slack refuses here is the other one.
    const detail = hopeless ? `Socket Mode's app_token: ${explain(error)}` : explain(error);
    if (hopeless && this.#lostAtMs === undefined && this.#failures === 0)
      throw new HermesError("refused", detail, { cause: error });
    this.#failures += 1;
    this.#parts.onTrouble(detail, hopeless);
    const { times } = this.#parts;
    await this.#pause(hopeless ? times.hopelessMs : backoffMs(this.#failures - 1, times));
  }

  async #unlessStopped(work: Promise<void>): Promise<void> {
    let stop!: () => void;
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    this.#stopping.addEventListener("abort", stop, { once: true });
    if (this.#stopping.aborted) stop();
    await Promise.race([work, stopped]).finally(() => this.#stopping.removeEventListener("abort", stop));
  }

  async #client(): Promise<SocketModeClient> {
    const { SocketModeClient: Client } = await import("@slack/socket-mode");
    const { appToken, apiUrl, times, onAlive, onOpen } = this.#parts;
    const client = new Client({
      appToken,
      // The SDK's own way back waits five seconds even for a polite goodbye, and knows no jitter.
      autoReconnectEnabled: false,
      clientPingTimeout: times.pingMs,
      // The only place where the SDK tells of pongs.
      pingPongLoggingEnabled: true,
      logger: quietLogger((text) => {
        if (text.startsWith("WebSocket received p")) onAlive();
      }),
      clientOptions: {
        slackApiUrl: apiUrl,
        timeout: times.callMs,
        retryConfig: { retries: 0 },
        rejectRateLimitedCalls: true,
        fetch: (input, init) => fetch(input, { ...init, signal: anyOf(init?.signal, this.#stopping) }),
      },
    });
    guard(client);
    client.on("ws_message", (data: unknown) => {
      const connections = helloConnections(data);
      if (connections !== undefined) onOpen(connections);
    });
    client.on("slack_event", (envelope: SlackEnvelope) => void this.#take(envelope));
    return client;
  }

  async #take({ type, body, ack }: SlackEnvelope): Promise<void> {
    this.#parts.onAlive();
    try {
      await this.#parts.accept({ type, body });
      await ack();
    } catch {
      // Not in the inbox, or the socket was replaced meanwhile: either way Slack delivers it again.
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping }).catch(() => undefined);
  }
}

/** The SDK trips over envelopes without an event ("app_rate_limited"), and its promise is nobody's: it would end us. */
function guard(client: SocketModeClient): void {
  const listeners = client.listeners("ws_message");
  client.removeAllListeners("ws_message");
  for (const listener of listeners) {
    client.on("ws_message", async (...data: unknown[]) => {
      try {
        await listener.apply(client, data);
      } catch {
        // Nothing that could be received.
      }
    });
  }
}

/** How many sockets this app has, as Slack's hello tells. */
function helloConnections(data: unknown): number | undefined {
  if (typeof data !== "string" || !/"type"\s*:\s*"hello"/.test(data)) return undefined;
  const { type, num_connections: connections } = JSON.parse(data) as {
    type?: string;
    num_connections?: number;
  };
  return type === "hello" ? (connections ?? 1) : undefined;
}

function anyOf(one: AbortSignal | null | undefined, other: AbortSignal): AbortSignal {
  return one ? AbortSignal.any([one, other]) : other;
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException("Slack never said hello", "TimeoutError")), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** The SDK waits half a minute for the other side's goodbye; asked a second time, it just leaves. */
async function closeSocket(client: SocketModeClient, gone: Promise<void>, closeMs: number): Promise<void> {
  void client.disconnect().catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, closeMs);
  });
  await Promise.race([gone, patience]);
  clearTimeout(timer);
  void client.disconnect().catch(() => undefined);
}
