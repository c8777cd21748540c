/**
 * The socket to Discord's gateway. The SDK resumes and reconnects; this adds a backoff, sessions that survive a restart, the
 * limit on identifies, and a clear error when only the operator can help.
 */
import type { SessionInfo, WebSocketManager } from "@discordjs/ws";
import type { GatewayDispatchPayload, REST } from "discord.js";
import { GatewayIntentBits } from "discord-api-types/v10";
import { backoffMs, pause } from "../../backoff.js";
import type { Settings } from "./config.js";
import { BAD_TOKEN, finalClose, isBadToken } from "./faults.js";
import type { ResumeState } from "./resume-state.js";

export interface SocketEvents {
  dispatch(packet: GatewayDispatchPayload, shardId: number): void;
  /** Connected; messages come in from now on. */
  up(): void;
  down(detail: string): void;
  /** A heartbeat was answered; `isComplete`: all shards are up, and missed events were replayed. */
  alive(isComplete: boolean): void;
  /** Only the operator can help. */
  fatal(line: string): void;
}

const INTENTS =
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.DirectMessages |
  GatewayIntentBits.MessageContent;
/** Keeps the session resumable: 1000 would end it. */
const RESUMABLE_CLOSE = 4200;
const ABNORMAL_CLOSE = 1006;
/** How many network failures in a row keep the session; then we identify again. */
const MAX_RESUMES = 3;
/** Identifies that are left for restarts by the operator. */
export const IDENTIFY_RESERVE = 20;
const READY_TIMEOUT_MS = 15_000;
const MAX_WAIT_MS = 3_600_000;

export class GatewaySocket {
  readonly #settings: Settings;
  readonly #resumeState: ResumeState;
  readonly #events: SocketEvents;
  readonly #stopped = new AbortController();
  /** Shards that closed and haven't connected since. */
  readonly #closed = new Map<number, { code: number; failures: number }>();
  readonly #up = new Set<number>();
  /** Shard → network failures in a row that kept its session. */
  readonly #kept = new Map<number, number>();
  readonly #failures = new Map<number, number>();
  #manager: WebSocketManager | undefined;
  #lastIdentifyMs = Number.NEGATIVE_INFINITY;
  #first: (() => void) | undefined;

  constructor(settings: Settings, resumeState: ResumeState, events: SocketEvents) {
    this.#settings = settings;
    this.#resumeState = resumeState;
    this.#events = events;
  }

  /** Resolves when it is connected, or when the first attempt has failed; further attempts follow in the background. */
  async start(rest: REST): Promise<void> {
    const { WebSocketManager } = await import("@discordjs/ws");
    const { helloTimeoutMs } = this.#settings.timing;
    const manager = new WebSocketManager({
      token: this.#settings.token,
      rest,
      intents: INTENTS,
      handshakeTimeout: helloTimeoutMs,
      // Longer than the handshake's: the SDK doesn't close a socket that it gives up before it is open.
      helloTimeout: 2 * helloTimeoutMs,
      readyTimeout: READY_TIMEOUT_MS,
      retrieveSessionInfo: (shardId) => this.#retrieve(shardId),
      updateSessionInfo: (shardId, info) => this.#update(shardId, info),
      buildIdentifyThrottler: () => ({
        waitForIdentify: (_shardId, signal) => this.#waitForIdentify(manager, signal),
      }),
    });
    this.#manager = manager;
    this.#listen(manager);
    const first = new Promise<void>((resolve) => {
      this.#first = resolve;
    });
    void this.#connect(manager);
    await first;
  }

