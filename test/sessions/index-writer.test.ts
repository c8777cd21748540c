import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { adoptIndex } from "../../src/sessions/adopt.js";
import { renderEntry } from "../../src/sessions/index-file.js";
import { INDEX_WRITTEN, indexState, judgeIndex } from "../../src/sessions/index-stamp.js";
import { IndexWriter, waitAfter } from "../../src/sessions/index-writer.js";
import { allRoutes } from "../../src/store/all-routes.js";
import { ROUTES_CHANGED } from "../../src/store/queues.js";
import { openStore } from "../../src/store/sqlite/index.js";
import type { Store } from "../../src/store/store.js";
import { CountingThread } from "../support/counting-thread.js";
import { renderIndex } from "../support/render-index.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";

const isolation = { groupSessionsPerUser: true, threadSessionsPerUser: false };
const TERMINAL = "cli";

interface Home {
  store: Store;
  files: CountingThread;
  index: IndexWriter;
  file: string;
  errors: unknown[];
}

const opened: Home[] = [];

async function newHome({ file, now }: { file?: string; now?: () => number } = {}): Promise<Home> {
  const dir = tempDir();
  const stateDb = path.join(dir, "state.db");
  const store = await openStore({ path: stateDb, threads: false });
  const files = new CountingThread();
  const errors: unknown[] = [];
  const target = file ?? path.join(dir, "sessions", "sessions.json");
  const index = new IndexWriter({
    ...{ path: target, stateDb, except: TERMINAL, files, store },
    ...(now ? { now } : {}),
    onError: (error) => errors.push(error),
  });
  const home = { store, files, index, file: target, errors };
  opened.push(home);
  return home;
}

afterEach(async () => {
  for (const { index, files, store } of opened.splice(0)) {
    await index.close();
    await files.close();
    await store.close();
  }
});

async function addChats(store: Store, names: readonly string[], platform = "web"): Promise<void> {
  await store.adopt({
    routes: names.map((name) => ({
      sessionKey: `agent:main:${platform}:dm:${name}`,
      sessionId: `20260616_091523_${name}`,
      origin: { platform, chatType: "dm", chatId: name, userId: name },
      tuple: JSON.stringify([platform, "dm", name]),
      createdAt: 1781601323.25,
      updatedAt: 1781601323,
      lastPromptTokens: 0,
      flags: {},
    })),
  });
}

const read = (file: string) => fs.readFileSync(file, "utf8");
const names = (count: number) => Array.from({ length: count }, (_, n) => `p${String(n).padStart(5, "0")}`);

async function expectedText(store: Store): Promise<string> {
  const routes = await allRoutes(store);
  return renderIndex(routes.filter(({ origin }) => origin.platform !== TERMINAL).map((r) => renderEntry(r)));
}

