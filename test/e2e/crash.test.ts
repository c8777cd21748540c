import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  expectFilesAgree,
  expectNoMessageTwice,
  expectNothingOpen,
  expectOneAnswerPerTurn,
  rows,
  userMessages,
} from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { Supervisor } from "../support/supervisor.js";
import { until } from "../support/until.js";
import { plain, WebClient } from "../support/web-client.js";

/**
 * People write numbered messages, the gateway dies as if the power had gone, and comes back. Whatever the moment: every
 * message is answered once, in order, and all that is on the disk tells the same story.
 */

const USERS = 3;
const PATIENCE_MS = 60_000;

/** Short sessions are summarised early, so that lineages are part of the story. */
const SUMMARISING = `
compression:
  hygiene_hard_message_limit: 8
  protect_first_n: 1
  protect_last_n: 2
`;

describe("a gateway that dies", () => {
  it.each([
    ["accepted", 2],
    ["turn-started", 2],
    ["turn-answered", 2],
    ["turn-committed", 2],
    ["before-send", 2],
    ["sent", 2],
    ["settled", 2],
    ["split-ready", 1],
    ["split-committed", 1],
  ])("at %s loses no message and repeats no answer", { timeout: 2 * PATIENCE_MS }, async (point, count) => {
    const isSplit = point.startsWith("split");
    const daemon = new Daemon(isSplit ? { yaml: SUMMARISING } : {});
    const deadly = { HERMES_KILL_AT: `${point}:${count}` };
    const supervisor = new Supervisor(daemon, [deadly, deadly, {}]);
    const people = peopleAt(daemon);
    await Promise.all(people.map((person) => talk(person, isSplit ? 6 : 4)));
    await Promise.all(people.map(everythingAnswered));
    await until("it has died once", () => supervisor.endings.length > 0);
    await supervisor.leave();
    for (const ending of supervisor.endings) expect(ending).toEqual({ code: null, signal: "SIGKILL" });
    await expectOneTruth(daemon, people);
  });

  it("at any moment loses no message and repeats no answer", { timeout: 3 * PATIENCE_MS }, async () => {
    const daemon = new Daemon({ yaml: SUMMARISING });
    const supervisor = new Supervisor(daemon);
    const random = seeded(20260616);
    let people = peopleAt(daemon);
    const everybody: WebClient[] = [];
    const endAt = performance.now() + KILLING_MS;
    for (let round = 0; round < MAX_ROUNDS && performance.now() < endAt; round += 1) {
      people = peopleAt(daemon);
      everybody.push(...people);
      const talking = Promise.all(people.map((person) => talk(person, 8)));
      for (let kill = 0; kill < KILLS_A_ROUND; kill += 1) await killSometime(daemon, random);
      await talking;
    }
    await Promise.all(everybody.map(everythingAnswered));
    await supervisor.leave();
    console.log(`${supervisor.endings.length} deaths, ${everybody.length} people`);
    expect(supervisor.endings.length).toBeGreaterThan(KILLS_A_ROUND - 1);
    await expectOneTruth(daemon, everybody);
  });
});

const KILLING_MS = 12_000;
const MAX_ROUNDS = 8;
const KILLS_A_ROUND = 2;
/** From the start of the process, or from its readiness: half of the deaths are in the middle of a start. */
const LIFE_MS = 500;

async function killSometime(daemon: Daemon, random: () => number): Promise<void> {
  const { run } = daemon;
  if (random() < 0.6) await Promise.race([run.ready, run.ended]).catch(() => undefined);
  // The random moment itself is what is tested.
  await pause(random() * LIFE_MS);
  run.signal("SIGKILL");
  await until("the next start", () => daemon.run !== run);
}

/** Numbers between 0 and 1, the same ones for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function peopleAt(daemon: Daemon): WebClient[] {
  return Array.from({ length: USERS }, () => new WebClient(() => daemon.url));
}

/** Each message as soon as the one before is accepted; a few wait for their answer, so that turns stay small. */
async function talk(person: WebClient, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    await person.send(`message ${n}`, { timeoutMs: PATIENCE_MS });
    if (n % 2 === 0) await everythingAnswered(person);
  }
}

async function everythingAnswered(person: WebClient): Promise<void> {
  const { text: last } = person.accepted.at(-1)!;
  await until(
    `"${last}" is answered`,
    async () => linesOf(await person.answers().catch(() => [])).includes(last),
    { timeoutMs: PATIENCE_MS, found: () => person.log().catch(String) },
  );
}

/** What was joined into one turn is answered in as many lines. */
const linesOf = (answers: readonly string[]) => answers.flatMap((answer) => plain(answer).split("\n"));

async function expectOneTruth(daemon: Daemon, people: readonly WebClient[]): Promise<void> {
  for (const person of people) {
    expect(linesOf(await person.answers())).toEqual(person.accepted.map(({ text }) => text));
  }
  expect(await daemon.stop()).toBe(0);
  expectNothingOpen(daemon.home);
  expectNoMessageTwice(daemon.home);
  expectOneAnswerPerTurn(daemon.home);
  expectFilesAgree(daemon.home);
  for (const person of people) {
    expect(userMessages(daemon.home, person.chatId)).toEqual(person.accepted);
    const answers = rows<{ text: string }>(
      daemon.home,
      "SELECT text FROM gw_outbox WHERE chat_id = ? AND kind = 'answer' ORDER BY id",
      person.chatId,
    );
    expect(linesOf(answers.map(({ text }) => text))).toEqual(person.accepted.map(({ text }) => text));
  }
}
