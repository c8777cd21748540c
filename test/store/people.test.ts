import fs from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { targetOf } from "../../src/message.js";
import { isNobody } from "../../src/store/people.js";
import { openStore } from "../../src/store/sqlite/index.js";
import { erasePerson } from "../../src/store/sqlite/people/erase.js";
import { gatherFacts } from "../../src/store/sqlite/people/facts.js";
import { planOf } from "../../src/store/sqlite/people/plan.js";
import type { Store } from "../../src/store/store.js";
import { dump, PLATFORM, type Place, World, type WorldPerson } from "../support/people-world.js";
import { tempStore } from "../support/temp.js";

const ann: WorldPerson = { id: "ann-4711", name: "Annabel" };
const ben: WorldPerson = { id: "ben-0815", name: "Benjamin" };
const dm: Place = { kind: "dm", chat: "" };
const room: Place = { kind: "room", chat: "the-room" };
const person = (one: WorldPerson) => ({ platform: PLATFORM, userId: one.id });

async function erase(store: Store, one: WorldPerson) {
  const plan = await store.planErasure(person(one));
  await store.erasePerson(plan, "data");
  await store.erasePerson(plan, "marks");
  return plan;
}

/** Everything on the disk that belongs to the database, as bytes. */
const bytesOf = (file: string) =>
  Buffer.concat(
    [file, `${file}-wal`].map((name) => (fs.existsSync(name) ? fs.readFileSync(name) : Buffer.alloc(0))),
  );

describe("listing people", () => {
  it("finds everyone with any stored data, once per platform", async () => {
    const { store } = await tempStore();
    const world = new World(store);
    await world.say(ann, dm, "hello there");
    await world.say(ann, { ...room, account: "second-bot" }, "hello room");
    await world.say(ben, room, "hello too");
    await store.createSession({ source: "telegram", user_id: "42", started_at: 1000 });
    await store.addPairing({
      ...{
        id: "p1",
        platform: "slack",
        userId: "U1",
        userName: "Una",
        hash: "h",
        salt: "s",
        createdAt: 2000,
      },
    });
    const people = await store.listPeople();
    expect(
      people.map(({ platform, userId, names, sessions, pairing }) => ({
        platform,
        userId,
        names,
        sessions,
        pairing,
      })),
    ).toEqual(
      expect.arrayContaining([
        { platform: PLATFORM, userId: ann.id, names: ["Annabel"], sessions: 2, pairing: null },
        { platform: PLATFORM, userId: ben.id, names: ["Benjamin"], sessions: 1, pairing: null },
        { platform: "telegram", userId: "42", names: [], sessions: 1, pairing: null },
        { platform: "slack", userId: "U1", names: ["Una"], sessions: 0, pairing: "pending" },
      ]),
    );
    expect(people).toHaveLength(4);
    expect(people.find(({ userId }) => userId === ann.id)).toMatchObject({ messages: 3 });
    expect(people.find(({ userId }) => userId === "42")).toMatchObject({ firstSeen: 1000, lastSeen: 1000 });
    expect((await store.listPeople("slack")).map(({ userId }) => userId)).toEqual(["U1"]);
  });
});

