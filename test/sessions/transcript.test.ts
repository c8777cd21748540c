import fs, { promises } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { NewMessage } from "../../src/session.js";
import { Transcripts } from "../../src/sessions/transcript.js";
import { CountingThread } from "../support/counting-thread.js";
import { tempDir, tempStore } from "../support/temp.js";

const ID = "20260616_091523_2e8c7d42";
const session = { id: ID, source: "telegram", model: "some-model", started_at: 1781601323.5 };
const META = { role: "session_meta", model: "some-model", platform: "telegram", timestamp: 1781601323.5 };
const calls = [{ id: "c1", type: "function", function: { name: "terminal", arguments: "{}" } }];

const said: NewMessage[] = [
  { role: "user", content: "what's there? 🙂\nZoë", timestamp: 1781601324.25, platform_message_id: "42" },
  { role: "assistant", content: null, tool_calls: calls, reasoning: "let me look", timestamp: 1781601325 },
  { role: "tool", content: "auth.py", tool_call_id: "c1", tool_name: "terminal", timestamp: 1781601326 },
  { role: "assistant", content: "One file.", timestamp: 1781601327 },
];
const LINES = [
  { role: "user", content: "what's there? 🙂\nZoë", message_id: "42", timestamp: 1781601324.25 },
  { role: "assistant", content: null, tool_calls: calls, reasoning: "let me look", timestamp: 1781601325 },
  { role: "tool", content: "auth.py", tool_call_id: "c1", tool_name: "terminal", timestamp: 1781601326 },
  { role: "assistant", content: "One file.", timestamp: 1781601327 },
];

const fileIn = (dir: string, id = ID) => path.join(dir, `${id}.jsonl`);
const text = (file: string) => fs.readFileSync(file, "utf8");
const lines = (file: string) =>
  text(file)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function storeWith(messages: readonly NewMessage[]) {
  const { store } = await tempStore();
  await store.createSession(session);
  await store.appendMessages(ID, messages);
  return store;
}

describe("appending", () => {
  it("writes a line for the session, then one per message in OpenAI's format", async () => {
    const dir = path.join(tempDir(), "sessions");
    const transcripts = new Transcripts({ dir });
    await transcripts.append(session, said.slice(0, 2));
    await transcripts.append(session, said.slice(2));
    expect(lines(fileIn(dir))).toEqual([META, ...LINES]);
    expect(text(fileIn(dir))).toContain("🙂\\nZoë");
    expect(fs.statSync(fileIn(dir)).mode & 0o777).toBe(0o600);
  });

  it("calls the thread once per turn and touches no file itself", async () => {
    const dir = path.join(tempDir(), "sessions");
    const files = new CountingThread();
    const transcripts = new Transcripts({ dir, files });
    const here = vi.spyOn(promises, "open");
    for (const message of said) await transcripts.append(session, [message]);
    expect(files.asked).toEqual(["append", "append", "append", "append"]);
    expect(here).not.toHaveBeenCalled();
    expect(lines(fileIn(dir))).toEqual([META, ...LINES]);
    await files.close();
  });

  it("continues in a new thread after the last one ended", async () => {
    const dir = tempDir();
    const files = new CountingThread();
    const transcripts = new Transcripts({ dir, files });
    await transcripts.append(session, said.slice(0, 2));
    await files.close();
    await transcripts.append(session, said.slice(2));
    expect(lines(fileIn(dir))).toEqual([META, ...LINES]);
    await files.close();
  });

  it("keeps the order of each session under concurrent writes", async () => {
    const dir = tempDir();
    const transcripts = new Transcripts({ dir });
    const ids = ["a", "b", "c"];
    for (let n = 0; n < 60; n++) {
      for (const id of ids)
        void transcripts.append({ ...session, id }, [{ role: "user", content: String(n) }]);
    }
    await transcripts.idle();
    for (const id of ids) {
      const [meta, ...rest] = lines(fileIn(dir, id));
      expect(meta).toEqual(META);
      expect(rest.map((line) => line.content)).toEqual(Array.from({ length: 60 }, (_, n) => String(n)));
    }
  });

  it("starts on a new line after one that a crash cut off", async () => {
    const dir = tempDir();
    fs.writeFileSync(fileIn(dir), `${JSON.stringify(META)}\n{"role":"user","con`);
    await new Transcripts({ dir }).append(session, said.slice(3));
    expect(text(fileIn(dir)).split("\n")).toEqual([
      JSON.stringify(META),
      '{"role":"user","con',
      JSON.stringify(LINES[3]),
      "",
    ]);
  });

  it("continues after a failure", async () => {
    const dir = tempDir();
    const transcripts = new Transcripts({ dir });
    fs.mkdirSync(fileIn(dir));
    const failed = transcripts.append(session, said);
    await expect(failed).rejects.toThrow();
    fs.rmdirSync(fileIn(dir));
    await transcripts.append(session, said);
    expect(lines(fileIn(dir))).toHaveLength(5);
  });

  it.each(["", ".", "..", "../x", "a/b", "a\\b", "a\0b", ".hidden", "-rf", "ü", "x".repeat(201)])(
    "rejects the id %j, which isn't a file name",
    async (id) => {
      const dir = tempDir();
      const transcripts = new Transcripts({ dir });
      await expect(transcripts.append({ ...session, id }, said)).rejects.toMatchObject({ code: "invalid" });
      await expect(transcripts.remove(id)).rejects.toMatchObject({ code: "invalid" });
      expect(fs.readdirSync(dir)).toEqual([]);
    },
  );
});

