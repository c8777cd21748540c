import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { BUILT_IN } from "../src/adapters/platforms.js";

/** Who may import whom: docs/architecture.md describes it, this test enforces it. */

const SRC = path.resolve(import.meta.dirname, "../src");

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

const files = (fs.readdirSync(SRC, { recursive: true }) as string[])
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.split(path.sep).join("/"));

const imports = files.flatMap((from) => {
  const text = fs.readFileSync(path.join(SRC, from), "utf8");
  const statements = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"/gm);
  return [...statements].map(([, type, target]): Import => {
    const to = path.posix.join(path.posix.dirname(from), target!).replace(/\.js$/, ".ts");
    return { from, to, typeOnly: type !== undefined };
  });
});

const folderOf = (file: string) => (file.includes("/") ? file.split("/", 1)[0]! : "root");
/** `adapters/kit` is shared by all of them. */
const platformOf = (file: string) => /^adapters\/(?!kit\/)([^/]+)\//.exec(file)?.[1];

/** These wire the rest together. */
const WIRING_FOLDERS = new Set(["cli", "http", "people", "startup"]);
const WIRING = new Set(["main.ts", "gateway.ts", "rules.ts", "index.ts", "plugin.ts", "agents/registry.ts"]);

const ALLOWED: Record<string, readonly string[]> = {
  root: ["root", "secrets"],
  secrets: ["root", "secrets"],
  policies: ["root", "secrets", "policies"],
  config: ["root", "config"],
  store: ["root", "store"],
  media: ["root", "secrets", "media"],
  text: ["root", "text"],
  adapters: ["root", "adapters", "media", "text"],
  agents: ["root", "agents"],
  sessions: ["root", "sessions", "policies", "store"],
  targets: ["root", "targets", "store"],
  tools: ["root", "tools", "policies", "store", "targets"],
  mcp: ["root", "secrets", "mcp", "policies", "tools"],
  "mcp-server": ["root", "mcp-server", "policies", "store", "targets"],
  commands: ["root", "commands", "policies", "sessions", "store"],
  pipeline: [
    "root",
    "secrets",
    "pipeline",
    "commands",
    "policies",
    "sessions",
    "store",
    "media",
    "targets",
    "text",
    "tools",
  ],
  upkeep: ["root", "upkeep", "pipeline", "sessions", "store", "media"],
  schedules: ["root", "schedules", "commands", "policies", "store", "targets"],
  health: ["root", "health", "policies", "store"],
  metrics: ["root", "metrics"],
  tracing: ["root", "tracing"],
  hooks: ["root", "hooks"],
  backup: ["root", "backup"],
  plugins: ["root", "plugins", "config", "adapters"],
};
/** Contracts that others may import without depending on their implementations. */
const TYPES_ALLOWED: Record<string, readonly string[]> = {
  pipeline: [
    "agents/backend.ts",
    "mcp/manager.ts",
    "tools/offer.ts",
    "config/schema.ts",
    "hooks/index.ts",
    "hooks/verdict.ts",
  ],
  schedules: ["adapters/cron/index.ts", "config/schema.ts"],
  health: ["pipeline/parts.ts"],
  sessions: ["agents/backend.ts", "config/schema.ts"],
  commands: ["config/schema.ts"],
  policies: ["config/schema.ts", "tools/tool.ts"],
  tools: ["agents/backend.ts"],
  secrets: ["agents/backend.ts"],
  agents: ["config/schema.ts"],
  adapters: ["config/core.ts"],
  hooks: ["config/schema.ts"],
  metrics: ["adapters/adapter.ts", "store/queues.ts", "store/store.ts"],
  backup: ["store/store.ts"],
};
/** The guards of an adapter's abilities are part of its contract; the folders of a home are constants. */
const VALUES_ALLOWED: Record<string, readonly string[]> = {
  pipeline: ["adapters/adapter.ts", "config/paths.ts"],
  upkeep: ["config/paths.ts"],
  tools: ["config/paths.ts", "agents/text.ts"],
};

