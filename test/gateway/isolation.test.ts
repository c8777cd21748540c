import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Principal } from "../../src/message.js";
import { isolationOf } from "../../src/rules.js";
import { isShared } from "../../src/sessions/key.js";
import { TestGateway } from "../support/gateway.js";
import { originOf, type Person } from "../support/test-adapter.js";
import { directChat } from "../support/tool-call.js";

/**
 * Two or three people act in random order in every type of chat. Everything a person writes, titles or saves contains a
 * secret. Outside shared sessions no other person may ever see it. Shared sessions and lists in rooms never show text
 * from elsewhere.
 */

const NAMES = ["ann", "bob", "cid"] as const;
type Name = (typeof NAMES)[number];
const PLACES = ["dm", "group", "thread in a group", "thread", "channel", "other group"] as const;
type PlaceName = (typeof PLACES)[number];

function at(place: PlaceName, name: Name): Person {
  const person = { userId: name, userName: name.toUpperCase() };
  switch (place) {
    case "dm":
      return { ...person, chatType: "dm", chatId: `dm-${name}` };
    case "group":
      return { ...person, chatType: "group", chatId: "g1" };
    case "thread in a group":
      return { ...person, chatType: "group", chatId: "g1", threadId: "t1" };
    case "thread":
      return { ...person, chatType: "thread", chatId: "g2", threadId: "t2" };
    case "channel":
      return { ...person, chatType: "channel", chatId: "c1" };
    case "other group":
      return { ...person, chatType: "group", chatId: "g3" };
  }
}

/** One action of a person in a chat. `Q` is replaced by a reference that others may use. */
const DEEDS = [
  "write",
  "title",
  "new",
  "sessions",
  "search",
  "read",
  "steal",
  "return",
  "remember",
  "recall",
  "undo",
  "schedule",
  "schedules",
  "send",
  "chats",
] as const;
interface Step {
  who: Name;
  place: PlaceName;
  deed: (typeof DEEDS)[number];
}

const steps = fc.array(
  fc.record({
    who: fc.constantFrom(...NAMES),
    place: fc.constantFrom(...PLACES),
    deed: fc.oneof(
      { weight: 4, arbitrary: fc.constant("write" as const) },
      { weight: 5, arbitrary: fc.constantFrom(...DEEDS) },
    ),
  }),
  { minLength: 10, maxLength: 24 },
);

interface Secret {
  owner: Name;
  /** The key of its session, whose participants may know it. */
  key: string;
  chatId: string;
  text: string;
}

/** Runs the steps and checks every reply. */
class Play {
  readonly secrets: Secret[] = [];
  readonly #gateway: TestGateway;
  #count = 0;

  constructor(gateway: TestGateway) {
    this.#gateway = gateway;
  }

