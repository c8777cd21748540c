import { expect, it, onTestFinished } from "vitest";
import { discord } from "./discord.js";
import { slack } from "./slack.js";
import { storm } from "./storm.js";
import { brokenPromises, crashTable } from "./table.js";
import { telegram } from "./telegram.js";
import { judge } from "./verdict.js";

/** A short storm over each platform; `npm run chaos` is the long one. */

const ROUNDS = 8;
const SEED = 20260616;

it("keeps every promise on each platform while the daemon is killed and the platform has a bad day", {
  timeout: 240_000,
}, async () => {
  const outcomes = await Promise.all(
    [telegram, discord, slack].map(async (begin) => {
      const platform = await begin();
      onTestFinished(() => platform.close());
      const evidence = await storm({ platform, seed: SEED, rounds: ROUNDS });
      return { seed: SEED, rounds: ROUNDS, evidence, verdict: judge(evidence) };
    }),
  );
  console.log(crashTable(outcomes));
  expect(outcomes.flatMap(brokenPromises)).toEqual([]);
  for (const { evidence } of outcomes) expect(evidence.deathsAtMs.length).toBeGreaterThanOrEqual(ROUNDS / 2);
});
