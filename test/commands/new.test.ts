import { expect, it } from "vitest";
import { openChat, openWorld } from "./chat.js";

it("/new starts a new session and shows how to return to the old one", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const old = await chat.say("hello");
  const reply = await chat.ask("/new");
  const fresh = await chat.session();
  expect(fresh?.id).not.toBe(old.id);
  expect(reply).toContain(fresh!.id);
  expect(reply).toContain(`/resume ${old.id}`);
});

it("/reset does the same, and names a titled session by its title", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  await chat.say("hello");
  await chat.ask("/title Trip to Rome");
  expect(await chat.ask("/reset")).toContain("/resume Trip to Rome");
});

it("/new refers to the old session by id if a newer one has its title", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  const old = await chat.say("hello");
  await chat.ask("/title Trip");
  await world.store.createSession({ source: "web", user_id: "ann", title: "Trip #2" });
  expect(await chat.ask("/new")).toContain(`/resume ${old.id}`);
});

it("/new never refers to an old session by a numeric title, which /resume would read as a list number", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const old = await chat.say("hello");
  await chat.ask("/title 7");
  expect(await chat.ask("/new")).toContain(`/resume ${old.id}`);
});

it("/new offers no way back if there was no session, or an empty one", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  expect(await chat.ask("/new")).not.toContain("/resume");
  expect(await chat.ask("/new")).not.toContain("/resume");
});

it("/new with a title sets it, including dashes", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  expect(await chat.ask("/new  Rome —  the  plan ")).toContain("Rome — the plan");
  expect((await chat.session())?.title).toBe("Rome — the plan");
});

it("/new with a taken title starts an untitled session", async () => {
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

it("/new stops the running turn first and reports dropped messages", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  await chat.say("hello");
  Object.assign(world.activity, { running: true, waiting: 2 });
  expect(await chat.ask("/new")).toContain("I stopped the running turn and dropped 2 waiting messages.");
  expect(world.activity.running).toBe(false);
});

it("/new keeps messages that wait while no turn runs: they are answered in the new session", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  world.activity.waiting = 1;
  await chat.ask("/new");
  expect(world.activity.waiting).toBe(1);
});