/** A platform's description has its config keys, and the configuration is made from the descriptions. */
const DESCRIPTIONS = ["built-in", "platforms", "platform", "settings", "credentials"].map(
  (name) => `adapters/${name}.ts`,
);
const isDescription = (file: string) =>
  DESCRIPTIONS.includes(file) || /^adapters\/[^/]+\/platform\.ts$/.test(file);

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const folder = folderOf(from);
  if (WIRING_FOLDERS.has(folder) || WIRING.has(from)) return true;
  if (VALUES_ALLOWED[folder]?.includes(to)) return true;
  if (typeOnly && TYPES_ALLOWED[folder]?.includes(to)) return true;
  if (folder === "config" && DESCRIPTIONS.includes(to)) return true;
  if (isDescription(from) && (to.startsWith("config/sections/") || to === "config/core.ts")) return true;
  if (from === "adapters/platforms.ts" || from === "adapters/built-in.ts") return isDescription(to);
  if (platformOf(from) && platformOf(to) && platformOf(from) !== platformOf(to)) return false;
  return ALLOWED[folder]?.includes(folderOf(to)) ?? false;
}

describe("the architecture", () => {
  it("finds the source files", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(imports.length).toBeGreaterThan(50);
  });

  it("imports only downwards", () => {
    const wrong = imports.filter((i) => !isAllowed(i)).map((i) => `${i.from} → ${i.to}`);
    expect(wrong).toEqual([]);
  });

  it("imports only existing files", () => {
    const missing = imports
      .filter((i) => !files.includes(i.to) && !i.to.endsWith(".json"))
      .map((i) => `${i.from} → ${i.to}`);
    expect(missing).toEqual([]);
  });

  it("reaches the engine of the store only through store/", () => {
    const outside = files
      .filter((file) => !file.startsWith("store/"))
      .filter((file) => /["']\.[^"']*store\/sqlite/.test(fs.readFileSync(path.join(SRC, file), "utf8")));
    expect(outside).toEqual([]);
  });

  it("has no type cycles in the contract of the store", () => {
    const isContract = (file: string) => file.startsWith("store/") && !file.startsWith("store/sqlite/");
    expect(findCycle(imports.filter((i) => isContract(i.from) && isContract(i.to)))).toBeUndefined();
  });

  it("has no cycles", () => {
    expect(findCycle(imports.filter((i) => !i.typeOnly))).toBeUndefined();
  });

  it("names no platform in the core", () => {
    const core = files.filter((file) =>
      /^(policies|sessions|commands|pipeline|targets|store|agents|gateway|upkeep|schedules|health|media|secrets|text|tools|mcp)/.test(
        file,
      ),
    );
    const named = core
      .filter((file) => !file.endsWith("whatsapp-identity.ts"))
      .flatMap((file) => {
        const code = fs.readFileSync(path.join(SRC, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
        return /telegram|discord|slack/i.test(code) ? [file] : [];
      });
    expect(named).toEqual([]);
  });

  it("reads no platform's settings by name outside of the adapters", () => {
    const byName = new RegExp(`\\bplatforms\\.(?:${BUILT_IN.map(({ name }) => name).join("|")})\\b`);
    const named = files
      .filter((file) => !file.startsWith("adapters/"))
      .filter((file) => {
        const code = fs.readFileSync(path.join(SRC, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
        return byName.test(code);
      });
    expect(named).toEqual([]);
  });

  it("has no file over 400 lines", () => {
    const long = files.filter(
      (file) => fs.readFileSync(path.join(SRC, file), "utf8").split("\n").length > 400,
    );
    expect(long).toEqual([]);
  });

  it("prints from the command line alone", () => {
    const loud = files
      .filter((file) => !file.startsWith("cli/"))
      .filter((file) => /\bconsole\.\w+\(/.test(fs.readFileSync(path.join(SRC, file), "utf8")));
    expect(loud).toEqual([]);
  });
});

function findCycle(edges: readonly Import[]): string[] | undefined {
  const next = groupTargets(edges);
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const to of next.get(file) ?? []) {
      const cycle = visit(to, [...trail, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of next.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}

function groupTargets(edges: readonly Import[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to]);
  return targets;
}