  /** Keeps the session: Discord replays the messages that come meanwhile. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#first?.();
    if (!this.#manager) return;
    endHandshakes(this.#manager);
    await this.#manager.destroy({ code: RESUMABLE_CLOSE, reason: "Restarting" });
  }

  // ── connecting ────────────────────────────────────────────────────────────────────────────────────────────────────

  async #connect(manager: WebSocketManager): Promise<void> {
    for (let failures = 0; !this.#stopped.signal.aborted; failures++) {
      try {
        await manager.fetchGatewayInformation(true);
        // From here on the SDK's shards reconnect by themselves; errors come as events.
        await manager.connect().catch((error: unknown) => this.#rethrowIfLimited(error));
        return;
      } catch (error) {
        if (!(await this.#mayRetry(error, failures))) return;
      }
    }
  }

  /** The SDK gives up when the day's identifies don't suffice: retried later. */
  #rethrowIfLimited(error: unknown): void {
    if (error instanceof Error && /sessions remaining/.test(error.message)) throw error;
  }

  /** After a pause. False if the token is refused. */
  async #mayRetry(error: unknown, failures: number): Promise<boolean> {
    if (isBadToken(error)) {
      this.#fatal(BAD_TOKEN);
      return false;
    }
    this.#lost(`Discord can't be reached: ${error instanceof Error ? error.message : String(error)}`);
    await this.#wait(failures);
    return true;
  }

  #wait(failures: number): Promise<void> {
    return pause(backoffMs(failures, this.#settings.timing.reconnect), this.#stopped.signal);
  }

  #listen(manager: WebSocketManager): void {
    const shardEvents = manager as unknown as {
      on(event: string, listener: (payload: ShardEvent) => void): void;
    };
    shardEvents.on("dispatch", ({ data, shardId }) => {
      if (!this.#stopped.signal.aborted) this.#events.dispatch(data as GatewayDispatchPayload, shardId);
    });
    shardEvents.on("ready", ({ shardId }) => this.#connected(shardId));
    shardEvents.on("resumed", ({ shardId }) => this.#connected(shardId));
    shardEvents.on("closed", ({ code = 0, shardId }) => this.#wasClosed(shardId, code));
    shardEvents.on("error", ({ error }) =>
      this.#lost(`Discord's gateway: ${error?.message ?? "unknown error"}`),
    );
    shardEvents.on("heartbeat", ({ shardId }) => {
      // Only a connection that lasts counts as a success: READY alone may repeat endlessly.
      this.#failures.delete(shardId);
      this.#events.alive(this.#up.size >= (manager.options.shardCount ?? 1));
    });
  }

  #connected(shardId: number): void {
    this.#up.add(shardId);
    this.#kept.delete(shardId);
    this.#closed.delete(shardId);
    this.#events.up();
    this.#first?.();
  }

  #wasClosed(shardId: number, code: number): void {
    this.#up.delete(shardId);
    if (this.#stopped.signal.aborted) return;
    const line = finalClose(code);
    if (line !== undefined) {
      this.#fatal(line);
      return;
    }
    const failures = this.#failures.get(shardId) ?? 0;
    this.#failures.set(shardId, failures + 1);
    this.#closed.set(shardId, { code, failures });
    // A session that can't be resumed isn't a failure yet: the SDK identifies at once.
    this.#lost(`The connection to Discord's gateway closed (${code}): reconnecting`, failures > 0);
  }

  #lost(detail: string, failed = true): void {
    if (this.#stopped.signal.aborted) return;
    this.#events.down(detail);
    if (failed) this.#first?.();
  }

  #fatal(line: string): void {
    this.#events.fatal(line);
    this.#first?.();
  }

  // ── called by the SDK ─────────────────────────────────────────────────────────────────────────────────────────────

  /** Called before every connect, so the backoff is here. The first reconnect is immediate. */
  async #retrieve(shardId: number): Promise<SessionInfo | null> {
    const closed = this.#closed.get(shardId);
    this.#closed.delete(shardId);
    if (closed && closed.failures > 0) await this.#wait(closed.failures - 1);
    // The SDK must neither go on nor fail.
    if (this.#stopped.signal.aborted) return new Promise(() => {});
    return this.#resumeState.retrieve(shardId);
  }

  #update(shardId: number, info: SessionInfo | null): void {
    if (this.#stopped.signal.aborted) return;
    if (info === null && this.#keepsSession(shardId)) return;
    this.#resumeState.update(shardId, info);
  }

  /** The SDK drops a session when the network fails, but Discord keeps it. */
  #keepsSession(shardId: number): boolean {
    if (this.#closed.get(shardId)?.code !== ABNORMAL_CLOSE) return false;
    const kept = (this.#kept.get(shardId) ?? 0) + 1;
    this.#kept.set(shardId, kept);
    return kept <= MAX_RESUMES;
  }

  /** Discord resets the token of a bot that uses up its thousand identifies a day. */
  async #waitForIdentify(manager: WebSocketManager, signal: AbortSignal): Promise<void> {
    const spacing = this.#lastIdentifyMs + this.#settings.timing.identifyEveryMs - performance.now();
    if (spacing > 0) await pause(spacing, signal);
    signal.throwIfAborted();
    for (;;) {
      const { remaining, reset_after } = await this.#budget(manager);
      if (remaining > IDENTIFY_RESERVE) break;
      this.#lost(
        `Only ${remaining} connects to Discord are left for today: waiting. The gateway restarts too often.`,
      );
      await pause(Math.min(reset_after, MAX_WAIT_MS), signal);
      signal.throwIfAborted();
    }
    this.#lastIdentifyMs = performance.now();
    this.#settings.log("debug", "identifying to Discord");
  }

  async #budget(manager: WebSocketManager): Promise<{ remaining: number; reset_after: number }> {
    try {
      return (await manager.fetchGatewayInformation(true)).session_start_limit;
    } catch {
      // Unknown: the identify itself will show.
      return { remaining: Number.POSITIVE_INFINITY, reset_after: 0 };
    }
  }
}

/** The SDK doesn't close a socket that isn't open yet: it would open later, without listeners. */
function endHandshakes(manager: WebSocketManager): void {
  const { strategy } = manager as unknown as {
    strategy: { shards?: Map<number, { connection: Socket | null }> };
  };
  for (const { connection } of strategy.shards?.values() ?? []) {
    if (!connection || connection.readyState !== connection.CONNECTING) continue;
    connection.on("error", () => {});
    connection.terminate();
  }
}

interface Socket {
  readyState: number;
  CONNECTING: number;
  on(event: "error", listener: () => void): void;
  terminate(): void;
}

interface ShardEvent {
  shardId: number;
  data?: unknown;
  code?: number;
  error?: Error;
}
