import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { NewMessage } from "../../src/session.js";
import { Transcripts } from "../../src/sessions/transcript.js";
import { TranscriptKeeper } from "../../src/sessions/transcript-keeper.js";
import { tempDir, tempStore } from "../support/temp.js";

async function kept() {
  const dir = tempDir();
  const { store } = await tempStore();
  const lines: string[] = [];
  const note = (_: object, message: string) => lines.push(message);
  const keeper = () =>
    new TranscriptKeeper({ transcripts: new Transcripts({ dir }), store, log: { info: note, warn: note } });
  const fileOf = (id: string) => path.join(dir, `${id}.jsonl`);
  const said = (id: string) =>
    fs
      .readFileSync(fileOf(id), "utf8")
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { content?: string }).content)
      .slice(1);
  /** As the gateway does: into the database, then into the file. */
  const say = async (to: TranscriptKeeper, id: string, content: string) => {
    const session = (await store.getSession(id)) ?? undefined;
    if (!session) await store.createSession({ id, source: "web" });
    const messages: NewMessage[] = [{ role: "user", content, timestamp: Date.now() / 1000 }];
    await store.appendMessages(id, messages);
    to.committed((await store.getSession(id))!, messages);
    await to.idle();
  };
  /** A folder in its place can't be written into. */
  const block = (id: string) => {
    fs.rmSync(fileOf(id), { force: true });
    fs.mkdirSync(fileOf(id));
  };
  const unblock = (id: string) => fs.rmdirSync(fileOf(id));
  return { store, keeper, lines, fileOf, said, say, block, unblock };
}

describe("a transcript that missed lines", () => {
  it("is marked, and written anew at the next start", async () => {
    const { store, keeper, lines, said, say, block, unblock } = await kept();
    const first = keeper();
    block("a");
    await say(first, "a", "one");
    await say(first, "b", "other");
    expect(await store.markedTranscripts()).toEqual(["a"]);
    unblock("a");
    lines.length = 0;

    await keeper().mend({ afterCrash: false });
    expect(said("a")).toEqual(["one"]);
    expect(lines).toEqual(["transcript mended"]);
    expect(await store.markedTranscripts()).toEqual([]);
  });

  it("is written anew with the next message, if that comes before", async () => {
    const { store, keeper, said, say, block, unblock } = await kept();
    const running = keeper();
    block("a");
    await say(running, "a", "one");
    unblock("a");
    await say(running, "a", "two");
    expect(said("a")).toEqual(["one", "two"]);
    expect(await store.markedTranscripts()).toEqual([]);
    await say(running, "a", "three");
    expect(said("a")).toEqual(["one", "two", "three"]);
  });

  it("stays marked while it can't be written", async () => {
    const { store, keeper, say, block } = await kept();
    block("a");
    await say(keeper(), "a", "one");
    await keeper().mend({ afterCrash: false });
    expect(await store.markedTranscripts()).toEqual(["a"]);
  });

  it("is found after a crash too, where nobody could mark it", async () => {
    const { keeper, fileOf, said, say } = await kept();
    await say(keeper(), "a", "one");
    fs.truncateSync(fileOf("a"), fs.statSync(fileOf("a")).size - 5);
    await keeper().mend({ afterCrash: false });
    expect(() => said("a")).toThrow();
    await keeper().mend({ afterCrash: true });
    expect(said("a")).toEqual(["one"]);
  });

  it("isn't marked when its id can't be a file's name, and its mark goes with its session", async () => {
    const { store, keeper, say } = await kept();
    await say(keeper(), "../x", "one");
    expect(await store.markedTranscripts()).toEqual([]);
    await store.createSession({ id: "gone", source: "web" });
    await store.markTranscript("gone");
    await store.deleteSession("gone");
    expect(await store.markedTranscripts()).toEqual([]);
  });
});
