/** Starts, lists, reloads and stops the gateway's MCP servers. */
import type { GatewayLog } from "../log.js";
import { startOf } from "../text-limits.js";
import { settlesWithin } from "../timeout.js";
import type { ToolRegistry, ToolSource } from "../tools/registry.js";
import type { ToolDefinition } from "../tools/tool.js";
import { ownerMark } from "./environment.js";
import { mayMean } from "./names.js";
import { endOrphans } from "./orphans.js";
import { type LinkParts, ServerLink } from "./server-link.js";
import {
  type OfferedTool,
  type ServerDetail,
  type ServerSettings,
  type ServerStatus,
  whereOf,
} from "./settings.js";
import { toolsOf } from "./tools.js";

export type Servers = Readonly<Record<string, ServerSettings>>;

export interface ManagerParts {
  servers: Servers;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  log: GatewayLog;
  /** Called with the tokens of every login in use. */
  onSecrets?: LinkParts["onSecrets"] | undefined;
  /** Reads the configuration again. */
  load(): Servers;
  backoff?: LinkParts["backoff"];
}

/** How long turns wait for servers right after a start, so that resumed turns find their tools. */
const SETTLE_MS = 5000;
/** The same for servers whose tools an interrupted turn called, because it needs them to continue. */
const NEEDED_MS = 30_000;
const SOURCE = "mcp";

export class McpServers implements ToolSource {
  readonly #parts: ManagerParts;
  readonly #mark: string;
  readonly #links = new Map<string, ServerLink>();
  /** What the registry took of each. */
  readonly #offered = new Map<string, readonly OfferedTool[]>();
  #servers: Servers;
  #registry: Pick<ToolRegistry, "replace" | "addSource"> | undefined;
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
    this.#announce();
  }

  /** Turns ask a source for its tools, so it is one only with servers. */
  #announce(): void {
    if (Object.keys(this.#servers).length > 0) this.#registry?.addSource(SOURCE, this);
  }

  /** Returns immediately; servers connect in the background. */
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
    return [...this.#links.values()].map((link) => link.status(this.#offered.get(link.name)?.length ?? 0));
  }

  /** For the operator. */
  details(): ServerDetail[] {
    return [...this.#links.values()].map((link) => {
      const { url, trust, allow, auth } = link.settings;
      const offered = this.#offered.get(link.name) ?? [];
      return {
        ...link.status(offered.length),
        ...{ transport: url === null ? "stdio" : "http", where: whereOf(link.settings) },
        ...{ trust, allow, oauth: auth === "oauth", offered, lastError: link.lastError },
      };
    });
  }

  /** Ends one server and connects it again, as it is configured since the last reload. Undefined: there is none. */
  reconnect(name: string): Promise<ServerStatus | undefined> {
    return this.#inTurn(async () => {
      const old = this.#links.get(name);
      if (!old || this.#isStopped) return undefined;
      await old.stop();
      this.#registry?.replace(sourceOf(name), []);
      this.#offered.delete(name);
      const link = this.#start(name, old.settings, old.lastError);
      await settlesWithin(link.attempted, SETTLE_MS);
      return this.status().find((status) => status.name === name);
    });
  }

  /** Reloads the configuration and reconnects everything. Running turns keep their tool lists, but lose their servers. */
  reload(): Promise<ServerStatus[]> {
    return this.#inTurn(() => this.#reload());
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changing = this.#reloading.then(change);
    this.#reloading = changing.catch(() => undefined);
    return changing;
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
    this.#announce();
    this.#startAll();
    this.#settle();
    await this.#settling;
    return this.status();
  }

  #startAll(): void {
    for (const [name, settings] of Object.entries(this.#servers)) this.#start(name, settings);
  }

  #start(name: string, settings: ServerSettings, lastError: ServerDetail["lastError"] = null): ServerLink {
    const { home, env, log, onSecrets, backoff } = this.#parts;
    const link = new ServerLink({
      ...{ name, settings, home, env, log, onSecrets, lastError, mark: this.#mark },
      ...(backoff ? { backoff } : {}),
      changed: (changed) => this.#changed(changed),
    });
    this.#links.set(name, link);
    link.start();
    return link;
  }

  async #stopAll(): Promise<void> {
    const links = [...this.#links.values()];
    await Promise.all(links.map((link) => link.stop()));
    for (const { name } of links) this.#registry?.replace(sourceOf(name), []);
    this.#links.clear();
    this.#offered.clear();
  }

  #changed(link: ServerLink): void {
    if (this.#links.get(link.name) !== link) return;
    const { log } = this.#parts;
    const tools = toolsOf(link);
    const refused = this.#registry?.replace(sourceOf(link.name), tools) ?? [];
    this.#offered.set(link.name, without(tools, refused).map(described));
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

/** The server behind a source of tools. */
export function serverOf(source: string): string {
  return source.slice(SOURCE.length + 1);
}

const MAX_DESCRIPTION_CHARS = 500;

function described({ name, description, effect }: ToolDefinition): OfferedTool {
  return { name, description: startOf(description, MAX_DESCRIPTION_CHARS), effect };
}

/** A server may list a name twice: the first one was taken. */
function without(tools: readonly ToolDefinition[], refused: readonly string[]): ToolDefinition[] {
  const left = [...refused];
  const isTaken = ({ name }: ToolDefinition) => {
    const at = left.indexOf(name);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  };
  return tools.toReversed().filter(isTaken).toReversed();
}
