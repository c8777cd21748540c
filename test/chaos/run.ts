/** `npm run chaos`: the crash table. See `--help`. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { endAll } from "../support/at-end.js";
import { discord } from "./discord.js";
import { email } from "./email.js";
import type { Platform } from "./platform.js";
import { slack } from "./slack.js";
import { sms } from "./sms.js";
import { storm } from "./storm.js";
import { asJson, brokenPromises, crashTable, type Outcome, page } from "./table.js";
import { telegram } from "./telegram.js";
import { isKept, judge } from "./verdict.js";
import { whatsappCloud } from "./whatsapp-cloud.js";

const PLATFORMS: Record<string, () => Promise<Platform>> = {
  telegram,
  discord,
  slack,
  sms,
  email,
  whatsapp_cloud: whatsappCloud,
};

const RESULTS = new URL("../../bench/results-chaos.md", import.meta.url);

const HELP = `npm run chaos -- [--rounds 200] [--seed S]... [--platform ${Object.keys(PLATFORMS).join("|")}]... [--json] [--keep DIR] [--write]

People write in several chats of an emulated platform while the gateway is killed again and again and the platform
delivers twice, in another order, not at all for a while, asks to wait, or takes a message without saying so. Then it is
calm, and what the people see is counted.

--seed   the same rounds and the same deaths again; the moments depend on the machine. Several: one after another
--keep   leaves the home and the daemon's log of each storm in this folder
--write  keeps the table in bench/results-chaos.md`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string", multiple: true },
    platform: { type: "string", multiple: true },
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
    const outcomes: Outcome[] = [];
    for (const seed of seeds) {
      console.error(`Seed ${seed}, ${rounds} rounds on ${names.join(", ")}`);
      outcomes.push(...(await Promise.all(names.map((name) => outcomeOf(name, rounds, seed)))));
    }
    report(outcomes);
  } finally {
    await endAll();
  }
}

async function outcomeOf(name: string, rounds: number, seed: number): Promise<Outcome> {
  const platform = await PLATFORMS[name]!();
  try {
    const kept = path.join(values.keep ?? "", `${name}-${seed}`);
    const home = values.keep === undefined ? {} : { home: kept };
    // Ids restart with every run: messages of an earlier run would count as duplicates.
    if (home.home !== undefined) fs.rmSync(home.home, { recursive: true, force: true });
    const progress = (done: number) => {
      if (done % 20 === 0) console.error(`${name}: ${done} of ${rounds} rounds`);
    };
    const evidence = await storm({ platform, seed, rounds, progress, ...home });
    if (values.keep !== undefined) {
      const { logs, stored: _, ...rest } = evidence;
      fs.writeFileSync(`${kept}.log`, logs.join("\n=== next life ===\n"));
      fs.writeFileSync(`${kept}.json`, JSON.stringify(rest, null, 1));
    }
    return { seed, rounds, evidence, verdict: judge(evidence) };
  } finally {
    await platform.close();
  }
}

function report(outcomes: readonly Outcome[]): void {
  const byPlatform = (a: Outcome, b: Outcome) => a.evidence.platform.localeCompare(b.evidence.platform);
  const sorted = outcomes.toSorted(byPlatform);
  const broken = outcomes.filter(({ verdict }) => !isKept(verdict));
  if (values.json) console.log(JSON.stringify(sorted.map(asJson), null, 2));
  else console.log(crashTable(sorted));
  if (values.write) fs.writeFileSync(RESULTS, page(sorted, machine()));
  for (const outcome of broken) {
    for (const line of brokenPromises(outcome)) console.error(line);
    const { seed, evidence } = outcome;
    console.error(
      `Again: npm run chaos -- --platform ${evidence.platform} --rounds ${outcome.rounds} --seed ${seed} --keep /tmp/chaos`,
    );
  }
  if (broken.length > 0) process.exitCode = 1;
}

function machine(): string {
  return `${os.cpus().length} cores, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}`;
}
