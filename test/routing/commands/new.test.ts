import { expect, it } from "vitest";
import { openChat, openWorld } from "./chat.js";

it("/new begins a fresh session and says how to get the old one back", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const old = await chat.say("hello");
  const reply = await chat.ask("/new");
  const fresh = await chat.session();
  expect(fresh?.id).not.toBe(old.id);
  expect(reply).toContain(fresh!.id);
  expect(reply).toContain(`/resume ${old.id}`);
});

it("/reset is the same, and names an old session by its title", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  await chat.say("hello");
  await chat.ask("/title Trip to Rome");
  expect(await chat.ask("/reset")).toContain("/resume Trip to Rome");
});

it("the way back is the id where the title leads to a newer session", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  const old = await chat.say("hello");
  await chat.ask("/title Trip");
  await world.store.createSession({ source: "web", user_id: "ann", title: "Trip #2" });
  expect(await chat.ask("/new")).toContain(`/resume ${old.id}`);
});

it("a title that is a number is no way back: /resume would take it for a line of the list", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const old = await chat.say("hello");
  await chat.ask("/title 7");
  expect(await chat.ask("/new")).toContain(`/resume ${old.id}`);
});

it("/new in a chat without a session, or with an empty one, has nothing to go back to", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  expect(await chat.ask("/new")).not.toContain("/resume");
  expect(await chat.ask("/new")).not.toContain("/resume");
});

it("/new with a title names the session, dashes and all", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  expect(await chat.ask("/new  Rome —  the  plan ")).toContain("Rome — the plan");
  expect((await chat.session())?.title).toBe("Rome — the plan");
});

it("/new with a taken title begins the session all the same, untitled", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const old = await chat.say("hello");
  await chat.ask("/title Rome");
  const reply = await chat.ask("/new Rome");
  expect(reply).toContain(`is in use by \`${old.id}\``);
  expect(await chat.session()).toMatchObject({ title: null });
  expect((await chat.session())?.id).not.toBe(old.id);
});

it("/new with a title that is too long changes nothing", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const old = await chat.say("hello");
  expect(await chat.ask(`/new ${"x".repeat(101)}`)).toContain("Title too long (101 chars, max 100)");
  expect((await chat.session())?.id).toBe(old.id);
});

it("/new stops the running turn first and counts what it dropped", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  await chat.say("hello");
  Object.assign(world.activity, { running: true, waiting: 2 });
  expect(await chat.ask("/new")).toContain("I stopped what was running and dropped 2 waiting messages.");
  expect(world.activity.running).toBe(false);
});

it("/new leaves alone what waits while nothing runs: it is answered in the fresh session", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  world.activity.waiting = 1;
  await chat.ask("/new");
  expect(world.activity.waiting).toBe(1);
});
