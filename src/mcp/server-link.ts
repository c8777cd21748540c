/** Keeps one server connected: connects, lists its tools, and reconnects whenever it ends. */
import type { Tool } from "@modelcontextprotocol/client";
import { Backoff, pause } from "../backoff.js";
import { monotonicSeconds, nowSeconds } from "../clock.js";
import type { GatewayLog } from "../log.js";
import { startOf } from "../text-limits.js";
import { unlessAborted } from "../timeout.js";
import { type ConnectedServer, type ConnectParts, connect, messageOf } from "./connected-server.js";
import type { ServerDetail, ServerSettings, ServerState, ServerStatus } from "./settings.js";

export interface LinkParts extends Pick<ConnectParts, "name" | "home" | "env" | "mark" | "onSecrets"> {
  settings: ServerSettings;
  log: GatewayLog;
  /** Of the link that this one replaces. */
  lastError: ServerDetail["lastError"];
  /** After every list of tools. */
  changed(link: ServerLink): void;
  backoff?: { firstMs: number; maxMs: number };
}

const BACKOFF = { firstMs: 1000, maxMs: 60_000 };
/** After this uptime a server counts as working, and the backoff resets. */
const STEADY_SECONDS = 60;
/** How long a lost server keeps its tools: most return soon, and a changed list invalidates the prompt cache. */
const PATIENCE_SECONDS = 60;
/** Only HTTP servers are pinged: stdio servers signal their end, and may be too busy to answer. */
const ALIVE_EVERY_MS = 120_000;
const MAX_DETAIL_CHARS = 300;

export class ServerLink {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly #parts: LinkParts;
  readonly #stop = new AbortController();
  readonly #stopped = new Promise<undefined>((resolve) => {
    this.#stop.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  readonly #backoff: Backoff;
  #state: ServerState = "off";
  #detail: string | undefined;
  #lastError: ServerDetail["lastError"];
  #server: ConnectedServer | undefined;
  #tools: readonly Tool[] = [];
  #has = { resources: false, prompts: false };
  /** Ends the pause between attempts. */
  #wake = new AbortController();
  /** Settles with the current or the next attempt. */
  #attempt: Attempt = newAttempt();
  #lostAt = monotonicSeconds();
  #running: Promise<void> | undefined;

  constructor(parts: LinkParts) {
    this.name = parts.name;
    this.settings = parts.settings;
    this.#parts = parts;
    this.#lastError = parts.lastError;
    this.#backoff = new Backoff(parts.backoff ?? BACKOFF);
  }

