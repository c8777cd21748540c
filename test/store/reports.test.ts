import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AcceptedMessage } from "../../src/store/queues.js";
import type { BrowseQuery, Reports } from "../../src/store/reports.js";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import type { ExportedSession } from "../../src/store/store.js";
import { tempStore } from "../support/temp.js";

const NOW = 1_750_000_000;

async function opened(): Promise<{ store: OpenedStore; reports: Reports; file: string }> {
  const { store, file } = await tempStore();
  return { store, reports: store.reports, file };
}

function session(id: string, at: number, more: Partial<ExportedSession> = {}): ExportedSession {
  const messages = [0, 1].map((i) => ({
    role: i === 0 ? "user" : "assistant",
    content: `${id} ${i}`,
    timestamp: at + i,
  }));
  return {
    id,
    source: "web",
    started_at: at,
    message_count: 2,
    parent_session_id: null,
    ended_at: null,
    end_reason: null,
    archived: 0,
    messages,
    ...more,
  } as ExportedSession;
}

function inboundFrom(platform: string, eventId: string, text: string, at: number): AcceptedMessage {
  const origin = { platform, chatType: "dm", chatId: "chat", userId: "ann", userName: "Ann" };
  const flags = {
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
  };
  const message = { platform, account: "bot", eventId, origin, text, attachments: [], sentAt: at, ...flags };
  return { message, sessionKey: `key-${platform}`, receivedAt: at };
}

/** Every page of a list, however small the pages are. */
async function browseAll(reports: Reports, query: BrowseQuery = {}, limit = 2): Promise<string[]> {
  const ids: string[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = await reports.browseSessions({ ...query, limit, ...(before ? { before } : {}) });
    expect(page.sessions.length).toBeLessThanOrEqual(limit);
    ids.push(...page.sessions.map(({ id }) => id));
    before = page.next;
  }
  return ids;
}

describe("sessions, page by page", () => {
  it("are ordered by last activity and match the plain list", async () => {
    const { store, reports } = await opened();
    const times = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 12 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(times, fc.integer({ min: 1, max: 5 }), async (offsets, limit) => {
        const prefix = `r${round++}`;
        const rows = offsets.map((offset, i) => session(`${prefix}_${i}`, NOW + offset, { source: prefix }));
        // Silent ones stand at their start.
        rows.push(session(`${prefix}_silent`, NOW + 10, { source: prefix, messages: [], message_count: 0 }));
        await store.importSessions(rows);
        const found = await browseAll(reports, { source: prefix }, limit);
        const plain = await store.listSessions({ source: prefix, order: "active", limit: 100 });
        const at = new Map(plain.map(({ id, last_active }) => [id, last_active]));
        expect([...found].sort()).toEqual(plain.map(({ id }) => id).sort());
        expect(found.map((id) => at.get(id))).toEqual(plain.map(({ id }) => at.get(id)));
      }),
      { numRuns: 25 },
    );
    // Without the filter that knows few candidates: the walk through time finds the same.
    const all = await browseAll(reports, {}, 7);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBe((await store.listSessions({ order: "active", limit: 10_000 })).length);
  });

  it("can be filtered by platform, person, state and time", async () => {
    const { store, reports } = await opened();
    await store.importSessions([
      session("a", NOW, { source: "web", user_id: "ann" }),
      session("b", NOW + 10, {
        source: "cli",
        user_id: "bob",
        ended_at: NOW + 20,
        end_reason: "session_reset",
      }),
      session("c", NOW + 20, { source: "web", user_id: "bob", archived: 1 }),
      session("d", NOW + 30, { source: "web", user_id: null }),
    ]);
    await store.addParticipant("d", { platform: "web", userId: "ann" });
    expect((await reports.browseSessions({})).sources).toEqual(["cli", "web"]);
    expect(await browseAll(reports)).toEqual(["d", "b", "a"]);
    expect(await browseAll(reports, { source: "web" })).toEqual(["d", "a"]);
    expect(await browseAll(reports, { userId: "ann" })).toEqual(["d", "a"]);
    expect(await browseAll(reports, { userId: "bob" })).toEqual(["b"]);
    expect(await browseAll(reports, { state: "active" })).toEqual(["d", "a"]);
    expect(await browseAll(reports, { state: "ended" })).toEqual(["b"]);
    expect(await browseAll(reports, { state: "archived" })).toEqual(["c"]);
    expect(await browseAll(reports, { since: NOW + 5, until: NOW + 15 })).toEqual(["b"]);
    expect(await browseAll(reports, { source: "nothing" })).toEqual([]);
  });

  it("show a lineage once, under its root, where its tip was last active", async () => {
    const { store, reports } = await opened();
    await store.importSessions([
      session("root", NOW, { ended_at: NOW + 5, end_reason: "compression", title: "Work" }),
      session("between", NOW + 6),
      session("tip", NOW + 10, { parent_session_id: "root", title: "Work #2" }),
    ]);
    const { sessions } = await reports.browseSessions({});
    expect(sessions.map(({ id, lineage_root_id, started_at }) => [id, lineage_root_id, started_at])).toEqual([
      ["tip", "root", NOW],
      ["between", undefined, NOW + 6],
    ]);
    expect(await browseAll(reports, {}, 1)).toEqual(["tip", "between"]);
    const root = await reports.browseSessions({ id: "root" });
    expect(root).toMatchObject({ sessions: [{ title: "Work", detail: { session_key: null } }], next: null });
    expect((await reports.browseSessions({ id: "nobody" })).sessions).toEqual([]);
    const titled = async (containing: string) =>
      (await store.searchMessages("x", { titles: { containing, limit: 5 } })).titles;
    expect(await titled("work")).toMatchObject([{ id: "tip" }, { id: "root" }]);
    expect(await titled("100%")).toEqual([]);
    expect(await store.searchMessages("x")).not.toHaveProperty("titles");
  });
});

