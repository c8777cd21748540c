/** The processes of one ACP agent, started on demand and ended when idle. */
import { mkdir } from "node:fs/promises";
import { AgentProcess } from "./agent-process.js";
import type { ChildSettings } from "./child.js";

export interface PoolSettings extends ChildSettings {
  idleMs: number;
  maxProcesses: number;
}

export class Pool {
  readonly #settings: PoolSettings;
  readonly #open = new Set<AgentProcess>();
  readonly #starting = new Set<Promise<AgentProcess>>();
  readonly #timers = new Map<AgentProcess, NodeJS.Timeout>();
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
  async take(sessionId: string | undefined): Promise<AgentProcess> {
    if (this.#isClosed) throw new Error("the gateway is stopping");
    const found = this.#choose(sessionId) ?? (await this.#started());
    clearTimeout(this.#timers.get(found));
    this.#timers.delete(found);
    found.users += 1;
    return found;
  }

  release(agentProcess: AgentProcess): void {
    agentProcess.users -= 1;
    if (agentProcess.users > 0 || !this.#open.has(agentProcess)) return;
    const timer = setTimeout(
      () => void this.#end(agentProcess),
      Math.min(this.#settings.idleMs, 2 ** 31 - 1),
    );
    timer.unref();
    this.#timers.set(agentProcess, timer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#starting]);
    await Promise.all([...this.#open].map((agentProcess) => this.#end(agentProcess)));
  }

  #choose(sessionId: string | undefined): AgentProcess | undefined {
    const open = [...this.#open].filter(({ isOpen }) => isOpen).toSorted((a, b) => a.users - b.users);
    const known = sessionId === undefined ? undefined : open.find(({ sessions }) => sessions.has(sessionId));
    const [least] = open;
    const mayStart = this.size < this.#settings.maxProcesses;
    return known ?? (least && (least.users === 0 || !mayStart) ? least : undefined);
  }

  /** Turns that start together share a process unless there may be more. */
  async #started(): Promise<AgentProcess> {
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

  async #start(): Promise<AgentProcess> {
    const sdk = await import("@agentclientprotocol/sdk");
    await mkdir(this.#settings.cwd, { recursive: true });
    const agentProcess = await AgentProcess.start(sdk, this.#settings);
    this.#open.add(agentProcess);
    void agentProcess.closed.then(() => this.#forget(agentProcess));
    return agentProcess;
  }

  async #end(agentProcess: AgentProcess): Promise<void> {
    this.#forget(agentProcess);
    await agentProcess.kill();
  }

  #forget(agentProcess: AgentProcess): void {
    this.#open.delete(agentProcess);
    clearTimeout(this.#timers.get(agentProcess));
    this.#timers.delete(agentProcess);
  }
}
