/** All MCP servers of the gateway: started behind it, listed, reloaded, stopped. */
import type { GatewayLog } from "../log.js";
import { settlesWithin } from "../timeout.js";
import type { ToolRegistry, ToolSource } from "../tools/registry.js";
import { ownerMark } from "./environment.js";
import { mayMean } from "./names.js";
import { endOrphans } from "./orphans.js";
import { type LinkParts, ServerLink } from "./server-link.js";
import type { ServerSettings, ServerStatus } from "./settings.js";
import { toolsOf } from "./tools.js";

export type Servers = Readonly<Record<string, ServerSettings>>;

export interface ManagerParts {
  servers: Servers;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  log: GatewayLog;
  /** Reads the configuration again. */
  load(): Servers;
  backoff?: LinkParts["backoff"];
}

/** Turns that start right after the gateway wait for so long, so that those it interrupted find their tools. */
const SETTLE_MS = 5000;
/** The same for servers whose tools an interrupted turn has called: without them, it couldn't go on as before. */
const NEEDED_MS = 30_000;
const SOURCE = "mcp";

export class McpServers implements ToolSource {
  readonly #parts: ManagerParts;
  readonly #mark: string;
  readonly #links = new Map<string, ServerLink>();
  readonly #counts = new Map<string, number>();
  #servers: Servers;
  #registry: Pick<ToolRegistry, "replace"> | undefined;
  #settling: Promise<void> | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(parts: ManagerParts) {
    this.#parts = parts;
    this.#servers = parts.servers;
    this.#mark = ownerMark(parts.home);
  }

  /** Where the tools go. */
  feed(registry: Pick<ToolRegistry, "replace" | "addSource">): void {
    this.#registry = registry;
    registry.addSource(SOURCE, this);
  }

  /** Returns at once; servers connect in the background. */
  start(): void {
    if (Object.keys(this.#servers).length === 0) return;
    const { home, log } = this.#parts;
    const orphans = endOrphans(home);
    if (orphans.length > 0) log.warn({ pids: orphans }, "ended MCP servers of a gateway that crashed");
    this.#startAll();
    this.#settle();
  }

  mayKnow(name: string): boolean {
    return Object.keys(this.#servers).some((server) => mayMean(name, server));
  }

  settled(needed: readonly string[] = []): Promise<void> | undefined {
    const links = [...this.#links.values()].filter(({ name }) => needed.some((tool) => mayMean(tool, name)));
    if (links.length === 0) return this.#settling;
    const attempts = Promise.all(links.map((link) => link.attempted));
    return Promise.all([settlesWithin(attempts, NEEDED_MS), this.#settling]).then(() => undefined);
  }

  status(): ServerStatus[] {
    return [...this.#links.values()].map((link) => link.status(this.#counts.get(link.name) ?? 0));
  }

  /** Reads the configuration and connects everything again. Turns that run keep their tools, but not the servers. */
  reload(): Promise<ServerStatus[]> {
    const reloading = this.#reloading.then(() => this.#reload());
    this.#reloading = reloading.catch(() => undefined);
    return reloading;
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#reloading;
    await this.#stopAll();
  }

  async #reload(): Promise<ServerStatus[]> {
    const servers = this.#parts.load();
    if (this.#isStopped) return [];
    await this.#stopAll();
    this.#servers = servers;
    this.#startAll();
    this.#settle();
    await this.#settling;
    return this.status();
  }

  #startAll(): void {
    const { home, env, log, backoff } = this.#parts;
    for (const [name, settings] of Object.entries(this.#servers)) {
      const link = new ServerLink({
        ...{ name, settings, home, env, log, mark: this.#mark },
        ...(backoff ? { backoff } : {}),
        changed: (changed) => this.#changed(changed),
      });
      this.#links.set(name, link);
      link.start();
    }
  }

  async #stopAll(): Promise<void> {
    const links = [...this.#links.values()];
    await Promise.all(links.map((link) => link.stop()));
    for (const { name } of links) this.#registry?.replace(sourceOf(name), []);
    this.#links.clear();
    this.#counts.clear();
  }

  #changed(link: ServerLink): void {
    if (this.#links.get(link.name) !== link) return;
    const { log } = this.#parts;
    const tools = toolsOf(link);
    const refused = this.#registry?.replace(sourceOf(link.name), tools) ?? [];
    this.#counts.set(link.name, tools.length - refused.length);
    if (refused.length > 0)
      log.warn({ server: link.name, tools: refused }, "tools of an MCP server have names that are in use");
  }

  #settle(): void {
    const attempts = Promise.all([...this.#links.values()].map((link) => link.attempted));
    const settling = settlesWithin(attempts, SETTLE_MS).then(() => {
      if (this.#settling === settling) this.#settling = undefined;
    });
    this.#settling = settling;
  }
}

function sourceOf(server: string): string {
  return `${SOURCE}:${server}`;
}
