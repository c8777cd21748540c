import { expect, it, onTestFinished } from "vitest";
import { telegram } from "./telegram.js";
import { toolStorm } from "./tools/storm.js";
import { brokenToolPromises, toolTable } from "./tools/table.js";

/** A short storm with tools; `npm run chaos -- --tools` is the long one. */

const ROUNDS = 6;
const SEED = 20260617;

it("repeats no call and loses no step while the daemon is killed between the steps of its turns", {
  timeout: 240_000,
}, async () => {
  const platform = await telegram();
  onTestFinished(() => platform.close());
  const outcome = await toolStorm({ platform, seed: SEED, rounds: ROUNDS });
  console.log(toolTable([outcome]));
  expect(brokenToolPromises(outcome)).toEqual([]);
  expect(outcome.evidence.deathsAtMs.length).toBeGreaterThanOrEqual(ROUNDS);
  expect(outcome.tools.calls).toBeGreaterThan(ROUNDS);
});
