import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { configSchema } from "../../src/config/schema.js";
import { Hooks } from "../../src/hooks/index.js";
import { loadHooks } from "../../src/hooks/load.js";
import { tempDir } from "../support/temp.js";

export interface HookFiles {
  events: string[];
  /** The module. */
  code: string;
}

/** `hooks/` of a home. */
export function hookFolder(hooks: Record<string, HookFiles>): string {
  const dir = join(tempDir(), "hooks");
  for (const [name, { events, code }] of Object.entries(hooks)) {
    mkdirSync(join(dir, name), { recursive: true });
    writeFileSync(join(dir, name, "HOOK.yaml"), JSON.stringify({ name, events }));
    writeFileSync(join(dir, name, "handler.mjs"), code);
  }
  return dir;
}

/** Real hooks, with all that they report. */
export function startHooks(dir: string, settings: Record<string, unknown> = {}) {
  const reported: string[] = [];
  const outcomes: string[] = [];
  const printed: string[] = [];
  const loaded = loadHooks(dir, configSchema.parse({ hooks: settings }).hooks, {
    outcome: (hook, outcome) => outcomes.push(`${hook} ${outcome}`),
    failed: (hook, event, error) => reported.push(`${hook} ${event}: ${(error as Error).message}`),
    gaveUp: (hook, reason) => reported.push(`${hook} is out: ${reason}`),
    printed: (hook, line) => printed.push(`${hook}: ${line}`),
  });
  const hooks = new Hooks(loaded.hooks);
  onTestFinished(() => hooks.close());
  return { hooks, loaded, reported, outcomes, printed };
}
