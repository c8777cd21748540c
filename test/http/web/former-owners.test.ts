import { expect, it } from "vitest";
import type { Config } from "../../../src/config/schema.js";
import { Attempts } from "../../../src/http/web/attempts.js";
import { dropFormerOwners } from "../../../src/http/web/former-owners.js";
import { visitorBy } from "../../../src/http/web/visitor.js";
import { OPERATOR, webPersonOf } from "../../../src/policies/web-person.js";
import { tempStore } from "../../support/temp.js";

const [ANN, BOB, SECOND_ID] = ["telegram:1", "telegram:2", "signal:uuid"].map(webPersonOf) as [
  string,
  string,
  string,
];

it("who is not among the owners any more loses it on every device, at the next start", async () => {
  const { store } = await tempStore();
  const signIn = async (person: string) => {
    await store.saveRecord({
      ...{ platform: "web", kind: "person", owner: person, id: person, value: { name: "x", owner: true } },
    });
    await store.saveRecord({
      ...{ platform: "web", kind: "device", owner: person, id: `device of ${person}`, value: {} },
    });
  };
  const start = (owners: string[]) => dropFormerOwners({ store, config: { owners } as Config });
  const isOwner = async (person: string) => (await visitorBy(`device of ${person}`, store)).owner;

  await start(["telegram:1", "telegram:2", "signal:+49"]);
  for (const person of [ANN, BOB, SECOND_ID, OPERATOR]) await signIn(person);
  await start(["telegram:1", "telegram:2", "signal:+49"]);
  expect(await Promise.all([ANN, BOB, SECOND_ID, OPERATOR].map(isOwner))).toEqual([true, true, true, true]);
  await start(["telegram:1"]);
  expect(await Promise.all([ANN, BOB, SECOND_ID, OPERATOR].map(isOwner))).toEqual([true, false, false, true]);
});

it("a login of one's own doesn't allow more guesses of another's", () => {
  const attempts = new Attempts();
  for (let i = 0; i < 9; i += 1) attempts.begin("1.2.3.4");
  attempts.begin("1.2.3.4");
  attempts.succeeded("1.2.3.4");
  attempts.begin("1.2.3.4");
  expect(() => attempts.begin("1.2.3.4")).toThrow("Too many failed logins");
});
