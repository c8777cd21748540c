import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Chat, openChat, openWorld, type World } from "./chat.js";

/** Ann and Bob each have a session with a secret in its title, its id and its text. */
async function annAndBob(): Promise<{ world: World; ann: Chat; bob: Chat; annId: string; bobId: string }> {
  const world = await openWorld();
  const ann = openChat(world, { user: "ann" });
  const bob = openChat(world, { user: "bob" });
  const annId = (await ann.say("ann's diary")).id;
  await ann.ask("/title Divorce");
  const bobId = (await bob.say("bob's list")).id;
  await bob.ask("/title Groceries");
  return { world, ann, bob, annId, bobId };
}

function expectNothingOfAnn(reply: string, annId: string): void {
  expect(reply).not.toContain(annId);
  expect(reply).not.toContain("diary");
}

describe("a person's sessions are hidden from others", () => {
  it.each(["/sessions", "/resume", "/sessions list", "/status", "/usage", "/title"])(
    "in %s",
    async (text) => {
      const { bob, annId } = await annAndBob();
      const reply = await bob.ask(text);
      expectNothingOfAnn(reply, annId);
      expect(reply).not.toContain("Divorce");
    },
  );

  it.each(["/resume", "/sessions"])(
    "%s finds a stranger's title as little as one that isn't there",
    async (verb) => {
      const { bob, annId, bobId } = await annAndBob();
      const strangers = await bob.ask(`${verb} Divorce`);
      expect(strangers.replace("Divorce", "X")).toBe(
        (await bob.ask(`${verb} Nothing`)).replace("Nothing", "X"),
      );
      expectNothingOfAnn(strangers, annId);
      expect((await bob.session())?.id).toBe(bobId);
    },
  );

  it("a stranger's id or id prefix isn't found", async () => {
    const { bob, annId, bobId } = await annAndBob();
    for (const reference of [annId, annId.slice(0, -1)]) {
      expect(await bob.ask(`/resume ${reference}`)).toBe(
        `No session \`${reference}\` found. /sessions shows yours.`,
      );
    }
    expect((await bob.session())?.id).toBe(bobId);
  });

  it("a prefix shared with a stranger's id finds the person's own session", async () => {
    const { bob, annId, bobId } = await annAndBob();
    const shared = [...bobId].findIndex((char, i) => char !== annId[i]);
    expect(await bob.ask(`/resume ${bobId.slice(0, shared)}`)).toContain(
      `already in \`Groceries\` (\`${bobId}\`)`,
    );
  });

  it("numbers refer only to the person's own sessions", async () => {
    const { bob } = await annAndBob();
    await bob.ask("/new");
    expect((await bob.ask("/resume")).match(/^\d+\./gm)).toHaveLength(2);
    for (const number of [1, 2, 3, 4]) {
      await bob.ask(`/resume ${number}`);
      expect((await bob.session())?.user_id).toBe("bob");
    }
  });

  it("a title used by a stranger is reported as taken, without details", async () => {
    const { bob, annId } = await annAndBob();
    for (const reply of [
      await bob.ask("/title Divorce"),
      await bob.ask("/branch Divorce"),
      await bob.ask("/new Divorce"),
    ]) {
      expect(reply).toContain("The title `Divorce` is in use.");
      expectNothingOfAnn(reply, annId);
    }
  });

  it("the same user id on another platform is another person", async () => {
    const { world, bob } = await annAndBob();
    await world.store.createSession({ id: "elsewhere", source: "other", user_id: "bob", title: "Secret" });
    expect(await bob.ask("/sessions")).not.toContain("Secret");
    expect(await bob.ask("/resume elsewhere")).toContain("No session `elsewhere` found");
  });
});

describe("shared sessions are visible to their participants", () => {
  it("a room's session is listed for everyone who took part", async () => {
    const world = await openWorld();
    const place = { chatType: "thread", chatId: "t", threadId: "t" };
    const ann = openChat(world, { user: "ann", ...place });
    const bob = openChat(world, { user: "bob", ...place });
    await ann.say("hello all");
    await ann.ask("/title Standup");
    expect(await openChat(world, { user: "bob" }).ask("/sessions")).not.toContain("Standup");
    await bob.say("hi ann");
    expect(await openChat(world, { user: "bob" }).ask("/sessions")).toContain("Standup");
    expect(await openChat(world, { user: "cy" }).ask("/sessions")).not.toContain("Standup");
  });
});

describe("owners", () => {
  it("see and resume everything in a direct message", async () => {
    const { world, annId } = await annAndBob();
    const owner = openChat(world, { user: "olga", owner: true });
    const listed = await owner.ask("/sessions");
    for (const title of ["`Groceries`", "`Divorce`"]) expect(listed).toContain(title);
    expect(await owner.ask("/resume Divorce")).toContain(annId);
  });

  it("don't see other people's titles in a room", async () => {
    const { world } = await annAndBob();
    const owner = openChat(world, { user: "olga", owner: true, chatType: "group", chatId: "g" });
    await owner.say("hello");
    const list = await owner.ask("/sessions");
    expect(list).not.toMatch(/Divorce|Groceries/);
    expect(list.match(/^\d+\./gm)).toHaveLength(1);
  });
});

type Step = { who: "ann" | "bob"; verb: string; target: number };

const step = fc.record<Step>({
  who: fc.constantFrom("ann", "bob"),
  verb: fc.constantFrom("/new", "/title", "/resume", "/sessions", "/branch", "/undo", "/compress", "say"),
  target: fc.nat(20),
});

const NAMING = new Set(["/new", "/title", "/branch"]);

it("two people acting in random order never see or enter each other's sessions", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const world = await openWorld();
      const chats = { ann: openChat(world, { user: "ann" }), bob: openChat(world, { user: "bob" }) };
      for (const [i, { who, verb, target }] of steps.entries()) {
        const all = await world.store.listSessions({ limit: 100 });
        const own = ["", `${who} ${i}`];
        const titles = all.flatMap(({ title }) => title ?? []);
        // A person may use a stranger's id as a title.
        const ids = NAMING.has(verb) ? [] : [String(target), ...all.map(({ id }) => id)];
        const names = [...own, ...titles, ...ids];
        const name = names[target % names.length]!;
        if (verb === "say") await chats[who].say(`${who} ${i}`);
        const reply = verb === "say" ? "" : await chats[who].ask(`${verb} ${name}`);
        for (const other of all.filter(({ user_id }) => user_id !== who)) {
          // Replies may repeat only what the person typed.
          const secrets = [other.id, other.title ?? other.id].filter((text) => !name.includes(text));
          for (const secret of secrets) expect(reply).not.toContain(secret);
        }
        expect((await chats[who].session())?.user_id ?? who).toBe(who);
      }
    }),
    { numRuns: 8 },
  );
});
