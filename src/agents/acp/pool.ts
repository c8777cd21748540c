/** The processes of one ACP agent, started on demand and ended when idle. */
import { mkdir } from "node:fs/promises";
import type { ChildSettings } from "./child.js";
import { AgentConnection } from "./connection.js";

export interface PoolSettings extends ChildSettings {
  idleMs: number;
  maxProcesses: number;
}

export class Pool {
  readonly #settings: PoolSettings;
  readonly #open = new Set<AgentConnection>();
  readonly #starting = new Set<Promise<AgentConnection>>();
  readonly #timers = new Map<AgentConnection, NodeJS.Timeout>();
  #isClosed = false;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  get size(): number {
    return this.#open.size + this.#starting.size;
  }

  /**
   * The process that knows the session; otherwise the one with the fewest turns, or a new one if all are busy and there may be
   * more. Every call needs a `release`.
   */
  async take(sessionId: string | undefined): Promise<AgentConnection> {
    if (this.#isClosed) throw new Error("the gateway is stopping");
    const found = this.#choose(sessionId) ?? (await this.#started());
    clearTimeout(this.#timers.get(found));
    this.#timers.delete(found);
    found.users += 1;
    return found;
  }

  release(connection: AgentConnection): void {
    connection.users -= 1;
    if (connection.users > 0 || !this.#open.has(connection)) return;
    const timer = setTimeout(() => void this.#end(connection), Math.min(this.#settings.idleMs, 2 ** 31 - 1));
    timer.unref();
    this.#timers.set(connection, timer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#starting]);
    await Promise.all([...this.#open].map((connection) => this.#end(connection)));
  }

  #choose(sessionId: string | undefined): AgentConnection | undefined {
    const open = [...this.#open].filter(({ isOpen }) => isOpen).toSorted((a, b) => a.users - b.users);
    const known = sessionId === undefined ? undefined : open.find(({ sessions }) => sessions.has(sessionId));
    const [least] = open;
    const mayStart = this.size < this.#settings.maxProcesses;
    return known ?? (least && (least.users === 0 || !mayStart) ? least : undefined);
  }

  /** Turns that start together share a process unless there may be more. */
  async #started(): Promise<AgentConnection> {
    const isFull = () => this.size >= this.#settings.maxProcesses;
    const [waiting] = this.#starting;
    if (isFull() && waiting) return waiting;
    // A process that ends makes room.
    if (isFull()) await Promise.race([...this.#open].map(({ closed }) => closed));
    if (isFull()) return this.#choose(undefined) ?? this.#started();
    const starting = this.#start();
    this.#starting.add(starting);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #start(): Promise<AgentConnection> {
    const sdk = await import("@agentclientprotocol/sdk");
    await mkdir(this.#settings.cwd, { recursive: true });
    const connection = await AgentConnection.start(sdk, this.#settings);
    this.#open.add(connection);
    void connection.closed.then(() => this.#forget(connection));
    return connection;
  }

  async #end(connection: AgentConnection): Promise<void> {
    this.#forget(connection);
    await connection.kill();
  }

  #forget(connection: AgentConnection): void {
    this.#open.delete(connection);
    clearTimeout(this.#timers.get(connection));
    this.#timers.delete(connection);
  }
}
