/**
 * The connection to the gateway. The SDK resumes and reconnects by itself; this adds what it lacks: a pause that grows,
 * sessions that outlive the process, an eye on the identify budget, and one clear line when it is over.
 */
import type { SessionInfo, WebSocketManager } from "@discordjs/ws";
import type { GatewayDispatchPayload, REST } from "discord.js";
import type { Settings } from "./config.js";
import { BAD_TOKEN, finalClose, isBadToken } from "./faults.js";
import { INTENTS } from "./kinds.js";
import type { Sessions } from "./sessions.js";
import { backoffMs, never, pause } from "./wait.js";

export interface LinkEvents {
  dispatch(packet: GatewayDispatchPayload, shardId: number): void;
  /** Connected; messages come in from now on. */
  up(): void;
  down(detail: string): void;
  /** A completed heartbeat; `whole`: no shard is away, and what one had missed was replayed. */
  alive(whole: boolean): void;
  /** Nothing but a person can help. */
  over(line: string): void;
}

/** Closed by the SDK on our behalf, so that the session stays: 1000 would end it. */
const CLOSE_BUT_KEEP = 4200;
const ABNORMAL_CLOSE = 1006;
/** So many times a network failure may not cost the session; then we identify anew. */
const RESUME_ATTEMPTS = 3;
/** Identifies that are left for a person's restarts. */
export const IDENTIFY_RESERVE = 20;
const READY_TIMEOUT_MS = 15_000;
const LONGEST_WAIT_MS = 3_600_000;

export class Link {
  readonly #settings: Settings;
  readonly #sessions: Sessions;
  readonly #events: LinkEvents;
  readonly #stopped = new AbortController();
  /** Shards that were closed and not connected since. */
  readonly #closed = new Map<number, { code: number; failures: number }>();
  readonly #up = new Set<number>();
  readonly #kept = new Map<number, number>();
  readonly #failures = new Map<number, number>();
  #manager: WebSocketManager | undefined;
  #lastIdentifyMs = Number.NEGATIVE_INFINITY;
  #first: (() => void) | undefined;

  constructor(settings: Settings, sessions: Sessions, events: LinkEvents) {
    this.#settings = settings;
    this.#sessions = sessions;
    this.#events = events;
  }