describe("a transcript", () => {
  it("pages both ways, and around a message", async () => {
    const { store, reports } = await opened();
    await store.createSession({ id: "long", source: "web" });
    const ids = await store.appendMessages(
      "long",
      Array.from({ length: 25 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `m${i}` })),
    );
    const texts = (page: { messages: { text: string }[] }) => page.messages.map(({ text }) => text);
    const newest = await reports.readTranscript("long", { limit: 10 });
    expect([texts(newest)[0], texts(newest).at(-1), newest.earlier, newest.later]).toEqual([
      "m15",
      "m24",
      true,
      false,
    ]);
    const earlier = await reports.readTranscript("long", { before: newest.messages[0]!.id, limit: 10 });
    expect([texts(earlier)[0], texts(earlier).at(-1), earlier.later]).toEqual(["m5", "m14", true]);
    const later = await reports.readTranscript("long", { after: ids[22]!, limit: 10 });
    expect(texts(later)).toEqual(["m23", "m24"]);
    const around = await reports.readTranscript("long", { around: ids[12]!, limit: 4 });
    expect([texts(around), around.earlier, around.later]).toEqual([["m10", "m11", "m12", "m13"], true, true]);
    await expect(reports.readTranscript("nobody", {})).rejects.toThrow(/not found/);
  });

  it("shows tool calls by name, counts other parts, and cuts long text", async () => {
    const { store, reports } = await opened();
    await store.createSession({ id: "s", source: "web" });
    const long = "x".repeat(20_000);
    const [, , longId] = await store.appendMessages("s", [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "grep", arguments: '{"a":1}' } }, "odd"],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: "x" } },
        ],
      },
      { role: "user", content: long },
    ]);
    await store.undoTurns("s", 1);
    const { messages } = await reports.readTranscript("s", {});
    expect(messages[0]!.toolCalls[0]).toEqual({ id: "c1", name: "grep", arguments: '{"a":1}' });
    expect(messages[0]!.toolCalls[1]?.name).toBe("tool");
    expect([messages[1]!.text, messages[1]!.media]).toEqual(["Look", 1]);
    expect([messages[2]!.cut, messages[2]!.undone, messages[2]!.text.length < 10_000]).toEqual([
      true,
      true,
      true,
    ]);
    expect((await reports.readTranscript({ messageId: longId! })).messages).toMatchObject([{ text: long }]);
    expect((await reports.readTranscript({ messageId: 999_999 })).messages).toEqual([]);
  });
});

describe("usage", () => {
  it("counts sessions by their first day, in the given time zone", async () => {
    const { store, reports } = await opened();
    // 23:30 UTC on the 14th is the 15th in Berlin.
    const at = Date.UTC(2025, 5, 14, 23, 30) / 1000;
    const more = { model: "m1", input_tokens: 10, output_tokens: 5, estimated_cost_usd: 0.5 };
    await store.importSessions([
      session("a", at, more),
      session("b", at + 3600, more),
      session("c", at, { source: "cli" }),
    ]);
    const range = { since: at - 1, until: at + 86_400 };
    const { rows: inBerlin } = await reports.usage({ ...range, timeZone: "Europe/Berlin" });
    expect(inBerlin.map(({ day, source, model, sessions }) => [day, source, model, sessions]).sort()).toEqual(
      [
        ["2025-06-15", "cli", null, 1],
        ["2025-06-15", "web", "m1", 2],
      ],
    );
    const web = inBerlin.find(({ source }) => source === "web");
    expect(web).toMatchObject({ inputTokens: 20, outputTokens: 10, costUsd: 1, messages: 4 });
    const { rows: inUtc } = await reports.usage({ ...range, timeZone: "UTC" });
    expect(new Set(inUtc.map(({ day }) => day))).toEqual(new Set(["2025-06-14", "2025-06-15"]));
    expect(await reports.stats()).toMatchObject({ sessions: 3, messages: 6 });
  });
});

