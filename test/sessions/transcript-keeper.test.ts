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
  /** Like the gateway: first the database, then the file. */
  const say = async (to: TranscriptKeeper, id: string, content: string) => {
    const session = (await store.getSession(id)) ?? undefined;
    if (!session) await store.createSession({ id, source: "web" });
    const messages: NewMessage[] = [{ role: "user", content, timestamp: Date.now() / 1000 }];
    await store.appendMessages(id, messages);
    to.committed((await store.getSession(id))!, messages);
    await to.idle();
  };
  /** A folder in place of the file makes writes fail. */
  const block = (id: string) => {
    fs.rmSync(fileOf(id), { force: true });
    fs.mkdirSync(fileOf(id));
  };
  const unblock = (id: string) => fs.rmdirSync(fileOf(id));
  return { store, keeper, lines, fileOf, said, say, block, unblock };
}

describe("an incomplete transcript", () => {
  it("is marked, and rewritten at the next start", async () => {
    const { store, keeper, lines, said, say, block, unblock } = await kept();
    const first = keeper();
    block("a");
    await say(first, "a", "one");
    await say(first, "b", "other");
    expect(await store.markedTranscripts()).toEqual(["a"]);
    unblock("a");
    lines.length = 0;

    await keeper().repair({ afterCrash: false });
    expect(said("a")).toEqual(["one"]);
    expect(lines).toEqual(["transcript repaired"]);
    expect(await store.markedTranscripts()).toEqual([]);
  });

  it("is rewritten with the session's next message", async () => {
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
    await keeper().repair({ afterCrash: false });
    expect(await store.markedTranscripts()).toEqual(["a"]);
  });

  it("is found after a crash, although it wasn't marked", async () => {
    const { keeper, fileOf, said, say } = await kept();
    await say(keeper(), "a", "one");
    fs.truncateSync(fileOf("a"), fs.statSync(fileOf("a")).size - 5);
    await keeper().repair({ afterCrash: false });
    expect(() => said("a")).toThrow();
    await keeper().repair({ afterCrash: true });
    expect(said("a")).toEqual(["one"]);
  });

  it("isn't marked if its id isn't a valid file name, and its mark is deleted with the session", async () => {
    const { store, keeper, say } = await kept();
    await say(keeper(), "../x", "one");
    expect(await store.markedTranscripts()).toEqual([]);
    await store.createSession({ id: "gone", source: "web" });
    await store.markTranscript("gone", false);
    await store.deleteSessions(["gone"]);
    expect(await store.markedTranscripts()).toEqual([]);
  });
});
