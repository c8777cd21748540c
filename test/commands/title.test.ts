import { expect, it } from "vitest";
import { openChat, openWorld } from "./chat.js";

it("/title before the first message reports that there is no session yet", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  expect(await chat.ask("/title")).toContain("no session here yet");
  expect(await chat.ask("/title Rome")).toContain("no session here yet");
});

it("/title shows the id, then the title once it is set", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const { id } = await chat.say("hello");
  expect(await chat.ask("/title")).toBe(`\`${id}\` has no title yet; \`/title <text>\` sets one.`);
  expect(await chat.ask("/title  Trip\u200b to\n Rome")).toBe("This session is now `Trip to Rome`.");
  expect(await chat.ask("/title")).toBe(`\`Trip to Rome\` (\`${id}\`) is this session.`);
});

it("a title keeps its long dashes and can't become markup", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  await chat.say("hello");
  expect(await chat.ask("/title A — `[b](c)`")).toBe("This session is now `A — '[b](c)'`.");
  expect((await chat.session())?.title).toBe("A — `[b](c)`");
});

it("/title rejects long and invisible titles and keeps the old one", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  await chat.say("hello");
  await chat.ask("/title Rome");
  expect(await chat.ask(`/title ${"x".repeat(101)}`)).toContain("max 100");
  expect(await chat.ask("/title \u200b\u2060")).toContain("no readable characters");
  expect((await chat.session())?.title).toBe("Rome");
});

it("a taken title of the person's own session is reported with its id", async () => {
  const chat = openChat(await openWorld(), { user: "ann" });
  const { id } = await chat.say("hello");
  await chat.ask("/title Rome");
  await chat.ask("/new");
  expect(await chat.ask("/title Rome")).toBe(
    `The title \`Rome\` is in use by \`${id}\`. Choose another one.`,
  );
});

it("a session that a reset has ended isn't renamed", async () => {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  const { id } = await chat.say("hello");
  world.routes.get(chat.key)!.expiredReason = "idle";
  const reply = await chat.ask("/title Rome");
  expect(reply).toContain("ended (idle)");
  expect(reply).toContain(`/resume ${id}`);
  expect((await chat.session())?.title).toBeNull();
});
