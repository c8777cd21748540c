import { describe, expect, it } from "vitest";
import { archive } from "../support/archive.js";
import { tempStore } from "../support/temp.js";

describe("splitting a session", () => {
  it("ends the parent and opens a child with the same user, source, prompt and title, starting with the summary", async () => {
    const { store } = await tempStore();
    await store.createSession({
      id: "p",
      source: "telegram",
      user_id: "7",
      model: "m",
      system_prompt: "be kind",
      title: "plan",
    });
    await store.addParticipant("p", { platform: "telegram", userId: "8" });
    const child = await store.splitSession({
      parentId: "p",
      messages: [{ role: "user", content: "summary" }],
    });
    expect(child).toMatchObject({
      parent_session_id: "p",
      source: "telegram",
      user_id: "7",
      model: "m",
      system_prompt: "be kind",
      title: "plan #2",
      message_count: 1,
      ended_at: null,
    });
    expect(await store.getSession("p")).toMatchObject({ end_reason: "compression", title: "plan" });
    expect(
      (await store.listSessions({ asker: { platform: "telegram", userId: "8" } })).map((s) => s.id),
    ).toEqual([child?.id]);
  });

  it("has exactly one winner, in one process and in two", async () => {
    const { store, file } = await tempStore();
    const { store: other } = await tempStore(file);
    for (let round = 0; round < 20; round += 1) {
      const parentId = `p${round}`;
      await store.createSession({ id: parentId, source: "cli" });
      const children = await Promise.all(
        [store, store, other, other].map((s) => s.splitSession({ parentId })),
      );
      expect(children.filter((child) => child !== undefined)).toHaveLength(1);
      expect((await store.getLineage(parentId)).descendants).toHaveLength(1);
    }
  });

  it("changes nothing if the child can't be created", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "p", source: "cli" });
    await store.createSession({ id: "taken", source: "cli" });
    await expect(store.splitSession({ parentId: "p", childId: "taken" })).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(store.splitSession({ parentId: "nobody" })).rejects.toMatchObject({ code: "not_found" });
    expect((await store.getSession("p"))?.ended_at).toBeNull();
  });

  it("shortens a title if the next number would make it too long", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "p", source: "cli", title: "t".repeat(100) });
    const child = await store.splitSession({ parentId: "p" });
    expect(child?.title).toBe(`${"t".repeat(97)} #2`);
  });
});

describe("a lineage", () => {
  async function family() {
    const { store } = await tempStore();
    await store.createSession({ id: "root", source: "cli", title: "plan" });
    const second = await store.splitSession({ parentId: "root", childId: "second" });
    await store.splitSession({ parentId: "second", childId: "third" });
    await store.createSession({
      id: "branch",
      source: "cli",
      started_at: Date.now() / 1000 + 1,
      parent_session_id: "root",
      model_config: '{"_branched_from": "root"}',
    });
    await store.createSession({
      id: "helper",
      source: "cli",
      parent_session_id: "third",
      model_config: '{"_delegate_from": "third"}',
    });
    expect(second?.id).toBe("second");
    return store;
  }

  it("has ancestors from the root, descendants in tree order, kinds and a tip", async () => {
    const store = await family();
    const middle = await store.getLineage("second");
    expect(middle.ancestors.map((n) => n.id)).toEqual(["root"]);
    expect(middle.descendants.map((n) => [n.id, n.kind])).toEqual([
      ["third", "compression"],
      ["helper", "delegate"],
    ]);
    const whole = await store.getLineage("root");
    expect(whole.session.kind).toBe("root");
    expect(whole.descendants.map((n) => [n.id, n.kind])).toEqual([
      ["second", "compression"],
      ["third", "compression"],
      ["helper", "delegate"],
      ["branch", "branch"],
    ]);
    expect(whole.tip).toBe("third");
    expect((await store.getLineage("branch")).tip).toBe("branch");
  });

  it("doesn't treat a child that began before its parent's end as a continuation", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "p", source: "cli", started_at: 100 });
    await store.createSession({ id: "early", source: "cli", parent_session_id: "p", started_at: 150 });
    await store.endSession("p", "compression");
    expect((await store.getLineage("p")).tip).toBe("p");
  });

  it("stops at a loop in manually edited rows", async () => {
    const { store, file } = await tempStore();
    await store.createSession({ id: "a", source: "cli" });
    await store.createSession({ id: "b", source: "cli", parent_session_id: "a" });
    const { default: Database } = await import("better-sqlite3");
    const db = new Database(file);
    db.prepare("UPDATE sessions SET parent_session_id = 'b' WHERE id = 'a'").run();
    db.close();
    const lineage = await store.getLineage("a");
    expect(lineage.descendants.map((n) => n.id)).toEqual(["b"]);
  });
});

