import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

/** Who may import whom: docs/architecture.md draws it, this test keeps it. */

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
const platformOf = (file: string) => /^adapters\/([^/]+)\//.exec(file)?.[1];

/** These stand outside: they wire the rest together. */
const OUTSIDE = new Set(["cli", "http", "gateway"]);
const WIRING = new Set([
  "main.ts",
  "rules.ts",
  "watchers.ts",
  "index.ts",
  "adapters/registry.ts",
  "agents/registry.ts",
]);

const ALLOWED: Record<string, readonly string[]> = {
  root: ["root"],
  policies: ["root", "policies"],
  config: ["root", "config"],
  store: ["root", "store"],
  media: ["root", "media"],
  adapters: ["root", "adapters", "media"],
  agents: ["root", "agents"],
  sessions: ["root", "sessions", "policies", "store"],
  routing: ["root", "routing", "policies", "sessions", "store"],
  turns: ["root", "turns", "policies", "sessions", "store", "media"],
  delivery: ["root", "delivery", "policies", "store"],
  metrics: ["root", "metrics"],
  tracing: ["root", "tracing"],
  hooks: ["root", "hooks"],
  backup: ["root", "backup"],
};
/** Contracts that others may name without depending on what fulfils them. */
const TYPES_ALLOWED: Record<string, readonly string[]> = {
  turns: ["agents/backend.ts", "config/schema.ts"],
  delivery: ["adapters/adapter.ts", "config/schema.ts"],
  sessions: ["agents/backend.ts", "config/schema.ts"],
  routing: ["config/schema.ts"],
  policies: ["config/schema.ts"],
  agents: ["config/schema.ts"],
  adapters: ["config/schema.ts"],
  hooks: ["config/schema.ts"],
  metrics: ["adapters/adapter.ts", "store/queues.ts", "store/store.ts"],
  backup: ["store/store.ts"],
};

/** The guards of an adapter's abilities are part of its contract. */
const CONTRACT = "adapters/adapter.ts";

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const folder = folderOf(from);
  if (OUTSIDE.has(folder) || WIRING.has(from) || from === "gateway.ts") return true;
  if (to === CONTRACT && folder === "delivery") return true;
  if (typeOnly && TYPES_ALLOWED[folder]?.includes(to)) return true;
  if (platformOf(from) && platformOf(to) && platformOf(from) !== platformOf(to)) return false;
  return ALLOWED[folder]?.includes(folderOf(to)) ?? false;
}

describe("the architecture", () => {
  it("has sources to look at", () => {
    expect(files.length).toBeGreaterThan(20);
    expect(imports.length).toBeGreaterThan(50);
  });

  it("imports only downwards", () => {
    const wrong = imports.filter((i) => !isAllowed(i)).map((i) => `${i.from} → ${i.to}`);
    expect(wrong).toEqual([]);
  });

  it("imports files that exist", () => {
    const missing = imports
      .filter((i) => !files.includes(i.to) && !i.to.endsWith(".json"))
      .map((i) => `${i.from} → ${i.to}`);
    expect(missing).toEqual([]);
  });

  it("has no cycles", () => {
    expect(findCycle(imports.filter((i) => !i.typeOnly))).toBeUndefined();
  });

  it("names no platform in the core", () => {
    const core = files.filter((file) =>
      /^(policies|sessions|routing|turns|delivery|store|agents|gateway|media)/.test(file),
    );
    const named = core
      .filter((file) => !file.endsWith("whatsapp-identity.ts"))
      .flatMap((file) => {
        const code = fs.readFileSync(path.join(SRC, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
        return /telegram|discord|slack/i.test(code) ? [file] : [];
      });
    expect(named).toEqual([]);
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