describe("rebuilding", () => {
  it("writes what the database has, without undone messages", async () => {
    const dir = tempDir();
    const store = await storeWith([
      ...said,
      { role: "session_meta" },
      { role: "user", content: "never mind" },
    ]);
    await store.undoTurns(ID, 1);
    const transcripts = new Transcripts({ dir });
    fs.writeFileSync(fileIn(dir), "rubbish");
    expect(await transcripts.rebuild(store, ID)).toBe(true);
    expect(lines(fileIn(dir))).toEqual([META, ...LINES]);
    expect(fs.readdirSync(dir)).toEqual([`${ID}.jsonl`]);
    expect(fs.statSync(fileIn(dir)).mode & 0o777).toBe(0o600);
  });

  it("produces the same bytes as appending, so a repair changes nothing", async () => {
    const dir = tempDir();
    const store = await storeWith(said);
    const transcripts = new Transcripts({ dir });
    await transcripts.append(session, said);
    const before = fs.statSync(fileIn(dir)).ino;
    expect(await transcripts.repair(store, ID)).toBe(false);
    expect(fs.statSync(fileIn(dir)).ino).toBe(before);
  });

  it.each([
    ["is missing", (file: string) => fs.rmSync(file)],
    [
      "lacks its last line",
      (file: string) => fs.truncateSync(file, text(file).trimEnd().lastIndexOf("\n") + 1),
    ],
    ["was cut off in a line", (file: string) => fs.truncateSync(file, fs.statSync(file).size - 5)],
  ])("repairs a file that %s", async (_, damage) => {
    const dir = tempDir();
    const store = await storeWith(said);
    const transcripts = new Transcripts({ dir });
    await transcripts.append(session, said);
    const whole = text(fileIn(dir));
    damage(fileIn(dir));
    expect(await transcripts.repair(store, ID)).toBe(true);
    expect(text(fileIn(dir))).toBe(whole);
  });

  it("deletes the file of a deleted session", async () => {
    const dir = tempDir();
    const store = await storeWith(said);
    const transcripts = new Transcripts({ dir });
    await transcripts.rebuild(store, ID);
    await store.deleteSessions([ID]);
    expect(await transcripts.rebuild(store, ID)).toBe(false);
    await transcripts.remove(ID);
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it("writes all files and reports progress", async () => {
    const dir = tempDir();
    const store = await storeWith(said);
    await store.createSession({ id: "second", source: "cli" });
    await store.createSession({ id: "no/file", source: "api_server" });
    const steps: number[] = [];
    const written = await new Transcripts({ dir }).rebuildAll(store, ({ done, total }) =>
      steps.push(done / total),
    );
    expect(written).toBe(2);
    expect(steps.at(-1)).toBe(1);
    expect(fs.readdirSync(dir).sort()).toEqual([`${ID}.jsonl`, "second.jsonl"]);
    expect(lines(fileIn(dir))).toEqual([META, ...LINES]);
  });
});
