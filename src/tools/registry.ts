/** All tools of the gateway, and which of them a turn gets. */
import { BoundedMap } from "../bounded-map.js";
import { HermesError } from "../errors.js";
import type { Principal, Room } from "../message.js";
import {
  accessToTools,
  type ToolAccess,
  type ToolRestriction,
  type ToolRules,
} from "../policies/tool-access.js";
import { withTimeout } from "../timeout.js";
import { AVAILABILITY_MS } from "./limits.js";
import type { AskMode, ToolDefinition } from "./tool.js";
import { isEverything, type ToolsetSettings, Toolsets } from "./toolsets.js";

export interface ToolSettings extends ToolsetSettings {
  rules: ToolRules;
}

/** The context that decides which tools are offered. */
export interface ToolAudience {
  principal: Principal;
  /** The room that reads the answer; undefined: a direct chat. */
  room: Room | undefined;
  /** Whose `platform_toolsets` apply. */
  platform: string;
  /** Later rules, which can only narrow. */
  restrictions?: ((tool: ToolDefinition) => readonly ToolRestriction[]) | undefined;
}

export interface OfferedTool {
  tool: ToolDefinition;
  ask: AskMode;
}

/** Where a tool comes from: it is built in, an embedding program brings it, or a source such as an MCP server does. */
export type ToolOrigin = "built in" | "library" | { source: string };

export interface ListedTool {
  tool: ToolDefinition;
  from: ToolOrigin;
  /** Every toolset that contains it. */
  sets: readonly string[];
  /** Why it can't be used at the moment; undefined: it can. */
  unavailable: string | undefined;
}

export interface ExplainedTool {
  tool: ToolDefinition;
  offered: boolean;
  ask: AskMode;
  reason: string;
}

/** Tools that are added and removed together. */
export interface ToolSource {
  /** A name in the configuration that may mean one of its tools, or its toolset. */
  mayKnow(name: string): boolean;
  /**
   * Resolves when it has its first tools, or has taken too long; undefined: that is over. For tools that are needed, it may take
   * longer.
   */
  settled?(needed: readonly string[]): Promise<void> | undefined;
}

