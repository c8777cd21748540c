import { describe, expect, it } from "vitest";
import { SUMMARY_PREFIX } from "../../src/summary-marks.js";
import { openChat, openWorld } from "./chat.js";

describe("/undo", () => {
  it("undoes the last turn and shows it", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    await chat.say("first");
    const { id } = await chat.say(`second ${"very ".repeat(40)}long`);
    expect(await chat.ask("/undo")).toMatch(/Undid 1 turn:\n\n- `second very very [^`]*…`/);
    expect((await world.store.getConversation(id)).map(({ content }) => content)).toEqual([
      "first",
      "You said first",
    ]);
  });

  it("undoes several turns, at most all of them", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    for (const text of ["one", "two", "three"]) await chat.say(text);
    expect(await chat.ask("/undo 2")).toContain("Undid 2 turns:\n\n- `two`\n- `three`");
    expect(await chat.ask("/undo 9")).toContain("Undid 1 turn:\n\n- `one`");
    expect(await chat.ask("/undo")).toBe("There is nothing to undo.");
  });

  it.each(["/undo 0", "/undo -1", "/undo 1.5", "/undo all"])("%s asks how many", async (text) => {
    const chat = openChat(await openWorld(), { user: "ann" });
    await chat.say("one");
    expect(await chat.ask(text)).toContain("How many turns?");
  });

  it("never undoes a summary, even if it is a user message", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    for (const text of ["one", "two", "three"]) await chat.say(text);
    await chat.ask("/compress");
    expect(await chat.ask("/undo 9")).toContain("Undid 1 turn:\n\n- `three`");
    const [summary] = await world.store.getConversation((await chat.session())!.id);
    expect(summary).toMatchObject({ role: "user", content: expect.stringContaining(SUMMARY_PREFIX) });
    expect(await chat.ask("/undo")).toBe("There is nothing to undo.");
  });
});

describe("/retry", () => {
  it("undoes the last turn and asks it again, unchanged", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    await chat.say("first");
    const { id } = await chat.say("second\n  — with care");
    expect(await chat.run("/retry")).toEqual({ turn: { text: "second\n  — with care" } });
    expect(await world.store.getConversation(id)).toHaveLength(2);
  });

  it("does nothing without a turn", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    expect(await chat.ask("/retry")).toContain("no session here yet");
    await chat.ask("/new");
    expect(await chat.run("/retry")).toEqual({ reply: "There is nothing to retry." });
  });

  it("asks to resend a message with an image and undoes nothing", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    const { id } = await chat.say("first");
    const parts = [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "x" } },
    ];
    await world.store.appendMessages(id, [{ role: "user", content: parts }]);
    expect(await chat.run("/retry")).toEqual({
      reply: "The last message had more than text. Please send it again.",
    });
    expect(await world.store.getConversation(id)).toHaveLength(3);
  });
});

describe("messages that were answered together", () => {
  const together = [
    { role: "user", content: "one more thing" },
    { role: "user", content: "and another" },
    { role: "assistant", content: "Both done" },
  ];

  it("are undone together", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    const { id } = await chat.say("first");
    await world.store.appendMessages(id, together);
    expect(await chat.ask("/undo")).toContain("Undid 1 turn:\n\n- `one more thing`\n- `and another`");
    expect(await world.store.getConversation(id)).toHaveLength(2);
  });

  it("are asked again together", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    const { id } = await chat.say("first");
    await world.store.appendMessages(id, together);
    expect(await chat.run("/retry")).toEqual({ turn: { text: "one more thing\nand another" } });
    expect(await world.store.getConversation(id)).toHaveLength(2);
  });
});

it("/retry in a shared session doesn't repeat the sender's name", async () => {
  const world = await openWorld();
  const room = { chatType: "thread", chatId: "t", threadId: "t" };
  const ann = openChat(world, { user: "ann", ...room });
  await ann.say("[ann] hello");
  expect(await openChat(world, { user: "bob", ...room }).run("/retry")).toEqual({
    turn: { text: "[ann] hello" },
  });
  await ann.say("[ann] hello");
  expect(await ann.run("/retry")).toEqual({ turn: { text: "hello" } });
});

describe("/branch", () => {
  it("continues in a copy and leaves the original unchanged", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    const original = await chat.say("hello");
    await chat.ask("/title Rome");
    const reply = await chat.ask("/branch Rome by train");
    const copy = (await chat.session())!;
    expect(reply).toContain(`You are now in a copy: \`Rome by train\` (\`${copy.id}\`)`);
    expect(reply).toContain("/resume Rome`");
    await chat.ask("/undo");
    expect(await world.store.getConversation(original.id)).toHaveLength(2);
  });

  it("names the original by id if the copy has a newer title", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    const original = await chat.say("hello");
    await chat.ask("/title Rome");
    const reply = await chat.ask("/fork");
    expect(reply).toContain("`Rome #2`");
    expect(reply).toContain(`/resume ${original.id}`);
  });

  it("needs messages to copy and a free title", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    expect(await chat.ask("/branch")).toContain("no session here yet");
    await chat.ask("/new Empty");
    expect(await chat.ask("/branch")).toBe("There is nothing to branch from yet.");
    const { id } = await chat.say("hello");
    expect(await chat.ask("/branch Empty")).toContain("is in use");
    expect(await chat.ask(`/branch ${"x".repeat(101)}`)).toContain("max 100");
    expect((await chat.session())?.id).toBe(id);
  });
});

describe("/compress", () => {
  it("shows the number of remaining messages and the new title", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    for (const text of ["one", "two", "three"]) await chat.say(text);
    await chat.ask("/title Rome");
    expect(await chat.ask("/compress the trains")).toMatch(
      /^🗜️ Summarised: 6 messages → 4\. The session continues as `Rome #2`\./,
    );
  });

  it("explains if there is too little to summarise, or no session", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    expect(await chat.ask("/compress")).toContain("no session here yet");
    await chat.say("one");
    expect(await chat.ask("/compress")).toContain("too little to summarise");
  });
});
