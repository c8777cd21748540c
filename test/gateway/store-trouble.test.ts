import { expect, it } from "vitest";
import { plain, TestGateway } from "../support/gateway.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";

/** Writes fail for a while, as on a full disk. Recovery needs no restart. */
const ann = inDm("ann");
const texts = (gateway: TestGateway) => gateway.adapter.to(ann).map(({ text }) => plain(text));

const BROKEN = "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
const breakTable = (gateway: TestGateway, table: string) =>
  gateway.change(`CREATE TRIGGER broken BEFORE UPDATE ON ${table} ${BROKEN}`);
const mend = (gateway: TestGateway) => gateway.change("DROP TRIGGER broken");

it("a turn whose end can't be stored runs again once writes work", async () => {
  const gateway = await TestGateway.start();
  await gateway.ask(ann, "one");
  const slow = await gateway.say(ann, "!slow 1500 two");
  await until("the turn runs", () => gateway.inbox(slow)?.state === "running");
  breakTable(gateway, "gw_inbox");
  await until("the turn failed", () => gateway.warnings.some(({ message }) => message === "turn failed"));
  expect(gateway.inbox(slow)).toMatchObject({ state: "running" });
  const later = gateway.say(ann, "three");
  mend(gateway);
  await later;
  await gateway.idle();
  expect(texts(gateway).toSorted()).toEqual(["one", "three", "two"]);
  expect(gateway.inbox(slow)).toMatchObject({ state: "done", attempts: 2 });
});

it("a send whose end can't be stored isn't repeated, and its chat continues", async () => {
  const gateway = await TestGateway.start();
  await gateway.ask(ann, "one");
  gateway.adapter.beforeSend = ({ text }) => {
    if (text === "two") breakTable(gateway, "gw_outbox");
  };
  await gateway.say(ann, "two");
  await until("it was noticed", () => gateway.warnings.some(({ message }) => message === "delivery failed"));
  mend(gateway);
  expect(await gateway.ask(ann, "three")).toEqual(["three"]);
  expect(texts(gateway)).toEqual(["one", "two", "three"]);
  expect(gateway.read("SELECT DISTINCT state, may_be_repeat FROM gw_outbox")).toEqual([
    { state: "sent", may_be_repeat: 0 },
  ]);
});

it("a message whose commit fails is neither acknowledged nor answered, until it is delivered again", async () => {
  const gateway = await TestGateway.start();
  await gateway.ask(ann, "one");
  // Fails the commit, not the statement: by then the turn has started.
  gateway.change("CREATE TABLE missing (id INTEGER PRIMARY KEY)");
  gateway.change("CREATE TABLE doomed (id REFERENCES missing DEFERRABLE INITIALLY DEFERRED)");
  gateway.change("CREATE TRIGGER broken AFTER INSERT ON gw_inbox BEGIN INSERT INTO doomed VALUES (1); END");
  await expect(gateway.say(ann, "two", { eventId: "two" })).rejects.toThrow("FOREIGN KEY");
  mend(gateway);
  await gateway.say(ann, "two", { eventId: "two" });
  await gateway.idle();
  expect(texts(gateway)).toEqual(["one", "two"]);
});
