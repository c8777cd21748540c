/** `npm run chaos`: the crash table. See `--help`. */
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { endAll } from "../support/at-end.js";
import { discord } from "./discord.js";
import type { Platform } from "./platform.js";
import { slack } from "./slack.js";
import { storm } from "./storm.js";
import { asJson, brokenPromises, crashTable, type Outcome } from "./table.js";
import { telegram } from "./telegram.js";
import { isKept, judge } from "./verdict.js";

const PLATFORMS: Record<string, () => Promise<Platform>> = { telegram, discord, slack };

const HELP = `npm run chaos -- [--rounds 200] [--seed S] [--platform ${Object.keys(PLATFORMS).join("|")}] [--json] [--keep DIR]

People write in several chats of an emulated platform while the gateway is killed again and again and the platform
delivers twice, in another order, not at all for a while, asks to wait, or takes a message without saying so. Then it is
calm, and what the people see is counted.

--seed   the same rounds and the same deaths again; the moments depend on the machine
--keep   leaves the home and the daemon's log of each platform in this folder`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "200" },
    seed: { type: "string" },
    platform: { type: "string", multiple: true },
    json: { type: "boolean", default: false },
    keep: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) {
  console.log(HELP);
} else {
  const rounds = Number(values.rounds);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
  const names = values.platform ?? Object.keys(PLATFORMS);
  const unknown = names.find((name) => !Object.hasOwn(PLATFORMS, name));
  if (unknown !== undefined || !Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed)) {
    console.error(HELP);
    process.exitCode = 2;
  } else {
    await run(names, rounds, seed);
  }
}

async function run(names: readonly string[], rounds: number, seed: number): Promise<void> {
  console.error(`Seed ${seed}, ${rounds} rounds on ${names.join(", ")}`);
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => void endAll().then(() => process.exit(130)));
  try {
    const outcomes = await Promise.all(names.map((name) => outcomeOf(name, rounds, seed)));
    report(outcomes, seed);
  } finally {
    await endAll();
  }
}

async function outcomeOf(name: string, rounds: number, seed: number): Promise<Outcome> {
  const platform = await PLATFORMS[name]!();
  try {
    const home = values.keep === undefined ? {} : { home: path.join(values.keep, name) };
    // Ids begin anew with every run: what another has heard would count as heard.
    if (home.home !== undefined) fs.rmSync(home.home, { recursive: true, force: true });
    const progress = (done: number) => {
      if (done % 20 === 0) console.error(`${name}: ${done} of ${rounds} rounds`);
    };
    const evidence = await storm({ platform, seed, rounds, progress, ...home });
    if (values.keep !== undefined) {
      const { logs, stored: _, ...rest } = evidence;
      fs.writeFileSync(path.join(values.keep, `${name}.log`), logs.join("\n=== next life ===\n"));
      fs.writeFileSync(path.join(values.keep, `${name}.json`), JSON.stringify(rest, null, 1));
    }
    return { rounds, evidence, verdict: judge(evidence) };
  } finally {
    await platform.close();
  }
}

function report(outcomes: readonly Outcome[], seed: number): void {
  const broken = outcomes.filter(({ verdict }) => !isKept(verdict));
  if (values.json) console.log(JSON.stringify({ seed, platforms: outcomes.map(asJson) }, null, 2));
  else console.log(`Seed ${seed}\n\n${crashTable(outcomes)}`);
  for (const outcome of broken) {
    for (const line of brokenPromises(outcome)) console.error(line);
    const { platform } = outcome.evidence;
    console.error(
      `Again: npm run chaos -- --platform ${platform} --rounds ${outcome.rounds} --seed ${seed} --keep /tmp/chaos`,
    );
  }
  if (broken.length > 0) process.exitCode = 1;
}