describe("erasing a person", () => {
  it("leaves no byte of theirs and keeps the messages of others", async () => {
    const { store, file } = await tempStore();
    const world = new World(store);
    await world.say(ann, dm, "my diagnosis is zanthorrhoea");
    await world.say(ann, dm, "私の秘密の住所は東京都港区です");
    const shared = await world.say(ben, room, "what shall we cook tonight");
    await world.say(ann, room, "quinquereme soup is what I like", {
      attachments: [{ kind: "image", name: "annabel-at-home.jpg", path: "media/in/0f0f-aa.jpg" }],
    });
    await world.say(ben, room, "that sounds wonderful", {
      quoted: { text: "quinquereme soup is what I like", messageId: "5" },
    });
    await store.setTitle(shared, "cooking");
    const before = await store.getMessages(shared);

    const plan = await erase(store, ann);
    expect(plan.files).toEqual(["media/in/0f0f-aa.jpg"]);
    expect(plan).toMatchObject({
      names: ["Annabel"],
      routes: { remove: [expect.any(String)], redact: [] },
    });
    const scrubbed = await store.maintenance.scrub();
    expect(scrubbed).toEqual({ rewritten: true, logEmptied: true });
    expect((await store.searchMessages("zanthorrhoea")).hits).toEqual([]);
    expect((await store.searchMessages("東京都")).hits).toEqual([]);
    expect((await store.searchMessages("quinquereme")).hits).toEqual([]);
    expect((await store.searchMessages("wonderful")).hits).not.toEqual([]);
    expect(await store.maintenance.check()).toEqual({ ok: true, problems: [] });

    const after = await store.getMessages(shared);
    expect(after.map(({ content }) => content)).toEqual([
      "[Benjamin] what shall we cook tonight",
      "You said: [Benjamin] what shall we cook tonight",
      "[erased]",
      "[erased]",
      "[Benjamin] > [erased]\nthat sounds wonderful",
      "You said: [Benjamin] > [erased]\nthat sounds wonderful",
    ]);
    expect(after.map(({ id, role, timestamp }) => ({ id, role, timestamp }))).toEqual(
      before.map(({ id, role, timestamp }) => ({ id, role, timestamp })),
    );
    expect(await store.getSession(shared)).toMatchObject({ title: "cooking", message_count: 6 });
    await store.close();
    const bytes = bytesOf(file);
    for (const word of ["zanthorrhoea", "東京都", "quinquereme", "Annabel", "annabel", ann.id, "0f0f-aa"])
      expect({ word, at: bytes.indexOf(word) }).toEqual({ word, at: -1 });
    expect(bytes.includes("wonderful")).toBe(true);
  });

  it("overwrites deleted text while another process has the file open, and reports that it wasn't rewritten", async () => {
    const { store, file } = await tempStore();
    const world = new World(store);
    await world.say(ann, dm, "xylocarpous thoughts of mine");
    await world.say(ben, dm, "something else entirely");
    const other = new Database(file);
    other.prepare("SELECT count(*) FROM messages").get();
    await erase(store, ann);
    expect(await store.maintenance.scrub()).toEqual({ rewritten: false, logEmptied: true });
    expect(await store.maintenance.scrubDue()).toBe(true);
    expect(JSON.stringify(dump(file))).not.toContain("xylocarpous");
    expect(
      other.prepare("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'xylocarpous'").pluck().get(),
    ).toBe(0);
    other.close();
    expect(await store.maintenance.scrub()).toEqual({ rewritten: true, logEmptied: true });
    expect(await store.maintenance.scrubDue()).toBe(false);
    await store.close();
    expect(bytesOf(file).includes("xylocarpous")).toBe(false);
  });

  it("cancels their open messages and fences off turns that have read them", async () => {
    const { store } = await tempStore();
    const world = new World(store);
    await world.say(ann, room, "a first word of mine");
    await world.say(ben, room, "and one of mine");
    const { row, key } = await world.receive(ben, room, "a question to come");
    const started = await store.startTurn({
      sessionKey: key,
      inboxIds: [row.id],
      bootId: "b",
      turnId: "t",
      at: 1,
    });
    const waiting = await world.receive(ann, dm, "still waiting for an answer");
    await erase(store, ann);
    expect(await store.openMessages()).toEqual([]);
    // Its message was in memory already: it must not begin a session.
    const session = { source: PLATFORM, user_id: ann.id };
    const opened = await store.startTurn({
      ...{ sessionKey: waiting.key, inboxIds: [waiting.row.id], bootId: "b", turnId: "t2", at: 1 },
      open: { origin: waiting.message.origin, tuple: "[]", session },
    });
    expect(opened).toBeUndefined();
    expect(await store.getRoute(waiting.key)).toBeUndefined();
    const finish = { turnId: "t", sessionKey: key, sessionId: started!.session.id, epoch: started!.epoch };
    const rest = { inboxIds: [row.id], messages: [], usage: {}, participants: [], replies: [] };
    expect(await store.finishTurn({ ...finish, ...rest })).toBeUndefined();
    expect(isNobody(await store.planErasure(person(ann)))).toBe(true);
    expect(isNobody(await store.planErasure(person(ben)))).toBe(false);
  });

  it("finds quotes of them in sessions that they were never in", async () => {
    const { store } = await tempStore();
    const world = new World(store);
    const ownInRoom = { kind: "own-in-room" as const, chat: "room-two" };
    // Never answered: no session knows them.
    await world.receive(ann, ownInRoom, "quinquereme soup is what I like");
    const quoted = { text: "quinquereme soup is what I like", messageId: null };
    const bens = await world.say(ben, ownInRoom, "what does she mean?", { quoted });
    const elsewhere = await world.say(ben, dm, "> as one says\nnothing of hers");
    const { row, key } = await world.receive(ben, ownInRoom, "and once more", { quoted });
    const turn = { sessionKey: key, inboxIds: [row.id], turnId: "t" };
    const started = await store.startTurn({ ...turn, bootId: "b", at: 1 });

    const plan = await erase(store, ann);
    expect(plan.shared).toMatchObject([{ id: bens, written: [] }]);
    expect((await store.getMessages(bens)).map(({ content }) => content)).toEqual([
      "> [erased]\nwhat does she mean?",
      "You said: > [erased]\nwhat does she mean?",
    ]);
    expect((await store.getMessages(elsewhere))[0]!.content).toBe("> as one says\nnothing of hers");
    const finish = { ...turn, sessionId: bens, epoch: started!.epoch, usage: {} };
    expect(
      await store.finishTurn({ ...finish, messages: [], participants: [], replies: [] }),
    ).toBeUndefined();
  });

  it("redacts abandoned previews", async () => {
    const { store } = await tempStore();
    const world = new World(store);
    await world.say(ann, room, "quinquereme soup is what I like");
    await world.say(ben, room, "what does she like?");
    const { row, key } = await world.receive(ben, room, "and once more?");
    const turn = { sessionKey: key, inboxIds: [row.id], turnId: "t" };
    await store.startTurn({ ...turn, bootId: "b", at: 1 });
    const claim = { inboxId: row.id, turnId: "t", bootId: "b" };
    await store.recordPreview({ step: "begin", ...claim });
    await store.recordPreview({ step: "posted", messageId: "p1", ...claim });
    const said = "She says that quinquereme soup is what I like, and";
    await store.failTurn({ ...turn, error: "e", next: { state: "cancelled" }, replies: [], said });
    await erase(store, ann);
    expect(await store.leftPreviews({ since: 0 })).toMatchObject([
      { messageId: "p1", text: "She says that [erased], and" },
    ]);
  });

  it("ignores an unreadable schedule", async () => {
    const { store, file } = await tempStore();
    const other = new Database(file);
    const add = other.prepare(
      `INSERT INTO gw_schedules (id, name, prompt, rule, missed, deliver, state, created_at, maker, target)
       VALUES (?, ?, 'x', ?, 'run', 'origin', 'active', 1, ?, ?)`,
    );
    add.run("s1", "broken", "{", "{", "{");
    add.run("s2", "hers", "{", JSON.stringify(person(ann)), null);
    other.close();
    expect((await store.listPeople()).map(({ userId }) => userId)).toEqual([ann.id]);
    const { rows } = await store.planErasure(person(ann), "rows");
    expect(rows!.schedules).toMatchObject([{ id: "s2", rule: null }]);
    await erase(store, ann);
    expect((await store.listSchedules()).map(({ id }) => id)).toEqual(["s1"]);
  });

  it("is completed by a second run after an interruption at any step", async () => {
    const { store, file } = await tempStore();
    const world = new World(store);
    for (let i = 0; i < 5; i++) {
      await world.say(ann, room, `tergiversation number ${i} of several`);
      await world.say(ben, room, `a reply with number ${i}`, {
        quoted: { text: `tergiversation number ${i} of several`, messageId: null },
      });
      await world.say(ann, dm, `privately tergiversation ${i}`);
    }
    await world.compress(ann, room);
    const plan = await store.planErasure(person(ann));
    // Only a part of each list, as if the process had been killed on the way.
    for (const upTo of [0, 1, 3]) {
      await store.erasePerson(
        {
          ...plan,
          changes: plan.changes.slice(0, upTo),
          own: [],
          inbox: { remove: [], redact: [], quotes: [] },
          outbox: { remove: [], redact: [], changes: [] },
          routes: { remove: [], redact: [] },
        },
        "data",
      );
    }
    await erase(store, ann);
    await store.maintenance.scrub();
    await store.close();
    const bytes = bytesOf(file);
    expect(bytes.includes("tergiversation")).toBe(false);
    const again = await openStore({ path: file, threads: false });
    expect(isNobody(await again.planErasure(person(ann)))).toBe(true);
    await again.close();
  });

  it("removes their words from the stored parts of an answer to another person", async () => {
    const { store, file } = await tempStore();
    const world = new World(store);
    const words = "tergiversation is a word of mine";
    await world.say(ann, room, words);
    const target = targetOf(world.message(ben, room, "?"));
    const text = `She says: ${words}`;
    const id = await store.enqueueReply({ target, kind: "answer", text });
    await store.claimDeliveries("b", 1);
    await store.saveParts(
      id,
      [{ part: { html: `<b>${words}</b>` }, ids: ["1"] }, { part: { html: "more" } }],
      "b",
    );
    await store.settleDelivery(id, { state: "pending", waitSeconds: 0, error: "e", mayBeRepeat: false }, "b");
    await erase(store, ann);
    expect(JSON.stringify(dump(file).gw_outbox)).not.toContain("tergiversation");
    // What was sent of it is no longer known.
    expect(await store.getDelivery(id)).toMatchObject({ state: "pending", parts: null, mayBeRepeat: true });
  });

  it("finds what others say of them after a cut at any step", async () => {
    const { store, file } = await tempStore();
    const world = new World(store);
    const words = "tergiversation is a word of mine";
    await world.say(ann, room, words);
    const { row, key } = await world.receive(ben, room, "and what does she mean?");
    const turn = { sessionKey: key, inboxIds: [row.id], turnId: "t" };
    await store.startTurn({ ...turn, bootId: "b", at: 1 });
    const claim = { inboxId: row.id, turnId: "t", bootId: "b" };
    await store.recordPreview({ step: "begin", ...claim });
    await store.recordPreview({ step: "posted", messageId: "p1", ...claim });
    const said = `She says: ${words}`;
    await store.failTurn({ ...turn, error: "e", next: { state: "cancelled" }, replies: [], said });
    await world.say(ben, room, "a reply", { quoted: { text: words, messageId: null } });
    await store.close();
    // Every step may be the last of its slice.
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    onTestFinished(() => void vi.restoreAllMocks());
    let cut = 0;
    for (let isWhole = false; !isWhole; cut++) {
      const copy = `${file}.${cut}`;
      fs.copyFileSync(file, copy);
      const db = new Database(copy);
      isWhole = eraseSteps(db, cut) < cut;
      eraseSteps(db, Number.POSITIVE_INFINITY);
      db.close();
      const { messages, gw_inbox, gw_outbox, gw_previews } = dump(copy);
      expect(JSON.stringify({ messages, gw_inbox, gw_outbox, gw_previews }), `cut at ${cut}`).not.toContain(
        "tergiversation",
      );
    }
    expect(cut).toBeGreaterThan(10);
  });

  /** Gives how many were done. */
  function eraseSteps(db: Database.Database, most: number): number {
    const steps = erasePerson(db, planOf(gatherFacts(db, person(ann))), "data");
    let done = 0;
    while (done < most && !steps.next().done) done++;
    return done;
  }

  it("distinguishes the people in one of their own sessions", async () => {
    const { store } = await tempStore();
    const world = new World(store);
    const id = await world.say(ann, dm, "a conversation of my own");
    // An owner went on in it.
    await store.addParticipant(id, person(ben));
    await store.appendMessages(id, [{ role: "user", content: "an owner looks in" }]);
    const plan = await store.planErasure(person(ann));
    expect(plan.own).toEqual([]);
    expect(plan.shared).toMatchObject([{ id, belongsToThem: true }]);
    await erase(store, ann);
    expect(await store.getSession(id)).toMatchObject({ user_id: null, system_prompt: null });
  });
});
