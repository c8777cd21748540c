import { describe, expect, it } from "vitest";
import { SUMMARY_PREFIX } from "../../../src/summary-marks.js";
import { openChat, openWorld } from "./chat.js";

describe("/undo", () => {
  it("takes back the last turn and says what it was", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    await chat.say("first");
    const { id } = await chat.say(`second ${"very ".repeat(40)}long`);
    expect(await chat.ask("/undo")).toMatch(/Took back 1 turn:\n\n- `second very very [^`]*…`/);
    expect((await world.store.getConversation(id)).map(({ content }) => content)).toEqual([
      "first",
      "You said first",
    ]);
  });

  it("takes back several, at most all there are", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    for (const text of ["one", "two", "three"]) await chat.say(text);
    expect(await chat.ask("/undo 2")).toContain("Took back 2 turns:\n\n- `two`\n- `three`");
    expect(await chat.ask("/undo 9")).toContain("Took back 1 turn:\n\n- `one`");
    expect(await chat.ask("/undo")).toBe("There is nothing to undo.");
  });

  it.each(["/undo 0", "/undo -1", "/undo 1.5", "/undo all"])("%s asks how many", async (text) => {
    const chat = openChat(await openWorld(), { user: "ann" });
    await chat.say("one");
    expect(await chat.ask(text)).toContain("How many turns?");
  });

  it("doesn't take back a summary, which may stand there as a user message", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    for (const text of ["one", "two", "three"]) await chat.say(text);
    await chat.ask("/compress");
    expect(await chat.ask("/undo 9")).toContain("Took back 1 turn:\n\n- `three`");
    const [summary] = await world.store.getConversation((await chat.session())!.id);
    expect(summary).toMatchObject({ role: "user", content: expect.stringContaining(SUMMARY_PREFIX) });
    expect(await chat.ask("/undo")).toBe("There is nothing to undo.");
  });
});

describe("/retry", () => {
  it("takes the last turn back and asks it again, as it was written", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    await chat.say("first");
    const { id } = await chat.say("second\n  — with care");
    expect(await chat.run("/retry")).toEqual({ turn: { text: "second\n  — with care" } });
    expect(await world.store.getConversation(id)).toHaveLength(2);
  });

  it("without a turn has nothing to do", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    expect(await chat.ask("/retry")).toContain("no session here yet");
    await chat.ask("/new");
    expect(await chat.run("/retry")).toEqual({ reply: "There is nothing to retry." });
  });

  it("of a message with a picture asks for it again and takes nothing back", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    const { id } = await chat.say("first");
    const parts = [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: "x" } },
    ];
    await world.store.appendMessages(id, [{ role: "user", content: parts }]);
    expect(await chat.run("/retry")).toEqual({
      reply: "The last message was more than text. Please send it again.",
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

  it("are taken back together", async () => {
    const world = await openWorld();
    const chat = openChat(world, { user: "ann" });
    const { id } = await chat.say("first");
    await world.store.appendMessages(id, together);
    expect(await chat.ask("/undo")).toContain("Took back 1 turn:\n\n- `one more thing`\n- `and another`");
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

it("/retry in a shared session doesn't name its asker twice", async () => {
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
  it("goes on in a copy and leaves the original as it is", async () => {
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

  it("names the original by its id where the copy has the newer title", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    const original = await chat.say("hello");
    await chat.ask("/title Rome");
    const reply = await chat.ask("/fork");
    expect(reply).toContain("`Rome #2`");
    expect(reply).toContain(`/resume ${original.id}`);
  });

  it("needs something to branch from and a title that is free", async () => {
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
  it("says how much is left and under which title it goes on", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    for (const text of ["one", "two", "three"]) await chat.say(text);
    await chat.ask("/title Rome");
    expect(await chat.ask("/compress the trains")).toMatch(
      /^🗜️ Summarised: 6 messages → 4\. The session goes on as `Rome #2`\./,
    );
  });

  it("says when there is too little, or no session", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    expect(await chat.ask("/compress")).toContain("no session here yet");
    await chat.say("one");
    expect(await chat.ask("/compress")).toContain("too little to summarise");
  });
});