  /** Resolves when it is connected, or when the first attempt has failed and the next ones go on behind. */
  async start(rest: REST): Promise<void> {
    const { WebSocketManager } = await import("@discordjs/ws");
    const { helloTimeoutMs } = this.#settings.timing;
    const manager = new WebSocketManager({
      token: this.#settings.token,
      rest,
      intents: INTENTS,
      handshakeTimeout: helloTimeoutMs,
      // Later than the handshake's: what the SDK gives up before the socket is open, it doesn't close.
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

  /** The session stays with Discord: whatever is said while we are away is replayed. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#first?.();
    if (!this.#manager) return;
    cutHandshakes(this.#manager);
    await this.#manager.destroy({ code: CLOSE_BUT_KEEP, reason: "Restarting" });
  }

  // ── connecting ────────────────────────────────────────────────────────────────────────────────────────────────────

  async #connect(manager: WebSocketManager): Promise<void> {
    for (let failures = 0; !this.#stopped.signal.aborted; failures++) {
      try {
        await manager.fetchGatewayInformation(true);
        // From here on the shards look after themselves; what they complain about comes as an event.
        await manager.connect().catch((error: unknown) => this.#refused(error));
        return;
      } catch (error) {
        if (!(await this.#tryAgain(error, failures))) return;
      }
    }
  }

  #refused(error: unknown): void {
    if (error instanceof Error && /sessions remaining/.test(error.message)) throw error;
  }

  async #tryAgain(error: unknown, failures: number): Promise<boolean> {
    if (isBadToken(error)) {
      this.#over(BAD_TOKEN);
      return false;
    }
    this.#lost(`Discord can't be reached: ${error instanceof Error ? error.message : String(error)}`);
    return this.#wait(failures).then(
      () => true,
      () => false,
    );
  }

  #wait(failures: number): Promise<void> {
    const { reconnectBaseMs, reconnectCapMs } = this.#settings.timing;
    return pause(backoffMs(failures, reconnectBaseMs, reconnectCapMs), this.#stopped.signal);
  }

  #listen(manager: WebSocketManager): void {
    const shardEvents = manager as unknown as {
      on(event: string, heard: (payload: ShardEvent) => void): void;
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
      // Only a connection that lives for a while counts as a success: READY alone may come again and again.
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
      this.#over(line);
      return;
    }
    const failures = this.#failures.get(shardId) ?? 0;
    this.#failures.set(shardId, failures + 1);
    this.#closed.set(shardId, { code, failures });
    // A session that can't be resumed any more is no failure yet: the SDK identifies at once.
    this.#lost(`The connection to Discord's gateway was closed (${code}); connecting again`, failures > 0);
  }

  #lost(detail: string, failed = true): void {
    if (this.#stopped.signal.aborted) return;
    this.#events.down(detail);
    if (failed) this.#first?.();
  }

  #over(line: string): void {
    this.#events.over(line);
    this.#first?.();
  }

  // ── what the SDK asks for ─────────────────────────────────────────────────────────────────────────────────────────

  /** Asked before every connect: the place to pause. The first reconnect is at once. */
  async #retrieve(shardId: number): Promise<SessionInfo | null> {
    const closed = this.#closed.get(shardId);
    this.#closed.delete(shardId);
    if (closed && closed.failures > 0) await this.#wait(closed.failures - 1).catch(() => {});
    if (this.#stopped.signal.aborted) return never();
    return this.#sessions.retrieve(shardId);
  }

  #update(shardId: number, info: SessionInfo | null): void {
    if (this.#stopped.signal.aborted) return;
    if (info === null && this.#keepsSession(shardId)) return;
    this.#sessions.update(shardId, info);
  }

  /** The SDK gives a session up when the network fails. Discord has not. */
  #keepsSession(shardId: number): boolean {
    if (this.#closed.get(shardId)?.code !== ABNORMAL_CLOSE) return false;
    const kept = (this.#kept.get(shardId) ?? 0) + 1;
    this.#kept.set(shardId, kept);
    return kept <= RESUME_ATTEMPTS;
  }

  /** Identifies are counted: who uses up a day's thousand gets a new token. */
  async #waitForIdentify(manager: WebSocketManager, signal: AbortSignal): Promise<void> {
    const spacing = this.#lastIdentifyMs + this.#settings.timing.identifyEveryMs - performance.now();
    if (spacing > 0) await pause(spacing, signal);
    for (;;) {
      const { remaining, reset_after } = await this.#budget(manager);
      if (remaining > IDENTIFY_RESERVE) break;
      this.#lost(
        `Only ${remaining} connects to Discord are left for today: waiting. Something restarts too often.`,
      );
      await pause(Math.min(reset_after, LONGEST_WAIT_MS), signal);
    }
    this.#lastIdentifyMs = performance.now();
    this.#settings.log("debug", "identifying to Discord");
  }

  async #budget(manager: WebSocketManager): Promise<{ remaining: number; reset_after: number }> {
    try {
      return (await manager.fetchGatewayInformation(true)).session_start_limit;
    } catch {
      // Discord answers the identify itself then, or doesn't.
      return { remaining: Number.POSITIVE_INFINITY, reset_after: 0 };
    }
  }
}

/** The SDK leaves a socket alone that isn't open yet: it would open after us, with nobody to listen to it. */
function cutHandshakes(manager: WebSocketManager): void {
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
  on(event: "error", heard: () => void): void;
  terminate(): void;
}

interface ShardEvent {
  shardId: number;
  data?: unknown;
  code?: number;
  error?: Error;
}
