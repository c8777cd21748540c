/** `npm run chaos`: the crash table. See `--help`. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { endAll } from "../support/at-end.js";
import { PLATFORMS } from "./platforms.js";
import { type StormOptions, storm } from "./storm.js";
import {
  asJson,
  brokenPromises,
  cellsOf,
  crashTable,
  type Line,
  type Outcome,
  otherLines,
  page,
} from "./table.js";
import { type ToolOutcome, toolStorm } from "./tools/storm.js";
import {
  brokenToolPromises,
  isAllKept,
  TOOLS_TITLE,
  toolCellsOf,
  toolSection,
  toolTable,
} from "./tools/table.js";
import { isKept, judge } from "./verdict.js";

const RESULTS = new URL("../../bench/results-chaos.md", import.meta.url);

const HELP = `npm run chaos -- [--rounds 200] [--seed S]... [--platform ${Object.keys(PLATFORMS).join("|")}]... [--tools] [--json] [--keep DIR] [--write]

People write in several chats of an emulated platform while the gateway is killed again and again and the platform
delivers twice, in another order, not at all for a while, asks to wait, or takes a message without saying so. Then it is
calm, and what the people see is counted.

--seed   the same rounds and the same deaths again; the moments depend on the machine. Several: one after another
--tools  a model answers and calls tools whose effects are counted; the gateway dies once a round, and only this table is made
--keep   leaves the home and the daemon's log of each storm in this folder
--write  keeps the lines in bench/results-chaos.md, in place of those of the same platforms`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", multiple: true },
    platform: { type: "string", multiple: true },
    tools: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    keep: { type: "string" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) {
  console.log(HELP);
} else {
  const rounds = Number(values.rounds);
  const seeds = values.seed?.map(Number) ?? [Math.floor(Math.random() * 1e9)];
  const names = values.platform ?? Object.keys(PLATFORMS);
  const unknown = names.find((name) => !Object.hasOwn(PLATFORMS, name));
  if (unknown !== undefined || !Number.isInteger(rounds) || rounds < 1 || !seeds.every(Number.isInteger)) {
    console.error(HELP);
    process.exitCode = 2;
  } else {
    await run(names, rounds, seeds);
  }
}

async function run(names: readonly string[], rounds: number, seeds: readonly number[]): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => void endAll().then(() => process.exit(130)));
  try {
    if (values.tools) reportTools(await all(names, rounds, seeds, toolStorm));
    else report(await all(names, rounds, seeds, plainStorm));
  } finally {
    await endAll();
  }
}

async function all<T extends Outcome>(
  names: readonly string[],
  rounds: number,
  seeds: readonly number[],
  play: (options: StormOptions) => Promise<T>,
): Promise<T[]> {
  const outcomes: T[] = [];
  for (const seed of seeds) {
    console.error(`Seed ${seed}, ${rounds} rounds on ${names.join(", ")}`);
    outcomes.push(...(await Promise.all(names.map((name) => outcomeOf(name, rounds, seed, play)))));
  }
  return outcomes.toSorted((a, b) => a.evidence.platform.localeCompare(b.evidence.platform));
}

async function plainStorm(options: StormOptions): Promise<Outcome> {
  const evidence = await storm(options);
  return { seed: options.seed, rounds: options.rounds, evidence, verdict: judge(evidence) };
}

async function outcomeOf<T extends Outcome>(
  name: string,
  rounds: number,
  seed: number,
  play: (options: StormOptions) => Promise<T>,
): Promise<T> {
  const platform = await PLATFORMS[name]!();
  try {
    const kept = path.join(values.keep ?? "", `${name}-${seed}`);
    const home = values.keep === undefined ? {} : { home: kept };
    // Ids restart with every run: messages of an earlier run would count as duplicates.
    if (home.home !== undefined) fs.rmSync(home.home, { recursive: true, force: true });
    const progress = (done: number) => {
      if (done % 20 === 0) console.error(`${name}: ${done} of ${rounds} rounds`);
    };
    const outcome = await play({ platform, seed, rounds, progress, ...home });
    if (values.keep !== undefined) {
      const { logs, stored: _, ...rest } = outcome.evidence;
      fs.writeFileSync(`${kept}.log`, logs.join("\n=== next life ===\n"));
      fs.writeFileSync(`${kept}.json`, JSON.stringify(rest, null, 1));
    }
    return outcome;
  } finally {
    await platform.close();
  }
}

/** Replaces the lines of these platforms; the others and the other table stay. */
function keepTable(part: "storm" | "tools", lines: readonly Line[]): void {
  const now = fs.existsSync(RESULTS) ? fs.readFileSync(RESULTS, "utf8") : "";
  const [storms = "", tools] = now.split(TOOLS_TITLE);
  const all = [...otherLines((part === "storm" ? storms : tools) ?? "", lines), ...lines].toSorted((a, b) =>
    String(a.platform).localeCompare(String(b.platform)),
  );
  const withTools = tools === undefined ? "" : `\n${TOOLS_TITLE}${tools}`;
  const text = part === "storm" ? page(all, machine()) : toolSection(all, machine());
  fs.writeFileSync(RESULTS, part === "storm" ? text + withTools : `${storms.trimEnd()}\n\n${text}`);
}

function reportTools(outcomes: readonly ToolOutcome[]): void {
  if (values.json)
    console.log(
      JSON.stringify(
        outcomes.map((one) => ({ ...asJson(one), tools: one.tools })),
        null,
        2,
      ),
    );
  else console.log(toolTable(outcomes));
  if (values.write) keepTable("tools", outcomes.map(toolCellsOf));
  complain(
    outcomes.filter((outcome) => !isAllKept(outcome)),
    brokenToolPromises,
  );
}

function report(outcomes: readonly Outcome[]): void {
  if (values.json) console.log(JSON.stringify(outcomes.map(asJson), null, 2));
  else console.log(crashTable(outcomes));
  if (values.write) keepTable("storm", outcomes.map(cellsOf));
  complain(
    outcomes.filter(({ verdict }) => !isKept(verdict)),
    brokenPromises,
  );
}

function complain<T extends Outcome>(broken: readonly T[], linesOf: (outcome: T) => string[]): void {
  for (const outcome of broken) {
    for (const line of linesOf(outcome)) console.error(line);
    const { seed, evidence } = outcome;
    const mode = values.tools ? "--tools " : "";
    console.error(
      `Again: npm run chaos -- ${mode}--platform ${evidence.platform} --rounds ${outcome.rounds} --seed ${seed} --keep /tmp/chaos`,
    );
  }
  if (broken.length > 0) process.exitCode = 1;
}

function machine(): string {
  return `${os.cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
}
