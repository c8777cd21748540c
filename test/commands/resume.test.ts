import { describe, expect, it } from "vitest";
import { openChat, openWorld, type World } from "./chat.js";

async function threeSessions(): Promise<{ world: World; chat: ReturnType<typeof openChat>; ids: string[] }> {
  const world = await openWorld();
  const chat = openChat(world, { user: "ann" });
  const ids: string[] = [];
  for (const title of ["Rome", "Oslo", "Lima"]) {
    await chat.ask("/new");
    ids.push((await chat.say(`about ${title}`)).id);
    await chat.ask(`/title ${title}`);
  }
  return { world, chat, ids };
}

describe("the list of sessions", () => {
  it("is numbered, last active first, with the current session marked", async () => {
    const { chat } = await threeSessions();
    const lines = (await chat.ask("/sessions")).split("\n");
    expect(lines.filter((line) => /^\d/.test(line)).map((line) => line.split(" · ")[0])).toEqual([
      "1. `Lima`",
      "2. `Oslo`",
      "3. `Rome`",
    ]);
    expect(lines.filter((line) => line.includes("**current**"))).toHaveLength(1);
    expect(lines.find((line) => line.startsWith("1."))).toContain("**current**");
  });

  it("is the same for /sessions list and /resume without arguments", async () => {
    const { chat } = await threeSessions();
    const list = await chat.ask("/sessions");
    expect(await chat.ask("/sessions list")).toBe(list);
    expect(await chat.ask("/resume")).toBe(list);
  });

  it("has at most ten entries", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    for (let i = 0; i < 12; i++) await chat.ask("/new");
    expect((await chat.ask("/sessions")).match(/^\d+\./gm)).toHaveLength(10);
  });

  it("shows an untitled session by its id and first words", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    const { id } = await chat.say("what is the capital of Peru");
    expect(await chat.ask("/sessions")).toContain(
      `1. \`${id}\` · \`what is the capital of Peru\` · 2 messages`,
    );
  });

  it("tells a person without sessions how to start", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    expect(await chat.ask("/sessions")).toContain("write something to start one");
  });
});

describe("resuming", () => {
  it.each(["/resume Rome", "/resume 3", "/sessions Rome", "/sessions 3"])("%s", async (text) => {
    const { chat, ids } = await threeSessions();
    expect(await chat.ask(text)).toBe(`↩️ Back in \`Rome\` (\`${ids[0]}\`), 2 messages. Just continue.`);
    expect(await chat.session()).toMatchObject({ id: ids[0], ended_at: null });
  });

  it("finds a session by id or id prefix", async () => {
    const { chat, ids } = await threeSessions();
    await chat.ask(`/resume ${ids[1]}`);
    expect((await chat.session())?.id).toBe(ids[1]);
    await chat.ask(`/resume ${ids[0]!.slice(0, -2)}`);
    expect((await chat.session())?.id).toBe(ids[0]);
  });

  it("rejects an ambiguous prefix without listing the ids", async () => {
    const { chat, ids } = await threeSessions();
    const day = ids[0]!.slice(0, "20260616".length);
    const reply = await chat.ask(`/resume ${day}`);
    expect(reply).toContain("matches several session ids");
    for (const id of ids) expect(reply).not.toContain(id);
  });

  it("doesn't take a number beyond the list for an id prefix", async () => {
    const chat = openChat(await openWorld(), { user: "ann" });
    await chat.say("hello");
    expect(await chat.ask("/resume 2")).toBe("No session `2` found. /sessions shows yours.");
  });

  it("reports if the session is already the current one", async () => {
    const { chat, ids } = await threeSessions();
    expect(await chat.ask("/resume Lima")).toBe(`You are already in \`Lima\` (\`${ids[2]}\`).`);
  });

  it("reopens a session that a reset has just ended", async () => {
    const { world, chat, ids } = await threeSessions();
    world.routes.get(chat.key)!.expiredReason = "daily";
    expect(await chat.ask("/resume Lima")).toContain("Back in `Lima`");
    expect(world.routes.get(chat.key)).toMatchObject({ sessionId: ids[2], expiredReason: null });
  });

  it("follows an old id or title to the end of its lineage", async () => {
    const { world, chat, ids } = await threeSessions();
    const child = await world.store.splitSession({ parentId: ids[2]! });
    await chat.ask("/new");
    expect(await chat.ask(`/resume ${ids[2]}`)).toContain(`Back in \`Lima #2\` (\`${child?.id}\`)`);
    await chat.ask("/new");
    await chat.ask("/resume Lima");
    expect((await chat.session())?.id).toBe(child?.id);
  });

  it("doesn't find an unknown name, however long", async () => {
    const { chat } = await threeSessions();
    expect(await chat.ask("/resume Atlantis")).toBe("No session `Atlantis` found. /sessions shows yours.");
    expect(await chat.ask(`/resume ${"x".repeat(300)}`)).toMatch(/^No session `x{79}…` found/);
  });

  it("/sessions with a target doesn't interrupt a running turn; /resume waits for it", async () => {
    const { world, chat, ids } = await threeSessions();
    world.activity.running = true;
    expect(await chat.ask("/sessions Rome")).toContain("`/resume Rome` switches after that");
    expect((await chat.session())?.id).toBe(ids[2]);
  });
});