describe("queue reports", () => {
  it("count rows and name the oldest ones", async () => {
    const { store, reports } = await opened();
    expect(await reports.queueDepths()).toMatchObject({
      inbox: { waiting: 0, running: 0, dead: 0 },
      oldestWaiting: null,
      marks: { inbox: 0, outbox: 0 },
    });
    await store.acceptMessages([1, 2, 3].map((i) => inboundFrom("web", `e${i}`, `t${i}`, NOW + i)));
    await store.settleMessage({ inboxId: 1, state: "refused", reason: "no", replies: [] });
    const depths = await reports.queueDepths();
    expect(depths.inbox).toEqual({ waiting: 2, running: 0, dead: 0 });
    expect(depths.oldestWaiting).toEqual({ id: 2, at: NOW + 2, platform: "web" });
    expect(depths.lastMinute.handled).toBe(1);
    expect(depths.marks.inbox).toBe(3);
    const [[, handled]] = (await reports.queueDepths(0)).byMinute.handled as [[number, number]];
    expect(handled).toBe(1);
  });

  it("list messages newest first, by state and platform, a page at a time", async () => {
    const { store, reports } = await opened();
    await store.acceptMessages(
      Array.from({ length: 9 }, (_, i) => inboundFrom(i % 3 ? "web" : "cli", `e${i}`, `t${i}`, NOW + i)),
    );
    for (const inboxId of [3, 4])
      await store.settleMessage({ inboxId, state: "refused", reason: "no", replies: [] });
    const pages: number[][] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const page = await reports.recentMessages({ limit: 4, ...(before ? { before } : {}) });
      pages.push(page.messages.map(({ id }) => id));
      before = page.next;
    }
    expect(pages).toEqual([[9, 8, 7, 6], [5, 4, 3, 2], [1]]);
    const refused = await reports.recentMessages({ state: "refused" });
    expect([refused.messages.map(({ id }) => id), refused.next]).toEqual([[4, 3], null]);
    expect((await reports.recentMessages({ platform: "cli" })).messages.map(({ id }) => id)).toEqual([
      7, 4, 1,
    ]);
  });

  it("list dead letters of both queues, and pairing requests without hashes", async () => {
    const { store, reports, file } = await opened();
    await store.acceptMessages([1, 2, 3].map((i) => inboundFrom("web", `e${i}`, `t${i}`, NOW + i)));
    await store.enqueueReply({ target: targetIn("chat"), kind: "notice", text: "gave up" });
    const { id } = (await store.claimDeliveries("boot", 1))[0]!;
    await store.settleDelivery(id, { state: "dead", error: "gone" }, "boot");
    const db = new Database(file);
    db.exec("UPDATE gw_inbox SET state = 'dead', error = 'broken'");
    db.close();
    const first = await reports.deadPage({ limit: 2 });
    const second = await reports.deadPage({ limit: 2, before: first.next! });
    expect([...first.letters, ...second.letters].map(({ id }) => id)).toEqual([
      "out:1",
      "in:3",
      "in:2",
      "in:1",
    ]);
    expect(second.next).toBeNull();
    expect(await store.retry({ id: "in:2" })).toMatchObject({ retried: 1 });
    expect((await reports.deadPage({})).letters.map(({ id }) => id)).toEqual(["out:1", "in:3", "in:1"]);

    await store.addPairing({
      id: "p1",
      platform: "web",
      userId: "u",
      userName: "U",
      hash: "h",
      salt: "s",
      createdAt: NOW,
    });
    const { pending } = await reports.pairingPage({ since: NOW - 10 });
    expect(pending).toEqual([{ id: "p1", platform: "web", userId: "u", userName: "U", createdAt: NOW }]);
    expect((await reports.pairingPage({ since: NOW + 10 })).pending).toEqual([]);
    const deny = () => store.settlePairing({ id: "p1", approved: false });
    expect([await deny(), await deny()]).toEqual([true, false]);
  });

  it("list everyone who was approved, even in the same moment, and refuse a position that isn't one", async () => {
    const { store, reports } = await opened();
    const people = ["a", "b", "c", "d", "e"].map((userId) => ({
      ...{ platform: "web", userId, userName: null, approvedAt: NOW },
    }));
    await store.adopt({ people });
    const seen: string[] = [];
    for (let before: string | null | undefined; before !== null; ) {
      const page = await reports.pairingPage({ since: NOW, limit: 2, ...(before ? { before } : {}) });
      seen.push(...page.approved.map(({ userId }) => userId));
      before = page.next;
    }
    expect(seen.toSorted()).toEqual(["a", "b", "c", "d", "e"]);
    for (const before of ["nonsense", "[]", '["1","2"]', "{}"])
      await expect(reports.deadPage({ before })).rejects.toMatchObject({ code: "invalid" });
  });
});

function targetIn(chatId: string) {
  return {
    platform: "web",
    account: "web",
    chatType: "dm",
    chatId,
    threadId: null,
    userId: null,
    replyTo: null,
  };
}
