import { expect, it } from "vitest";
import { Random } from "../../bench/random.js";
import {
  expectFilesAgree,
  expectNoMessageTwice,
  expectNothingOpen,
  expectOneAnswerPerTurn,
} from "../support/agreement.js";
import { ShiftedClock } from "../support/shifted-clock.js";
import type { Policy, Settings } from "./week/model.js";
import { World } from "./week/world.js";

/**
 * Eight days in fast-forward. Europe's clocks go forward on the first night, those of Chile (over midnight) and of Lord
 * Howe (by half an hour) go back on the last; every daemon has its own zone and policies, and is stopped and killed.
 */

const SEED = Number(process.env.WEEK_SEED ?? 20270328);
const FROM = Date.parse("2027-03-27T20:00Z");
const TO = Date.parse("2027-04-04T20:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The daemons' clocks go on while they work: nothing falls due within this time of a step. */
const MARGIN = 3 * MINUTE;

const policy = (mode: Policy["mode"], at_hour: number, idle_minutes: number): Policy => ({
  mode,
  at_hour,
  idle_minutes,
});

/** Hours that the change of the clock skips, repeats, or passes twice. */
const WORLDS: Settings[] = [
  {
    timezone: "Europe/Berlin",
    session_reset: policy("both", 4, 1440),
    reset_by_type: { group: policy("idle", 0, 90), thread: policy("none", 0, 1) },
    reset_by_platform: { discord: policy("daily", 2, 60) },
  },
  {
    timezone: "Australia/Lord_Howe",
    session_reset: policy("daily", 1, 60),
    reset_by_type: { dm: policy("both", 2, 600), group: policy("none", 0, 1) },
    reset_by_platform: { telegram: policy("idle", 0, 300) },
  },
  {
    timezone: "America/Santiago",
    session_reset: policy("both", 0, 720),
    reset_by_type: { thread: policy("daily", 23, 60) },
    reset_by_platform: { slack: policy("both", 23, 200) },
  },
];

/** On both sides of the hours at which days end in the nights of the changes, and at any time between. */
function wishedTimes(worlds: readonly World[], random: Random): number[] {
  const near = worlds.flatMap(({ rules }) => {
    const isNear = (atMs: number) => rules.changes.some((change) => Math.abs(atMs - change) < 6 * HOUR);
    return rules.hours.flatMap((hour) => rules.boundaries(hour)).filter(isNear);
  });
  const around = near.flatMap((atMs) => [atMs - 2 * MARGIN, atMs + 2 * MARGIN]);
  const between: number[] = [];
  for (let at = FROM; at < TO; at += random.between(7 * 60, 15 * 60) * MINUTE) between.push(at);
  return [...around, ...between].filter((at) => at > FROM && at < TO).toSorted((a, b) => a - b);
}

/** No decision hangs on the seconds that a step takes. */
function isClear(worlds: readonly World[], atMs: number): boolean {
  return worlds.every(({ models }) =>
    models.every((model) => model.due(atMs - MARGIN) === model.due(atMs + MARGIN)),
  );
}

it("ends sessions as the rules say, all week, over changes of the clock and through restarts", {
  timeout: 240_000,
}, async () => {
  const random = new Random(SEED);
  const clock = new ShiftedClock(FROM);
  const span = { fromMs: FROM, toMs: TO };
  const worlds = await Promise.all(WORLDS.map((settings) => World.open(settings, span, random)));
  const all = (act: (world: World) => Promise<unknown>) => Promise.all(worlds.map(act));
  await all((world) => world.start(clock.env));
  for (const world of worlds) world.talk(FROM, true);
  await all((world) => world.settled());

  let now = FROM;
  for (const [step, wished] of wishedTimes(worlds, random).entries()) {
    now = Math.max(wished, now + MARGIN);
    while (!isClear(worlds, now)) now += MARGIN;
    const away = step % 8 === 3 ? random.pick(worlds) : undefined;
    await away?.daemon.kill(random.pick(["SIGKILL", "SIGTERM"] as const));
    clock.moveTo(now);
    const present = worlds.filter((world) => world !== away);
    await Promise.all(present.map((world) => world.swept(now)));
    for (const world of worlds) world.talk(now, false);
    // What comes in with the start is looked at before any sweep.
    await away?.start(clock.env);
    await all((world) => world.settled());
  }

  await all(async ({ daemon }) => expect(await daemon.stop()).toBe(0));
  for (const world of worlds) {
    world.expectSessions();
    world.expectAnswers();
    const { home } = world.daemon;
    expectNothingOpen(home);
    expectNoMessageTwice(home);
    expectOneAnswerPerTurn(home);
    expectFilesAgree(home);
  }
  const notices = worlds.flatMap(({ models }) => models.flatMap((model) => model.notices));
  for (const reason of ["idle", "daily"])
    expect(notices.filter((told) => told === reason).length).toBeGreaterThan(20);
});
