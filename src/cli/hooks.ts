/** `hermes hooks`: lists the hooks and runs them on a sample event. */

import { Command, InvalidArgumentError } from "commander";
import { loadConfig } from "../config/load.js";
import { homePaths, resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import { isEvent } from "../hooks/find.js";
import { type Hook, type HookReports, listenersOf } from "../hooks/hook.js";
import { EVENT_NAMES } from "../hooks/hook-events.js";
import { type ListedHook, listHooks } from "../hooks/list.js";
import { loadHooks } from "../hooks/load.js";
import { sampleContext } from "../hooks/samples.js";
import { drawColumns } from "./columns.js";
import { io } from "./io.js";
import { jsonOption } from "./options.js";
import { colors, print, printError, printJson } from "./output.js";

const HELP = `
Events: ${EVENT_NAMES.join(", ")}, and command:<name> for slash commands.

  hermes hooks list
  hermes hooks test session:start
  hermes hooks test command:deploy --context '{"raw_args": "staging"}'

docs/hooks.md shows how to write one.`;

export function hooksCommand(): Command {
  const hooks = new Command("hooks").addHelpText("after", HELP);
  hooks
    .command("list")
    .description("Show the hooks of this home and its configuration, with their problems")
    .addOption(jsonOption())
    .action(list);
  hooks
    .command("test")
    .description("Call the hooks of an event now with sample values, and show their results")
    .argument("<event>", "such as session:start, or command:new")
    .option("--hook <name>", "only this one")
    .option("--context <json>", "values in place of the samples", jsonObject)
    .addOption(jsonOption())
    .action(test);
  return hooks;
}

const SILENT: HookReports = {
  outcome: () => undefined,
  failed: () => undefined,
  gaveUp: () => undefined,
  printed: (hook, line) => printError(colors.dim(`${hook}: ${line}`)),
};

function load() {
  const home = resolveHome(io().env);
  const { config } = loadConfig({ home, env: io().env });
  return {
    ...loadHooks(homePaths(home).hooksDir, config.hooks, SILENT),
    config,
    dir: homePaths(home).hooksDir,
  };
}

// --- list ---------------------------------------------------------------------------------------------------------

async function list({ json }: { json?: boolean }): Promise<void> {
  const { modules, problems, config, dir } = load();
  const listed = listHooks(dir, { modules, problems }, config.hooks.webhooks);
  if (json) return printJson(listed);
  if (listed.length === 0) return print(`No hooks: none in ${dir}, none under hooks.webhooks.`);
  print(draw(listed));
}

function draw(listed: readonly ListedHook[]): string {
  const rows = listed.map(({ name, events, description, where, problem }) => [
    name,
    events.join(", "),
    problem ? `! ${problem}` : description || where,
  ]);
  const width = (index: number, least: number) => Math.max(least, ...rows.map((row) => row[index]!.length));
  const columns = [
    { header: "Hook", width: Math.min(width(0, 4), 30) },
    { header: "Events", width: Math.min(width(1, 6), 50), min: 12 },
    { header: "", width: 0, min: 12 },
  ];
  return drawColumns(columns, rows, 80);
}

// --- test ---------------------------------------------------------------------------------------------------------

interface TestOptions {
  hook?: string;
  context?: Record<string, unknown>;
  json?: boolean;
}

interface Tried {
  hook: string;
  ok: boolean;
  ms: number;
  answer?: unknown;
  error?: string;
}

async function test(event: string, { hook: only, context, json }: TestOptions): Promise<void> {
  if (!isEvent(event) || event.endsWith(":*")) {
    throw new HermesError("invalid", `There is no event '${event}'.`, {
      hint: `Events: ${EVENT_NAMES.join(", ")}, command:<name>.`,
    });
  }
  const { hooks, problems } = load();
  const listeners = listenersOf(hooks, event).filter(({ name }) => only === undefined || name === only);
  if (listeners.length === 0) {
    throw new HermesError("not_found", `No hook ${only ? `'${only}' ` : ""}listens to ${event}.`, {
      hint: problems.map(({ name, problem }) => `${name}: ${problem}`).join("\n") || "See hermes hooks list.",
    });
  }
  const tried: Tried[] = [];
  for (const hook of listeners)
    tried.push(await tryHook(hook, event, { ...sampleContext(event), ...context }));
  await Promise.all(hooks.map((hook) => hook.close(0)));
  if (json) printJson(tried);
  else print(tried.map(drawTried).join("\n"));
  if (tried.some(({ ok }) => !ok)) io().exitCode = 1;
}

async function tryHook(hook: Hook, name: string, context: Record<string, unknown>): Promise<Tried> {
  const startedMs = performance.now();
  const took = () => Math.round(performance.now() - startedMs);
  try {
    const answer = await hook.call({ name, context });
    return { hook: hook.name, ok: true, ms: took(), ...(answer === undefined ? {} : { answer }) };
  } catch (error) {
    return {
      hook: hook.name,
      ok: false,
      ms: took(),
      error: error instanceof Error ? error.message : String(error),
    };
  }
}

function drawTried({ hook, ok, ms, answer, error }: Tried): string {
  const state = ok ? colors.green("ok") : colors.red("failed");
  const more = ok ? (answer === undefined ? "" : `  ${JSON.stringify(answer)}`) : `  ${error}`;
  return `${colors.bold(hook)}  ${state}  ${colors.dim(`${ms} ms`)}${more}`;
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError("Give a JSON object.");
}
