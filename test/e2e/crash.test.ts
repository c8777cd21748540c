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
import { until } from "../support/until.js";
import { plain, WebClient } from "../support/web-client.js";

/**
 * People write numbered messages, the gateway dies as if the power had gone, and comes back. Whatever the moment: every
 * message is answered once, in order, and all that is on the disk tells the same story.
 */

const USERS = 3;
const CHAT_LOG_ENTRIES = 200;

/** Short sessions are summarised early, so that lineages are part of the story. */
const SUMMARISING = `
compression:
  hygiene_hard_message_limit: 8
  protect_first_n: 1
  protect_last_n: 2
`;

const people = (daemon: Daemon, count = USERS) =>
  Array.from({ length: count }, () => new WebClient(() => daemon.url));

/** Numbered lines: what was joined into one turn is answered in as many lines. */
const answered = (answers: readonly string[]) => answers.flatMap((answer) => plain(answer).split("\n"));

async function everythingAnswered(client: WebClient): Promise<void> {
  const wanted = client.accepted.at(-1)!.text;
  await until(
    `"${wanted}" is answered`,
    async () => answered(await client.answers().catch(() => [])).includes(wanted),
    { timeoutMs: 20_000, found: () => client.log().catch(String) },
  );
}

async function expectOneTruth(daemon: Daemon, clients: readonly WebClient[]): Promise<void> {
  for (const client of clients) {
    const sent = client.accepted.map(({ text }) => text);
    // A long chat's log shows its end.
    const shown = answered(await client.answers());
    expect(shown.length).toBeGreaterThan(0);
    expect(shown).toEqual(sent.slice(-shown.length));
    if (2 * sent.length < CHAT_LOG_ENTRIES) expect(shown).toHaveLength(sent.length);
  }
  expect(await daemon.stop()).toBe(0);
  expectNothingOpen(daemon.home);
  expectNoMessageTwice(daemon.home);
  expectOneAnswerPerTurn(daemon.home);
  expectFilesAgree(daemon.home);
  for (const client of clients) {
    expect(userMessages(daemon.home, client.chatId)).toEqual(client.accepted);
    const stored = rows<{ text: string }>(
      daemon.home,
      "SELECT text FROM gw_outbox WHERE chat_id = ? AND kind = 'answer' ORDER BY id",
      client.chatId,
    );
    expect(answered(stored.map(({ text }) => text))).toEqual(client.accepted.map(({ text }) => text));
  }
}

describe("a gateway that dies", () => {
  it.each([
    ["accepted", 2, ""],
    ["turn-started", 2, ""],
    ["turn-answered", 2, ""],
    ["turn-committed", 2, ""],
    ["before-send", 2, ""],
    ["sent", 2, ""],
    ["settled", 2, ""],
    ["split-ready", 1, SUMMARISING],
    ["split-committed", 1, SUMMARISING],
  ])("at %s loses nothing and says nothing twice", { timeout: 60_000 }, async (point, count, yaml) => {
    const daemon = await new Daemon({ yaml }).start({ HERMES_KILL_AT: `${point}:${count}` });
    const clients = people(daemon);
    const killed = (async () => {
      const first = await daemon.run.ended;
      const run = daemon.launch({ HERMES_KILL_AT: `${point}:${count}` });
      // The second start may live on: little may be left to do.
      await Promise.race([run.ended, talked]);
      if (run.isOver) daemon.launch();
      return first;
    })();
    const talked = Promise.all(clients.map((client) => talk(client, yaml === "" ? 4 : 7)));
    expect(await killed).toEqual({ code: null, signal: "SIGKILL" });
    await talked;
    await until("a gateway is up for good", async () => {
      if (daemon.run.isOver) daemon.launch();
      return daemon.run.ready.then(
        () => true,
        () => false,
      );
    });
    await Promise.all(
      clients.map((client) =>
        everythingAnswered(client).catch(async (error: unknown) => {
          if (!daemon.run.isOver) throw error;
          await daemon.start();
          await everythingAnswered(client);
        }),
      ),
    );
    await expectOneTruth(daemon, clients);
  });
});

/** Each message as soon as the one before is accepted, the last ones after an answer. */
async function talk(client: WebClient, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) await client.send(`message ${n}`);
}