  start(): void {
    if (!this.settings.enabled || this.#running) return;
    this.#state = "connecting";
    this.#running = this.#run();
  }

  /** Disconnects the server and ends its process. Never rejects. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error(`the server ${this.name} is stopped`));
    this.#wake.abort();
    await this.#running;
    this.#state = "off";
  }

  get tools(): readonly Tool[] {
    return this.#tools;
  }

  get has(): { resources: boolean; prompts: boolean } {
    return this.#has;
  }

  /** Settles with the first attempt to connect. Never rejects. */
  get attempted(): Promise<void> {
    if (this.#state !== "connecting") return Promise.resolve();
    return this.#attempt.over.then(
      () => undefined,
      () => undefined,
    );
  }

  status(tools: number): ServerStatus {
    const detail = this.#detail === undefined ? {} : { detail: this.#detail };
    return { name: this.name, state: this.#state, tools, ...detail };
  }

  get lastError(): ServerDetail["lastError"] {
    return this.#lastError;
  }

  /** Why its tools aren't offered; undefined if they are. */
  get refusal(): string | undefined {
    if (this.#state === "ready" || this.#state === "connecting") return undefined;
    if (this.#state === "failing" && monotonicSeconds() - this.#lostAt < PATIENCE_SECONDS) return undefined;
    return `the server ${this.name} is ${this.#state}${this.#detail ? `: ${this.#detail}` : ""}`;
  }

  /** The connected server. If it isn't connected, starts the next attempt immediately, and rejects with its reason if it fails. */
  async connected(signal: AbortSignal): Promise<ConnectedServer> {
    if (this.#server) return this.#server;
    if (!this.#running || this.#stop.signal.aborted) throw new Error(`the server ${this.name} is off`);
    this.#wake.abort();
    return unlessAborted(this.#attempt.over, signal);
  }

  /** A call found that the server is gone. */
  lost(server: ConnectedServer): void {
    if (this.#server === server) void server.close();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const connectedAt = await this.#connectOnce();
      if (signal.aborted) break;
      if (connectedAt !== undefined && monotonicSeconds() - connectedAt >= STEADY_SECONDS)
        this.#backoff.reset();
      this.#wake = new AbortController();
      await pause(this.#backoff.nextMs(), this.#wake.signal, signal);
    }
    this.#attempt.fail(new Error(`the server ${this.name} is off`));
  }

  /** From an attempt to connect to the end. When the server was connected; undefined if it was not. */
  async #connectOnce(): Promise<number | undefined> {
    const { log } = this.#parts;
    let connectedAt: number | undefined;
    try {
      const server = await this.#connect();
      connectedAt = monotonicSeconds();
      const watch = this.settings.url === null ? undefined : this.#watch(server);
      const reason = await Promise.race([server.ended, this.#stopped]);
      clearInterval(watch);
      this.#server = undefined;
      this.#lostAt = monotonicSeconds();
      this.#attempt = newAttempt();
      await server.close();
      if (reason !== undefined) throw new Error(reason);
    } catch (error) {
      if (this.#stop.signal.aborted) return connectedAt;
      const before = this.#state === "failing" ? this.#detail : undefined;
      this.#failed(messageOf(error));
      // Log the same reason once.
      const level = before === this.#detail ? "debug" : "warn";
      log[level]({ server: this.name, reason: this.#detail }, "MCP server lost, trying again");
    }
    return connectedAt;
  }

  async #connect(): Promise<ConnectedServer> {
    const { home, env, mark, onSecrets, log } = this.#parts;
    const parts: ConnectParts = {
      ...{ name: this.name, settings: this.settings, home, env, mark, onSecrets },
      onTools: (tools) => this.#listed(tools),
      onError: (error) => log.debug({ err: error, server: this.name }, "MCP server: a message was skipped"),
    };
    const server = await connect(parts, this.#stop.signal);
    this.#server = server;
    this.#has = server.has;
    this.#state = "ready";
    this.#detail = undefined;
    this.#listed(server.tools);
    this.#attempt.succeed(server);
    log.info({ server: this.name, tools: this.#tools.length }, "MCP server ready");
    return server;
  }

  #listed(tools: readonly Tool[]): void {
    this.#tools = tools;
    this.#parts.changed(this);
  }

  #failed(reason: string): void {
    if (this.#state === "connecting") this.#lostAt = 0;
    this.#state = "failing";
    this.#detail = startOf(reason.replace(/\s+/g, " "), MAX_DETAIL_CHARS);
    this.#lastError = { at: nowSeconds(), reason: this.#detail };
    this.#attempt.fail(new Error(`the server ${this.name} can't be reached: ${this.#detail}`));
    this.#attempt = newAttempt();
  }

  #watch(server: ConnectedServer): NodeJS.Timeout {
    let missed = 0;
    return setInterval(() => {
      void server.isAlive().then((isAlive) => {
        missed = isAlive ? 0 : missed + 1;
        if (missed >= 2) this.lost(server);
      });
    }, ALIVE_EVERY_MS).unref();
  }
}

interface Attempt {
  over: Promise<ConnectedServer>;
  succeed(server: ConnectedServer): void;
  fail(error: Error): void;
}

function newAttempt(): Attempt {
  let succeed: Attempt["succeed"] = () => undefined;
  let fail: Attempt["fail"] = () => undefined;
  const over = new Promise<ConnectedServer>((resolve, reject) => {
    succeed = resolve;
    fail = reject;
  });
  // Most attempts have no waiter, so mark the rejection as handled.
  over.catch(() => undefined);
  return { over, succeed, fail };
}