  async step({ who, place, deed }: Step): Promise<void> {
    const person = at(place, who);
    const words = this.#words(person, who, deed);
    if (words === undefined) return;
    const before = this.#gateway.adapter.to(person).length;
    await this.#gateway.say(person, words);
    await this.#gateway.idle();
    for (const { text } of this.#gateway.adapter.to(person).slice(before)) {
      this.expectNothingOf(who, this.#gateway.keyOf(person), text, deed);
      const shared = isShared(originOf(person), isolationOf(this.#gateway.config));
      if (shared || (deed === "sessions" && person.chatType !== "dm"))
        this.#expectOfRoom(person, text, `${deed}: ${words}`);
    }
  }

  /** Not even the asker's own text from elsewhere, unless they repeat it. */
  #expectOfRoom({ chatId }: Person, text: string, deed: string): void {
    const elsewhere = this.secrets.filter(
      (secret) => secret.chatId !== chatId && !deed.includes(secret.text),
    );
    for (const secret of elsewhere) expect(text, `in ${chatId}, ${deed}`).not.toContain(secret.text);
  }

  #words(person: Person, who: Name, deed: Step["deed"]): string | undefined {
    const key = this.#gateway.keyOf(person);
    const secret = () => {
      this.#count += 1;
      const text = `secret${who}x${this.#count}x`;
      this.secrets.push({ owner: who, key, chatId: person.chatId, text });
      return text;
    };
    const own = this.secrets.findLast(({ owner }) => owner === who);
    const foreign = this.secrets.find(({ owner, key: theirs }) => owner !== who && theirs !== key);
    switch (deed) {
      case "write":
        return `common words and ${secret()}`;
      case "title":
        return `/title ${secret()}`;
      case "new":
        return "/new";
      case "undo":
        return "/undo";
      case "sessions":
        return "/sessions";
      case "search":
        return '!tool session_search {"query":"common","limit":10}';
      case "read":
        return "!tool session_search {}";
      case "remember":
        return `!tool memory {"action":"add","content":"common ${secret()}"}`;
      case "schedule":
        return `!tool cronjob {"action":"create","schedule":"in 9h","prompt":"common ${secret()}","name":"common"}`;
      case "schedules":
        return '!tool cronjob {"action":"list"}';
      case "send":
        return `!tool send_message {"target":"test:dm-${NAMES.find((name) => name !== who)}","message":"${secret()}"}`;
      case "chats":
        return '!tool send_message {"action":"list"}';
      case "recall":
        return '!tool memory {"action":"read"}';
      case "steal":
        return foreign && `/resume ${foreign.text.slice(0, -1)}`;
      case "return":
        return own && `/resume ${own.text}`;
    }
  }

  /** In a room, a person may reveal their own secrets, but not those of others from elsewhere. */
  expectNothingOf(reader: Name, key: string, text: string, where: string): void {
    for (const secret of this.secrets) {
      if (secret.owner === reader || secret.key === key || this.#sharedWith(reader, secret)) continue;
      expect(text, `${reader} in ${key}, ${where}`).not.toContain(secret.text);
    }
  }

  /** Participants of a room may find its session. */
  #sharedWith(reader: Name, secret: Secret): boolean {
    return PLACES.some((place) => {
      const origin = originOf(at(place, reader));
      const shared = isShared(origin, isolationOf(this.#gateway.config));
      return shared && this.#gateway.keyOf(at(place, reader)) === secret.key;
    });
  }

  async expectSealed(): Promise<void> {
    for (const name of NAMES) await this.#expectSearchSealed(name);
    await this.#expectHistoriesSealed();
  }

  /** Calls the agent's tools for each person in each of their sessions. */
  async #expectSearchSealed(name: Name): Promise<void> {
    const { store } = this.#gateway;
    const principal = { platform: "test", userId: name };
    const own = await store.listSessions({ asker: principal, limit: 50 });
    this.expectNothingOf(name, "none", JSON.stringify(own), "the list");
    const jobs = this.#gateway.read<{ id: string }>("SELECT id FROM gw_schedules");
    const everything = this.#gateway.read<{ id: string }>("SELECT id FROM sessions");
    for (const session of own.slice(0, 3)) {
      const { use, names } = await this.#tools(session, principal);
      expect(names).toEqual(expect.arrayContaining(["cronjob", "memory", "send_message", "session_search"]));
      const found = [
        await use("session_search", { query: "common OR secret*", limit: 10 }),
        await use("session_search", {}),
        await use("memory", { action: "read" }),
        await use("todo", {}),
        await use("cronjob", { action: "list" }),
        ...(await Promise.all(everything.map(({ id }) => use("session_search", { session_id: id })))),
        ...(await Promise.all(jobs.map(({ id }) => use("cronjob", { action: "update", job_id: id })))),
      ];
      for (const text of found) this.expectNothingOf(name, "none", text, "a tool");
      const { targets } = JSON.parse(await use("send_message", { action: "list" })) as {
        targets: { target: string }[];
      };
      const others = NAMES.filter((other) => other !== name).map((other) => `test:dm-${other}`);
      for (const { target } of targets) expect(others).not.toContain(target);
    }
  }

  async #tools(session: { id: string; source: string; user_id: string | null }, principal: Principal) {
    const place = { principal, platform: "test", room: undefined };
    const offered = await this.#gateway.parts.tools.offered(place);
    const call = {
      ...{ ...place, unattended: false, idempotencyKey: "call", ask: async () => undefined },
      session: { id: session.id, key: "key", source: session.source },
      target: directChat(principal),
      shared: session.user_id === null,
      signal: new AbortController().signal,
    };
    const use = (name: string, args: Record<string, unknown>) =>
      offered.find(({ tool }) => tool.name === name)!.tool.run(args, call);
    return { use, names: offered.map(({ tool }) => tool.name) };
  }

  /** A direct chat never gets what another person made the agent send. */
  expectChatsSealed(): void {
    for (const name of NAMES)
      for (const { text } of this.#gateway.adapter.to(at("dm", name)))
        for (const secret of this.secrets)
          if (secret.owner !== name && secret.chatId.startsWith("dm-"))
            expect(text).not.toContain(secret.text);
  }

  /** Checks the store: private sessions contain only their person's text, shared ones have names. */
  async #expectHistoriesSealed(): Promise<void> {
    const { store, config } = this.#gateway;
    for (const route of (await store.listRoutes()).routes) {
      const session = (await store.getSession(route.sessionId))!;
      const shared = isShared(route.origin, isolationOf(config));
      expect(session.user_id === null, route.sessionKey).toBe(shared);
      const reader = route.origin.userId as Name;
      const history = await store.getMessages(route.sessionId);
      for (const { role, content } of history.filter((message) => message.role === "user")) {
        if (shared) expect(content).toMatch(/^\[(ANN|BOB|CID)\] /);
        else expect(content, role).not.toMatch(/^\[/);
      }
      if (!shared) this.expectNothingOf(reader, route.sessionKey, JSON.stringify(history), "the history");
      if (!shared) this.expectNothingOf(reader, route.sessionKey, session.system_prompt ?? "", "the prompt");
      if (shared) expect(session.system_prompt, "a room's prompt").not.toMatch(/secret/);
    }
  }
}

describe.each([
  [true, true],
  [true, false],
  [false, true],
  [false, false],
])("with group_sessions_per_user %s and thread_sessions_per_user %s", (perGroup, perThread) => {
  it("people see only what is shared with them", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (played) => {
        const gateway = await TestGateway.start({
          config: {
            ...{ group_sessions_per_user: perGroup, thread_sessions_per_user: perThread },
            // Everybody may use every tool: what it shows is still only theirs.
            tools: { "*": { allow: ["paired"] } },
          },
          platform: { enabled: true },
        });
        const play = new Play(gateway);
        for (const step of played) await play.step(step);
        await play.expectSealed();
        play.expectChatsSealed();
        await gateway.stop();
      }),
      { numRuns: 5, seed: 81, interruptAfterTimeLimit: 10_000, markInterruptAsFailure: false },
    );
  });
});