/** What model providers accept. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_REMEMBERED_PLACES = 1000;

export class ToolRegistry {
  readonly #settings: ToolSettings;
  readonly #tools = new Map<string, ToolDefinition>();
  /** Sources of dynamic tools. */
  readonly #sources = new Map<string, ToolSource>();
  readonly #bySource = new Map<string, string>();
  readonly #builtIn: ReadonlySet<string>;
  #sorted: readonly ToolDefinition[] = [];
  #toolsets: Toolsets;
  /** Access decisions, cached per person and kind of chat. */
  readonly #allowed = new BoundedMap<string, readonly OfferedTool[]>(MAX_REMEMBERED_PLACES);

  constructor(settings: ToolSettings, builtIn: readonly ToolDefinition[] = []) {
    this.#settings = settings;
    this.#toolsets = new Toolsets([], settings);
    this.#builtIn = new Set(builtIn.map(({ name }) => name));
    this.register(...builtIn);
  }

  /** Rejects a name that is in use: another tool's rules would apply to it. Nothing is registered then. */
  register(...tools: readonly ToolDefinition[]): void {
    const added = new Map<string, ToolDefinition>();
    for (const tool of tools) {
      check(tool, this.#tools.get(tool.name) ?? added.get(tool.name));
      added.set(tool.name, tool);
    }
    for (const [name, tool] of added) this.#tools.set(name, tool);
    this.#sort();
  }

  /** Adds a source of dynamic tools, such as a server. Its toolset is known even while it has no tools. */
  addSource(name: string, source: ToolSource): void {
    this.#sources.set(name, source);
  }

  /**
   * Replaces a source's tools; running turns keep theirs. Returns skipped names: already in use or invalid.
   */
  replace(source: string, tools: readonly ToolDefinition[]): string[] {
    for (const [name, tool] of this.#tools) if (this.#bySource.get(name) === source) this.#drop(tool);
    const refused: string[] = [];
    for (const tool of tools) {
      if (this.#tools.has(tool.name) || !NAME.test(tool.name)) refused.push(tool.name);
      else {
        this.#tools.set(tool.name, tool);
        this.#bySource.set(tool.name, source);
      }
    }
    this.#sort();
    return refused;
  }

  #drop({ name }: ToolDefinition): void {
    this.#tools.delete(name);
    this.#bySource.delete(name);
  }

  #sort(): void {
    // By name: the order doesn't depend on what was registered first, so prompt caches stay valid.
    this.#sorted = [...this.#tools.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#toolsets = new Toolsets(this.#sorted, this.#settings);
    this.#allowed.clear();
  }

  /** The tools of a turn, in a stable order. `needed`: tools the turn has already called. */
  async offered(audience: ToolAudience, needed: readonly string[] = []): Promise<OfferedTool[]> {
    await Promise.all([...this.#sources.values()].map((source) => source.settled?.(needed)));
    const allowed = this.#allowedIn(audience);
    // Most tools are always available; only asynchronous checks are awaited.
    const refusals = allowed.map(({ tool }) => refusalOf(tool));
    if (refusals.every((refusal) => refusal === undefined)) return [...allowed];
    const settled = await Promise.all(refusals);
    return allowed.filter((_, i) => settled[i] === undefined);
  }

  #allowedIn(audience: ToolAudience): readonly OfferedTool[] {
    const { principal, room, platform, restrictions } = audience;
    const { owner, userId, room: own } = principal;
    const key = JSON.stringify([
      platform,
      principal.platform,
      owner,
      userId,
      own?.chatId,
      room !== undefined,
    ]);
    const known = restrictions ? undefined : this.#allowed.get(key);
    if (known) return known;
    const allowed = this.#access(audience).flatMap(({ tool, ask, allowed }) =>
      allowed ? [{ tool, ask }] : [],
    );
    if (!restrictions) this.#allowed.set(key, allowed);
    return allowed;
  }

  /** Every tool with the reason why it is offered or not. */
  async explained(audience: ToolAudience): Promise<ExplainedTool[]> {
    return Promise.all(
      this.#access(audience).map(async ({ tool, allowed, ask, reason }) => {
        const refusal = allowed ? await refusalOf(tool) : undefined;
        return { tool, offered: allowed && refusal === undefined, ask, reason: refusal ?? reason };
      }),
    );
  }

  /** Every tool, with where it comes from. */
  async listed(): Promise<ListedTool[]> {
    return Promise.all(
      this.#sorted.map(async (tool) => ({
        ...{ tool, from: this.#originOf(tool), sets: this.#toolsets.setsOf(tool.name) },
        unavailable: await refusalOf(tool),
      })),
    );
  }

  #originOf({ name }: ToolDefinition): ToolOrigin {
    const source = this.#bySource.get(name);
    if (source !== undefined) return { source };
    return this.#builtIn.has(name) ? "built in" : "library";
  }

  /** Unknown names in the configuration, one sentence each. */
  problems(): string[] {
    const isKnown = (name: string) =>
      isEverything(name) ||
      this.#tools.has(name) ||
      this.#sorted.some(({ aliases }) => aliases?.includes(name)) ||
      Object.hasOwn(this.#settings.toolsets, name) ||
      this.#sorted.some(({ toolset }) => toolset === name);
    const mayKnow = (name: string) => [...this.#sources.values()].some((source) => source.mayKnow(name));
    const unknown = Object.keys(this.#settings.rules).filter((name) => !isKnown(name) && !mayKnow(name));
    return [
      ...unknown.map((name) => `tools.${name} matches no tool or toolset`),
      ...this.#toolsets.problems(mayKnow),
    ];
  }

  /** The access to every tool: the platform must have it, and the person may use it. */
  #access({
    principal,
    room,
    platform,
    restrictions,
  }: ToolAudience): (ToolAccess & { tool: ToolDefinition })[] {
    const asked = this.#sorted.map((tool) => ({
      tool,
      sets: this.#toolsets.setsOf(tool.name),
      restrictions: restrictions?.(tool),
      refusal: this.#toolsets.refusal(platform, tool.name),
    }));
    const accesses = accessToTools(asked, { principal, room, rules: this.#settings.rules });
    return asked.map(({ tool, refusal }, i) => {
      const access = { tool, ...accesses[i]! };
      return refusal === undefined ? access : { ...access, allowed: false, reason: refusal };
    });
  }
}

function check({ name, toolset }: ToolDefinition, other: ToolDefinition | undefined): void {
  if (other)
    throw new HermesError("conflict", `Two tools are named "${name}".`, {
      hint: `One is in the toolset ${other.toolset}, the other in ${toolset}. Rename one of them.`,
    });
  if (!NAME.test(name))
    throw new HermesError("invalid", `"${name}" isn't a valid tool name.`, {
      hint: "Use up to 64 letters, digits, _ and -.",
    });
}

/** Why it can't be used right now. A check that fails or times out counts as a reason. */
function refusalOf(tool: ToolDefinition): Promise<string | undefined> | string | undefined {
  try {
    const found = tool.unavailable?.();
    return found instanceof Promise ? withTimeout(found, AVAILABILITY_MS).catch(failedCheck) : found;
  } catch (error) {
    return failedCheck(error);
  }
}

function failedCheck(error: unknown): string {
  return `its check failed: ${error instanceof Error ? error.message : String(error)}`;
}