describe("listing sessions", () => {
  it("shows a lineage once, by its root's start, with its tip's id, title and preview", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "root", source: "cli", title: "plan", started_at: 100 });
    await store.appendMessages("root", [{ role: "user", content: "old words", timestamp: 110 }]);
    await store.splitSession({
      parentId: "root",
      childId: "tip",
      messages: [{ role: "user", content: "new\nwords", timestamp: 120 }],
    });
    const [entry, ...others] = await store.listSessions();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      id: "tip",
      title: "plan #2",
      started_at: 100,
      preview: "new words",
      last_active: 120,
      lineage_root_id: "root",
    });
  });

  it("hides delegated work and archived sessions, shows branches", async () => {
    const { store, file } = await tempStore();
    await store.createSession({ id: "a", source: "cli", started_at: 1 });
    await store.createSession({
      id: "branch",
      source: "cli",
      started_at: 2,
      parent_session_id: "a",
      model_config: '{"_branched_from": "a"}',
    });
    await store.createSession({
      id: "helper",
      source: "cli",
      started_at: 3,
      model_config: '{"_delegate_from": "a"}',
    });
    await store.createSession({ id: "filed", source: "cli", started_at: 4 });
    archive(file, "filed");
    const ids = async (query = {}) => (await store.listSessions(query)).map((s) => s.id);
    expect(await ids()).toEqual(["branch", "a"]);
    expect(await ids({ includeArchived: true })).toEqual(["filed", "branch", "a"]);
  });

  it("sorts by start or by last activity; sessions without messages by their start", async () => {
    const { store } = await tempStore();
    for (const [id, started_at] of [
      ["a", 100],
      ["b", 200],
      ["silent", 250],
    ] as const) {
      await store.createSession({ id, source: id === "b" ? "telegram" : "cli", started_at });
    }
    await store.appendMessages("a", [{ role: "user", content: "x", timestamp: 300 }]);
    await store.appendMessages("b", [{ role: "user", content: "y", timestamp: 210 }]);
    const ids = async (query: object) => (await store.listSessions(query)).map((s) => s.id);
    expect(await ids({ order: "started" })).toEqual(["silent", "b", "a"]);
    expect(await ids({ order: "active" })).toEqual(["a", "silent", "b"]);
    expect(await ids({ order: "active", limit: 1, offset: 1 })).toEqual(["silent"]);
    expect(await ids({ order: "active", source: "cli" })).toEqual(["a", "silent"]);
    expect(await ids({ excludeSources: ["cli"] })).toEqual(["b"]);
  });

  it("previews the first 60 characters of the user's first message, also with a picture", async () => {
    const { store } = await tempStore();
    await store.createSession({ id: "long", source: "cli", started_at: 2 });
    await store.appendMessages("long", [
      { role: "assistant", content: "hi" },
      { role: "user", content: "😀".repeat(70) },
    ]);
    await store.createSession({ id: "picture", source: "cli", started_at: 1 });
    await store.appendMessages("picture", [
      { role: "user", content: [{ type: "text", text: "what is this?" }] },
    ]);
    const previews = (await store.listSessions()).map((s) => s.preview);
    expect(previews).toEqual([`${"😀".repeat(60)}...`, "what is this?"]);
  });
});