describe("sessions.json", () => {
  it("is complete and private after a flush, without terminal chats", async () => {
    const { store, index, file } = await newHome();
    await addChats(store, names(1250));
    await addChats(store, ["tty"], TERMINAL);
    index.changed();
    await index.flush();
    expect(read(file)).toBe(await expectedText(store));
    expect(Object.keys(JSON.parse(read(file)))).toHaveLength(1250);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(path.dirname(file))).toEqual(["sessions.json"]);
  });

  it("follows the database: updates keep their position, removals go, new chats are last", async () => {
    const { store, index, file } = await newHome();
    await addChats(store, ["a", "b", "c"]);
    index.changed();
    await index.flush();
    const {
      routes: [a, b],
    } = await store.listRoutes();
    await store.switchRoute({
      ...{ sessionKey: a!.sessionKey, origin: a!.origin, tuple: a!.tuple, at: 1781605000 },
      ...{ session: { source: "web" }, expectedSessionId: a!.sessionId, endReason: "session_reset" },
    });
    const { sessionKey } = b!;
    const reasons = { reason: "closed", endReason: "session_reset" } as const;
    await store.closeChat({ platform: "web", account: "", sessionKey, ...reasons });
    await addChats(store, ["d"]);
    index.changed();
    await index.close();
    const found = Object.values(JSON.parse(read(file)) as Record<string, { origin: { chat_id: string } }>);
    expect(found.map(({ origin }) => origin.chat_id)).toEqual(["a", "c", "d"]);
    expect(read(file)).toContain(`"session_id": "${(await store.getRoute(a!.sessionKey))!.sessionId}"`);
  });

  it("is written by a thread", async () => {
    const { store, index, files, file } = await newHome();
    await addChats(store, names(5));
    index.changed();
    await index.flush();
    expect(files.asked).toEqual(["writeIndex"]);
    expect(fs.existsSync(file)).toBe(true);
  });

  it("is written once for many changes, and not again before its time", async () => {
    let time = 0;
    const { store, index, files, file } = await newHome({ now: () => time });
    await addChats(store, names(10));
    for (let n = 0; n < 1000; n += 1) index.changed();
    await until("it is written", () => fs.existsSync(file));
    await index.flush();
    expect(files.asked).toEqual(["writeIndex"]);
    // The clock doesn't advance, so the next write isn't due.
    const before = fs.statSync(file).ino;
    for (let n = 0; n < 1000; n += 1) index.changed();
    await files.call("setAsideIfCorrupt", { path: file });
    expect(fs.statSync(file).ino).toBe(before);
    time = 1e9;
    await index.flush();
    expect(files.asked.filter((verb) => verb === "writeIndex")).toHaveLength(2);
  });

  it("is written less often the more it costs, using less than 2 % of a core", () => {
    expect(waitAfter(0)).toBe(1000);
    expect(waitAfter(5)).toBe(1000);
    for (const busyMs of [20, 200, 400, 2000]) {
      expect(busyMs / (busyMs + waitAfter(busyMs))).toBeLessThan(0.02);
    }
    expect(waitAfter(200)).toBeGreaterThanOrEqual(10_000);
    expect(waitAfter(1e9)).toBe(300_000);
  });

  it("keeps a link and writes its target, even if it doesn't exist yet", async () => {
    const dir = tempDir();
    fs.mkdirSync(path.join(dir, "elsewhere"));
    const real = path.join(dir, "elsewhere", "index.json");
    const link = path.join(dir, "sessions.json");
    fs.symlinkSync("elsewhere/index.json", link);
    const { store, index } = await newHome({ file: link });
    for (const name of ["a", "b"]) {
      await addChats(store, [name]);
      index.changed();
      await index.flush();
      expect(fs.readlinkSync(link)).toBe("elsewhere/index.json");
      expect(read(real)).toBe(await expectedText(store));
    }
    expect(fs.readdirSync(path.dirname(real))).toEqual(["index.json"]);
  });

  it("reports a failed write and retries it with the next change", async () => {
    const blocked = path.join(tempDir(), "sessions");
    fs.writeFileSync(blocked, "a file where the folder should be");
    const { store, index, file, errors } = await newHome({ file: path.join(blocked, "sessions.json") });
    await addChats(store, ["a"]);
    index.changed();
    await index.flush();
    expect(errors).toHaveLength(1);
    fs.rmSync(blocked);
    index.changed();
    await index.close();
    expect(errors).toHaveLength(1);
    expect(read(file)).toBe(await expectedText(store));
  });

  it("loses the temporary files of killed processes, but not recent ones", async () => {
    const { index, file } = await newHome();
    const dir = path.dirname(file);
    fs.mkdirSync(dir);
    for (const name of [".sessions_old.tmp", ".sessions_new.tmp"])
      fs.writeFileSync(path.join(dir, name), "{");
    fs.utimesSync(path.join(dir, ".sessions_old.tmp"), 1, 1);
    index.changed();
    await index.close();
    expect(fs.readdirSync(dir).sort()).toEqual([".sessions_new.tmp", "sessions.json"]);
  });
});

describe("an existing file at startup", () => {
  it("isn't read if it is the last written one", async () => {
    const { store, index, file } = await newHome();
    await addChats(store, ["a"]);
    index.changed();
    await index.flush();
    expect(await indexState(store, file)).toBe("current");
    await store.setValue(ROUTES_CHANGED, "1781601323");
    expect(await indexState(store, file)).toBe("stale");
    fs.appendFileSync(file, "\n");
    expect(await indexState(store, file)).toBe("foreign");
    fs.rmSync(file);
    expect(await indexState(store, file)).toBe("stale");
    fs.writeFileSync(file, "{}");
    await store.setValue(INDEX_WRITTEN, "no JSON");
    expect(await indexState(store, file)).toBe("foreign");
  });

  it("is rewritten in another time zone, because its times are local", () => {
    const noted = { size: 2, mtimeMs: 7, zone: "Europe/Rome", routes: 3, changedAt: undefined };
    expect(judgeIndex(noted, noted, noted)).toBe("current");
    expect(judgeIndex(noted, noted, { ...noted, zone: "Asia/Tokyo" })).toBe("stale");
    expect(judgeIndex(noted, noted, { ...noted, routes: 4 })).toBe("stale");
  });

  it("of another Hermes is adopted only if no chat has a route", async () => {
    const { store, files, index, file } = await newHome();
    await addChats(store, ["a"]);
    index.changed();
    await index.close();
    const text = read(file);
    const other = await newHome({ file });
    await addChats(other.store, ["tty"], TERMINAL);
    const place = { store: other.store, files, path: file, isolation, except: TERMINAL };
    expect(await adoptIndex(place)).toEqual({ adopted: 1, problems: [] });
    expect(await adoptIndex(place)).toEqual({ adopted: 0, problems: [] });
    expect(read(file)).toBe(text);
    fs.writeFileSync(file, text.slice(0, 100));
    const { problems } = await adoptIndex(place);
    expect(problems).toEqual([expect.stringContaining("kept as")]);
    expect(fs.existsSync(file)).toBe(false);
  });
});
