/** Toolsets: names for groups of tools, and which of them a platform has. Pure. */
import { BoundedMap } from "../bounded-map.js";

export interface ToolsetSettings {
  /** Own toolsets. One with the name of a tool's own toolset replaces it. */
  toolsets: Readonly<Record<string, { tools: readonly string[]; includes: readonly string[] }>>;
  /** By platform. Default: all tools. */
  platformToolsets: Readonly<Record<string, readonly string[]>>;
  /** Removed last. */
  disabled: readonly string[];
}

type Member = { name: string; toolset: string; aliases?: readonly string[] | undefined };

const MAX_PLATFORMS = 100;
const ALL = new Set(["all", "*"]);
/** Hermes' names for "everything that this platform has". */
const OF_PLATFORM = /^hermes-[a-z0-9_-]+$/;

export class Toolsets {
  readonly #settings: ToolsetSettings;
  readonly #tools: readonly Member[];
  /** Every named set with its tools. */
  readonly #sets: ReadonlyMap<string, ReadonlySet<string>>;
  /** Every tool with the sets that contain it. */
  readonly #setsOf: ReadonlyMap<string, readonly string[]>;
  readonly #disabled: ReadonlySet<string>;
  readonly #ofPlatform = new BoundedMap<string, ReadonlySet<string>>(MAX_PLATFORMS);

  constructor(tools: readonly Member[], settings: ToolsetSettings) {
    this.#settings = settings;
    this.#tools = tools;
    this.#sets = new Map(
      [...tools.map(({ toolset }) => toolset), ...Object.keys(settings.toolsets)].map((name) => [
        name,
        this.#resolve(name, new Set()),
      ]),
    );
    this.#setsOf = new Map(
      tools.map((tool) => [
        tool.name,
        [...this.#sets].flatMap(([name, members]) => (members.has(tool.name) ? [name] : [])),
      ]),
    );
    this.#disabled = this.#union(settings.disabled);
  }

  /** The sets that contain a tool, for rules about sets. */
  setsOf(tool: string): readonly string[] {
    return this.#setsOf.get(tool) ?? [];
  }

  /** Why a platform doesn't have a tool; undefined if it has. */
  refusal(platform: string, tool: string): string | undefined {
    if (this.#disabled.has(tool)) return "agent.disabled_toolsets removes it";
    return this.#onPlatform(platform).has(tool)
      ? undefined
      : `platform_toolsets.${platform} doesn't contain it`;
  }

  /** Unknown names in the configuration, one sentence each. */
  problems(mayKnow: (name: string) => boolean = () => false): string[] {
    const { toolsets, platformToolsets, disabled } = this.#settings;
    const unknown = (names: readonly string[], where: string) =>
      names
        .filter((name) => !this.#isKnown(name) && !mayKnow(name))
        .map((name) => `${where} names "${name}", which is neither a toolset nor a tool`);
    return [
      ...Object.entries(toolsets).flatMap(([name, { tools, includes }]) => [
        ...unknown(tools, `toolsets.${name}.tools`),
        ...unknown(includes, `toolsets.${name}.includes`),
      ]),
      ...Object.entries(platformToolsets).flatMap(([platform, names]) =>
        unknown(names, `platform_toolsets.${platform}`),
      ),
      ...unknown(disabled, "agent.disabled_toolsets"),
    ];
  }

  #onPlatform(platform: string): ReadonlySet<string> {
    const { platformToolsets } = this.#settings;
    const chosen = Object.hasOwn(platformToolsets, platform) ? platformToolsets[platform] : undefined;
    const known = this.#ofPlatform.get(platform) ?? this.#union(chosen ?? [`hermes-${platform}`]);
    this.#ofPlatform.set(platform, known);
    return known;
  }

  #union(names: readonly string[]): ReadonlySet<string> {
    return new Set(names.flatMap((name) => [...this.#resolve(name, new Set())]));
  }

  /** `above` breaks cycles; the configuration check reports them. */
  #resolve(name: string, above: ReadonlySet<string>): ReadonlySet<string> {
    const own = this.#own(name);
    if (own && !above.has(name)) {
      const inside = new Set([...above, name]);
      const included = own.includes.flatMap((other) => [...this.#resolve(other, inside)]);
      return new Set([...own.tools.map((tool) => this.#nameOf(tool)), ...included]);
    }
    if (own) return new Set();
    if (isEverything(name)) return new Set(this.#tools.map((tool) => tool.name));
    return new Set(
      this.#tools.flatMap((tool) => (tool.toolset === name || isNamed(tool, name) ? [tool.name] : [])),
    );
  }

  #own(name: string) {
    const { toolsets } = this.#settings;
    return Object.hasOwn(toolsets, name) ? toolsets[name] : undefined;
  }

  #isKnown(name: string): boolean {
    if (isEverything(name) || this.#own(name)) return true;
    return this.#tools.some((tool) => isNamed(tool, name) || tool.toolset === name);
  }

  /** Own toolsets may use older names of tools. */
  #nameOf(name: string): string {
    return this.#tools.find((tool) => isNamed(tool, name))?.name ?? name;
  }
}

function isNamed(tool: Member, name: string): boolean {
  return tool.name === name || (tool.aliases?.includes(name) ?? false);
}

/** Whether the name means every tool. */
export function isEverything(name: string): boolean {
  return ALL.has(name) || OF_PLATFORM.test(name);
}
