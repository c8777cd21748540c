import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { removeLeftovers } from "../src/leftovers.js";
import { Transcripts } from "../src/sessions/transcript.js";
import { tempDir, tempStore } from "./support/temp.js";
import { until } from "./support/until.js";

const HEX = "0123456789ab";
const SHORT = [
  ".config.lock",
  ".gateway_01234567.tmp",
  "sessions/.transcript_0123456789ab.tmp",
  "sessions/.sessions_k3x_9abc.tmp",
  `memories/people/web-1/ann-2.md.${HEX}.tmp`,
  "memories/.mem_x1y2z3.tmp",
];
const LONG = [
  `.backup-${HEX}/state.db`,
  `.restore-${HEX}/sessions/a.jsonl`,
  `.export-${HEX}/person.json`,
  ".look-a1B2c3/state.db-wal",
  ".config.yaml.01234567.partial",
  "state.db.v10-20260101_000000.partial",
  "media/in/6f1c.part",
  "backups/hermes-20260101_000000.tar.gz.01234567.partial",
];
const KEPT = [
  "state.db",
  "config.yaml",
  "sessions/a.jsonl",
  "sessions/sessions.json",
  "sessions/notes.tmp",
  "memories/MEMORY.md",
  "media/in/a.png",
  "media/out/a.part",
  "backups/hermes-20260101_000000.tar.gz",
];

function homeWith(names: readonly string[], ageSeconds: number): string {
  const home = tempDir();
  const at = Date.now() / 1000 - ageSeconds;
  for (const name of names) {
    const file = path.join(home, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, "words");
    fs.utimesSync(file, at, at);
    if (path.dirname(name).startsWith(".")) fs.utimesSync(path.dirname(file), at, at);
    const top = path.join(home, name.split("/")[0]!);
    if (name.startsWith(".restore")) fs.utimesSync(top, at, at);
  }
  return home;
}

const filesIn = (home: string) =>
  fs
    .readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(home, path.join(entry.parentPath, entry.name)))
    .sort();

describe("leftovers of killed processes", () => {
  it("are removed when they are old", async () => {
    const home = homeWith([...SHORT, ...LONG, ...KEPT], 7200);
    await removeLeftovers(home, { maxWaitMs: 0 });
    expect(filesIn(home)).toEqual([...KEPT].sort());
  });

  it("are kept while another process may still be writing", async () => {
    const home = homeWith([...SHORT, ...LONG], 5);
    expect(await removeLeftovers(home, { maxWaitMs: 0 })).toEqual([]);
    expect(filesIn(home)).toEqual([...SHORT, ...LONG].sort());
  });

  it("include copies only after an hour", async () => {
    const home = homeWith([...SHORT, ...LONG], 600);
    await removeLeftovers(home, { maxWaitMs: 0 });
    expect(filesIn(home)).toEqual([...LONG].sort());
  });

  it("are removed as soon as they are old enough, if the caller waits", async () => {
    const home = homeWith(SHORT, 9.8);
    expect(await removeLeftovers(home, { maxWaitMs: 20_000 })).toHaveLength(SHORT.length);
    expect(filesIn(home)).toEqual([]);
  });

  it("aren't waited for after an abort", async () => {
    const home = homeWith(LONG, 5);
    const ended = new AbortController();
    const removing = removeLeftovers(home, { maxWaitMs: 7_200_000, signal: ended.signal });
    ended.abort();
    expect(await removing).toEqual([]);
  });

  it("include temporary files of transcripts", async () => {
    const dir = path.join(tempDir(), "sessions");
    const { store } = await tempStore();
    await store.createSession({ id: "s", source: "web" });
    await store.appendMessages("s", [{ role: "user", content: "x".repeat(3_000_000) }]);
    const seen = new Set<string>();
    fs.mkdirSync(dir);
    const watcher = fs.watch(dir, (_, name) => name?.endsWith(".tmp") && seen.add(name));
    await new Transcripts({ dir }).rebuild(store, "s");
    await until("the temporary file was seen", () => seen.size > 0);
    watcher.close();
    const home = homeWith(
      [...seen].map((name) => `sessions/${name}`),
      60,
    );
    expect(await removeLeftovers(home, { maxWaitMs: 0 })).toHaveLength(seen.size);
  });
});
