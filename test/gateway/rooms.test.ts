import { describe, expect, it } from "vitest";
import { TestGateway } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";

/** In a shared session, one person's text could make the agent search another person's history. */

const ann = inDm("ann");
const team = inGroup("ann", "team");
const OWNED = { owners: ["test:ann"] };
const SHARED = { group_sessions_per_user: false };

const SEARCH = '!tool session_search {"query":"walrus","limit":10}';

async function annTalks(config = {}): Promise<TestGateway> {
  const gateway = await TestGateway.start({ config, platform: { enabled: true } });
  await gateway.ask(ann, "a private walrus");
  await gateway.ask(ann, '!tool memory {"action":"add","content":"Is afraid of walruses"}');
  await gateway.ask(team, "a walrus for the team");
  await gateway.ask(team, "/new");
  return gateway;
}

describe("in a shared session", () => {
  it("the agent finds only the room's messages, for owners too", async () => {
    for (const config of [SHARED, { ...SHARED, ...OWNED }]) {
      const gateway = await annTalks(config);
      const [found] = await gateway.ask(team, SEARCH);
      expect(found).toContain("for the team");
      expect(found).not.toContain("private");
      expect((await gateway.ask(team, "!tool session_search {}"))[0]).not.toContain("private");
      const { id } = await gateway.session(ann);
      expect((await gateway.ask(team, `!tool session_search {"session_id":"${id}"}`))[0]).toContain(
        "not found",
      );
    }
  });

  it("the agent sees no private notes, but can add to them", async () => {
    const gateway = await annTalks(SHARED);
    expect((await gateway.ask(team, '!tool memory {"action":"read"}'))[0]).toContain("several people read");
    expect((await gateway.session(team)).system_prompt).not.toContain("afraid");
    await gateway.ask(team, '!tool memory {"action":"add","content":"Leads the team"}');
    expect((await gateway.ask(ann, '!tool memory {"action":"read"}'))[0]).toMatch(/afraid[\s\S]*Leads/);
  });
});

describe("in a shared thread of a room with per-person sessions", () => {
  it("the agent finds nothing of those sessions", async () => {
    const gateway = await annTalks();
    expect((await gateway.ask(team, SEARCH))[0]).toContain("private");
    const thread = { ...team, threadId: "7" };
    await gateway.ask(thread, "a walrus for the thread");
    await gateway.ask(thread, "/new");
    const tools = '!tool session_search {"query":"walrus","limit":10,"role_filter":"user,assistant,tool"}';
    const [found] = await gateway.ask(thread, tools);
    expect(found).toContain("for the thread");
    expect(found).not.toContain("private");
    const { id } = await gateway.session(team);
    expect((await gateway.ask(thread, `!tool session_search {"session_id":"${id}"}`))[0]).toContain(
      "not found",
    );
  });
});

describe("in a room, in a per-person session", () => {
  it("the agent finds all of the asker's messages and notes, and knows that others can read", async () => {
    const gateway = await annTalks();
    const [found] = await gateway.ask(team, SEARCH);
    expect(found).toContain("private");
    expect(found).toContain("for the team");
    expect((await gateway.ask(team, '!tool memory {"action":"read"}'))[0]).toContain("afraid");
    const { system_prompt } = await gateway.session(team);
    expect(system_prompt).toContain("afraid");
    expect(system_prompt).toContain("Others read your answers here");
    await gateway.ask(ann, "/new");
    await gateway.ask(ann, "hello");
    expect((await gateway.session(ann)).system_prompt).not.toContain("Others read");
  });

  it("other people's messages aren't found", async () => {
    const gateway = await annTalks();
    const [found] = await gateway.ask(inGroup("bob", "team"), SEARCH);
    expect(found).not.toContain("private");
    expect(found).not.toContain("for the team");
  });

  it("only the room's schedules are listed, and an invalid target reveals no chats", async () => {
    const gateway = await annTalks(OWNED);
    await gateway.ask(ann, "/cron add --name rash every 1d Ask about the rash");
    await gateway.ask(team, "/cron add --name standup every 1d Who does what?");
    const [list] = await gateway.ask(team, "/cron");
    expect(list).toContain("standup");
    expect(list).not.toContain("rash");
    expect(list).toContain("1 schedule in other chats");
    expect((await gateway.ask(ann, "/cron"))[0]).toMatch(/rash[\s\S]*standup/);
    for (const id of ["eve", "eva"]) await gateway.ask(inDm(id, "Twin"), "hello");
    const ambiguous = "/cron add --to test:Twin every 1d Hello";
    expect((await gateway.ask(ann, ambiguous))[0]).toMatch(/Several chats.*dm-ev[ae]/);
    expect((await gateway.ask(team, ambiguous))[0]).toMatch(/^Several chats on test are named "Twin".$/);
  });
});

describe("in a direct chat", () => {
  it("the agent finds all of the asker's messages", async () => {
    const gateway = await annTalks();
    await gateway.ask(ann, "/new");
    const [found] = await gateway.ask(ann, SEARCH);
    expect(found).toContain("private");
    expect(found).toContain("for the team");
    expect((await gateway.session(ann)).system_prompt).toContain("afraid");
  });

  it("a room's own session continues, and the room no longer sees it", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(team, "about the sprint");
    await gateway.ask(team, "/title Sprint");
    const sprint = await gateway.session(team);
    expect((await gateway.ask(ann, "/resume Sprint"))[0]).toContain("Back in `Sprint`");
    await gateway.ask(ann, "between us, it goes badly");
    expect((await gateway.session(ann)).id).toBe(sprint.id);
    expect((await gateway.ask(team, "/sessions"))[0]).not.toContain("Sprint");
  });

  it("a shared session continues in a copy, so its participants don't see the new messages", async () => {
    const gateway = await TestGateway.start({ config: { group_sessions_per_user: false } });
    const bob = inGroup("bob", "team");
    await gateway.ask(team, "hello all");
    await gateway.ask(bob, "hello ann");
    await gateway.ask(bob, "/title Standup");
    const standup = await gateway.session(bob);
    const [reply] = await gateway.ask(ann, "/resume Standup");
    expect(reply).toContain("your own copy");
    await gateway.ask(ann, "I find bob tiresome");
    expect(await gateway.session(ann)).toMatchObject({ user_id: "ann", parent_session_id: standup.id });
    expect((await gateway.session(bob)).id).toBe(standup.id);
    const said = async (id: string) => JSON.stringify(await gateway.store.getMessages(id));
    expect(await said((await gateway.session(ann)).id)).toMatch(/hello all[\s\S]*tiresome/);
    expect(await said(standup.id)).not.toContain("tiresome");
    const dm = inDm("bob");
    expect((await gateway.ask(dm, '!tool session_search {"query":"tiresome"}'))[0]).not.toContain("I find");
    expect((await gateway.ask(dm, "/sessions"))[0]).not.toContain("Standup #2");
    expect((await gateway.ask(ann, "/resume Standup"))[0]).toContain("already");
  });
});
