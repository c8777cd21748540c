import { expect, it } from "vitest";
import { openChat, openWorld } from "./chat.js";

it("/stop reports what it stopped and dropped", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  expect(await chat.ask("/stop")).toBe("Nothing is running.");
  Object.assign(world.activity, { running: true, waiting: 1 });
  expect(await chat.ask("/stop")).toContain("Stopped. 1 waiting message dropped.");
  expect(world.activity).toMatchObject({ running: false, waiting: 0 });
});

it("/queue asks immediately if no turn is running, without the command's name", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  expect(await chat.run("/queue and then — the tests")).toEqual({ turn: { text: "and then — the tests" } });
  expect(await chat.run("/q x")).toEqual({ turn: { text: "x" } });
});

it("/queue during a turn reports how many turns come first", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  world.activity.running = true;
  expect(await chat.run("/queue x")).toEqual({ reply: "⏳ Queued, after 1 turn.", turn: { text: "x" } });
  world.activity.waiting = 2;
  expect(await chat.ask("/queue y")).toBe("⏳ Queued, after 3 turns.");
});

it("/steer adds to the running turn, or starts a turn if none is running", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  expect(await chat.run("/steer x")).toEqual({ turn: { text: "x" } });
  world.activity.running = true;
  const outcome = await chat.run("/steer only last week");
  expect(outcome.turn).toEqual({ text: "only last week", steer: true });
  expect(outcome.reply).toContain("running turn");
});

it.each(["/background", "/bg", "/btw"])("%s replies with the id of its session", async (verb) => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  const { id } = await chat.say("hello");
  const reply = await chat.ask(`${verb} compare the offers`);
  const [other] = (await world.store.listSessions()).filter((session) => session.id !== id);
  expect(reply).toContain(other!.id);
  expect((await chat.session())?.id).toBe(id);
});

it.each(["/queue", "/steer  ", "/background\n"])("%j without text shows an example", async (text) => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const outcome = await chat.run(text);
  expect(outcome.turn).toBeUndefined();
  expect(outcome.reply).toContain("For example");
});