describe("equal keys of different chats", () => {
  /** In a group with per-person sessions, a thread id can equal a user id: then the keys are equal. */
  it("are two sessions, even if both write at once", async () => {
    const gateway = await TestGateway.start();
    const inThread: Person = {
      userId: "u1",
      userName: "One",
      chatType: "group",
      chatId: "g",
      threadId: "u2",
    };
    const alone: Person = { userId: "u2", userName: "Two", chatType: "group", chatId: "g" };
    expect(gateway.keyOf(inThread)).toBe(gateway.keyOf(alone));
    await Promise.all([gateway.say(inThread, "secret one"), gateway.say(alone, "secret two")]);
    await gateway.idle();
    await gateway.ask(inThread, "more one");
    await gateway.ask(alone, "more two");
    const { routes } = await gateway.store.listRoutes();
    expect(new Set(routes.map(({ sessionId }) => sessionId)).size).toBe(2);
    for (const { sessionId } of routes) {
      const text = JSON.stringify(await gateway.store.getMessages(sessionId));
      expect(text).not.toMatch(text.includes("secret one") ? /(secret|more) two/ : /(secret|more) one/);
    }
  });
});

describe("a private session", () => {
  it("can't be resumed in a room with a shared session", async () => {
    const gateway = await TestGateway.start({ config: { group_sessions_per_user: false } });
    const [ann, room] = [at("dm", "ann"), at("group", "ann")];
    await gateway.ask(ann, "my secret");
    await gateway.ask(ann, "/title Diary");
    await gateway.ask(room, "hello all");
    const before = await gateway.session(room);
    const [reply] = await gateway.ask(room, "/resume Diary");
    expect(reply).toContain("Resume it in a direct message");
    expect(await gateway.session(room)).toMatchObject({ id: before.id });
  });
});

describe("a title", () => {
  it("used by another person is rejected without naming them", async () => {
    const gateway = await TestGateway.start();
    const [ann, bob] = [at("dm", "ann"), at("dm", "bob")];
    await gateway.ask(ann, "hello");
    await gateway.ask(ann, "/title Holidays");
    await gateway.ask(bob, "hello there");
    const [reply] = await gateway.ask(bob, "/title Holidays");
    expect(reply).toContain("is in use");
    expect(reply).not.toContain((await gateway.session(ann)).id);
    expect(reply).not.toContain("ann");
  });
});
