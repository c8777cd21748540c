import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { GatewayEvent } from "../../src/events.js";
import { PeopleSource } from "../../src/http/dashboard/people-source.js";
import type { KnownPerson } from "../../src/store/people.js";
import { tempDir } from "../support/temp.js";

/** Longer than what counts as slow. */
const SLOW_MS = 250;

function known(userId: string): KnownPerson {
  const seen = { sessions: 1, messages: 2, firstSeen: 1, lastSeen: 2, pairing: null };
  return { platform: "telegram", userId, names: [`Person ${userId}`], ...seen };
}

const writes = (userId: string) =>
  ({
    type: "accepted",
    at: 3,
    message: { origin: { platform: "telegram", userId, userName: `Person ${userId}` } },
  }) as unknown as GatewayEvent;

function sourceOf(tookMs: number) {
  const looks = { people: 0 };
  const stored = ["1"];
  const source = new PeopleSource({
    home: tempDir(),
    store: {
      listPeople: async () => {
        looks.people += 1;
        await sleep(tookMs);
        return stored.toReversed().map(known);
      },
      listRecords: async () => [],
    },
  });
  const write = (userId: string) => {
    if (!stored.includes(userId)) stored.push(userId);
    source.onEvent(writes(userId));
  };
  return { source, looks, write };
}

const idsOf = async (source: PeopleSource) => (await source.list()).map(({ userId }) => userId);

it("people who are slow to read are read once, however many newcomers write", async () => {
  const { source, looks, write } = sourceOf(SLOW_MS);
  const first = source.list();
  // Nothing is known yet, and the read goes on.
  write("1");
  await first;
  await source.list();
  const before = looks.people;
  for (const id of ["2", "1", "3", "2"]) {
    write(id);
    await source.list();
  }
  expect(await idsOf(source)).toEqual(["3", "2", "1"]);
  expect((await source.find({ platform: "telegram", userId: "3" }))?.names).toEqual(["Person 3"]);
  expect(looks.people).toBe(before);
  // A change by the operator is seen at once.
  source.invalidate();
  expect((await source.find({ platform: "telegram", userId: "3" }))?.messages).toBe(2);
  expect(looks.people).toBe(before + 1);
});

it("a name is found without reading everyone", async () => {
  const { source, looks } = sourceOf(0);
  expect(await source.nameOf({ platform: "telegram", userId: "1" }, "Person 1")).toBe("Person 1");
  expect(looks.people).toBe(0);
});
