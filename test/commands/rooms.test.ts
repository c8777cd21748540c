import { describe, expect, it } from "vitest";
import { openChat, openWorld } from "./chat.js";

/** Ann has a diary in her direct chat and writes in two rooms, which others can read. */
async function annEverywhere() {
  const world = await openWorld();
  const chats = {
    dm: openChat(world, { user: "ann" }),
    team: openChat(world, { user: "ann", chatType: "group", chatId: "team" }),
    club: openChat(world, { user: "ann", chatType: "channel", chatId: "club" }),
  };
  for (const [title, chat] of [
    ["Diary", chats.dm],
    ["Sprint", chats.team],
    ["Chess", chats.club],
  ] as const) {
    await chat.say(`about ${title}`);
    await chat.ask(`/title ${title}`);
  }
  return { world, ...chats };
}

const titlesIn = (list: string) => [...list.matchAll(/^\d+\. `(.+?)`/gm)].map(([, title]) => title);

describe("in a room", () => {
  it.each(["/sessions", "/sessions list", "/resume"])("%s lists the room's sessions", async (text) => {
    const { team, club, dm } = await annEverywhere();
    expect(titlesIn(await team.ask(text))).toEqual(["Sprint"]);
    expect(titlesIn(await club.ask(text))).toEqual(["Chess"]);
    expect(titlesIn(await dm.ask(text)).toSorted()).toEqual(["Chess", "Diary", "Sprint"]);
    expect(await team.ask(text)).toContain("In a direct message, /sessions shows all of yours.");
    expect(await dm.ask(text)).not.toContain("direct message");
  });

  it("lists nothing if the person hasn't written there", async () => {
    const { world } = await annEverywhere();
    const lobby = openChat(world, { user: "ann", chatType: "group", chatId: "lobby" });
    const reply = await lobby.ask("/sessions");
    expect(reply).toContain("No session of yours belongs to this room yet.");
    expect(reply).not.toMatch(/Diary|Sprint|Chess/);
  });

  it("rejects sessions from elsewhere in a shared session, by title, id or number", async () => {
    const { world, dm } = await annEverywhere();
    // Threads are shared by default.
    const team = openChat(world, { user: "ann", chatType: "group", chatId: "team", threadId: "1" });
    await team.say("hello all");
    const diary = (await dm.session())!;
    const before = (await team.session())!.id;
    for (const reference of ["Diary", "Chess", diary.id, diary.id.slice(0, -1)])
      expect(await team.ask(`/resume ${reference}`)).toBe(
        `\`${reference}\` doesn't belong to this room, and others can read this chat. Resume it in a direct message.`,
      );
    for (const reference of ["3", "4"])
      expect(await team.ask(`/resume ${reference}`)).toContain("No session");
    expect((await team.session())!.id).toBe(before);
    expect((await dm.session())!.id).toBe(diary.id);
  });

  it("numbers refer to the room's list", async () => {
    const { team } = await annEverywhere();
    const sprint = (await team.session())!.id;
    await team.ask("/new");
    await team.say("another matter");
    expect(await team.ask("/resume 2")).toContain("Back in `Sprint`");
    expect((await team.session())!.id).toBe(sprint);
  });

  it("reports the person's own title from elsewhere as taken, without details", async () => {
    const { world, dm } = await annEverywhere();
    const team = openChat(world, { user: "ann", chatType: "group", chatId: "team", threadId: "1" });
    await team.say("hello all");
    expect(await team.ask("/title Diary")).not.toContain((await dm.session())!.id);
  });

  it("reveals no sessions of other people", async () => {
    const { world } = await annEverywhere();
    const bob = openChat(world, { user: "bob", chatType: "group", chatId: "team" });
    await bob.say("hello");
    for (const title of ["Diary", "Sprint", "Nothing"])
      expect(await bob.ask(`/resume ${title}`)).toBe(`No session \`${title}\` found. /sessions shows yours.`);
    const olga = openChat(world, { user: "olga", owner: true, chatType: "group", chatId: "team" });
    expect(await olga.ask("/sessions")).not.toMatch(/Diary|Sprint|Chess/);
  });
});
