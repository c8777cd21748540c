import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { Origin } from "../../src/message.js";
import { keepAside, localIso, readIndex, renderEntry } from "../../src/sessions/index-file.js";
import type { RouteRow } from "../../src/store/queues.js";
import { renderIndex } from "../support/render-index.js";
import { tempDir } from "../support/temp.js";

function route(key: string, changes: Partial<RouteRow> = {}, origin: Partial<Origin> = {}): RouteRow {
  return {
    sessionKey: key,
    sessionId: "20260616_091523_2e8c7d42",
    origin: { platform: "telegram", chatType: "dm", chatId: "1", ...origin },
    tuple: "[]",
    createdAt: 1781601323.123456,
    updatedAt: 1781601323,
    lastUserActivity: 0,
    lastPromptTokens: 0,
    epoch: 0,
    expiredReason: null,
    model: null,
    agent: null,
    humanUntil: null,
    suspended: false,
    resumePending: false,
    resumeReason: null,
    wasAutoReset: false,
    autoResetReason: null,
    resetHadActivity: false,
    isFreshReset: false,
    expiryFinalized: false,
    ...changes,
  };
}

/** As Hermes does it: a dict in its order, written with json.dump. */
const PYTHON = `
import json, sys
from datetime import datetime
def iso(t): return datetime.fromtimestamp(t).isoformat()
index = {}
for r in json.load(sys.stdin):
    o = r["origin"]
    origin = {"platform": o["platform"], "chat_id": o.get("chatId") or "", "chat_name": o.get("chatName"),
        "chat_type": o["chatType"], "user_id": o.get("userId"), "user_name": o.get("userName"),
        "thread_id": o.get("threadId"), "chat_topic": o.get("chatTopic")}
    for name, ours in [("user_id_alt", "userIdAlt"), ("chat_id_alt", "chatIdAlt"), ("guild_id", "guildId"),
            ("parent_chat_id", "parentChatId"), ("message_id", "messageId")]:
        if o.get(ours): origin[name] = o[ours]
    index[r["sessionKey"]] = {"session_key": r["sessionKey"], "session_id": r["sessionId"],
        "created_at": iso(r["createdAt"]), "updated_at": iso(r["updatedAt"]), "display_name": o.get("chatName"),
        "platform": o["platform"], "chat_type": o["chatType"], "input_tokens": 0, "output_tokens": 0,
        "cache_read_tokens": 0, "cache_write_tokens": 0, "total_tokens": 0,
        "last_prompt_tokens": r["lastPromptTokens"], "estimated_cost_usd": 0.0, "cost_status": "unknown",
        "expiry_finalized": r["expiryFinalized"], "suspended": r["suspended"], "resume_pending": r["resumePending"],
        "resume_reason": r["resumeReason"], "last_resume_marked_at": None, "is_fresh_reset": r["isFreshReset"],
        "was_auto_reset": r["wasAutoReset"], "auto_reset_reason": r["autoResetReason"],
        "reset_had_activity": r["resetHadActivity"], "origin": origin}
json.dump(index, sys.stdout, indent=2)
`;

function python(routes: readonly RouteRow[], zone = "UTC"): string {
  const input = JSON.stringify(routes);
  const env = { PATH: process.env.PATH, TZ: zone };
  return execFileSync("python3", ["-c", PYTHON], { input, env, encoding: "utf8", maxBuffer: 1e9 });
}

const ours = (routes: readonly RouteRow[]) => renderIndex(routes.map((row) => renderEntry(row)));

const zoneBefore = process.env.TZ;
function inZone(zone: string): void {
  process.env.TZ = zone;
}
afterEach(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

describe("the text of sessions.json", () => {
  it("matches Python's byte for byte, for any names", () => {
    inZone("UTC");
    const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constantFrom("", "é\u007f\u2028🙂"));
    const some = fc.option(text, { nil: null });
    const origins = fc.record({
      platform: text,
      chatType: text,
      chatId: some,
      chatName: some,
      userId: some,
      userName: some,
      threadId: some,
      chatTopic: some,
      userIdAlt: some,
      chatIdAlt: some,
      guildId: some,
      parentChatId: some,
      messageId: some,
    });
    const changes = fc.record({
      createdAt: fc.integer({ min: 0, max: 4e15 }).map((micros) => micros / 1e6),
      updatedAt: fc.integer({ min: 0, max: 4e9 }),
      lastPromptTokens: fc.nat(),
      suspended: fc.boolean(),
      resumePending: fc.boolean(),
      wasAutoReset: fc.boolean(),
      resumeReason: some,
      autoResetReason: some,
    });
    const routes = fc
      .sample(fc.tuple(origins, changes), 500)
      .map(([o, c], n) => route(`${o.chatName}:${n}`, c, o));
    expect(ours(routes)).toBe(python(routes));
  });

  it.each(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"])(
    "has Python's local times in %s",
    (zone) => {
      inZone(zone);
      // Both clock changes of the year, in steps of 15 minutes.
      const days = [1774742400, 1792886400, 1772928000, 1793491200];
      const moments = days.flatMap((day) =>
        Array.from({ length: 200 }, (_, n) => day + n * 900 + (n % 3) / 8),
      );
      const routes = moments.map((at, n) =>
        route(String(n).padStart(4, "k"), { createdAt: at, updatedAt: at }),
      );
      expect(ours(routes)).toBe(python(routes, zone));
    },
  );

  it("is an empty object without a line feed if there are no chats", () => {
    expect(renderIndex([])).toBe(python([]));
  });

  it("omits the fraction of a second if it is zero", () => {
    inZone("UTC");
    expect(localIso(1781601323)).toBe("2026-06-16T09:15:23");
    expect(localIso(1781601323.000001)).toBe("2026-06-16T09:15:23.000001");
  });
});

const read = (file: string) => fs.readFileSync(file, "utf8");

describe("reading an index", () => {
  const place = (text: string | Buffer) => {
    const file = path.join(tempDir(), "sessions.json");
    fs.writeFileSync(file, text);
    return file;
  };

  it("returns what was written", async () => {
    const row = route(
      "agent:main:telegram:group:-1:7",
      { suspended: true, resumeReason: "restart_timeout", lastPromptTokens: 12, updatedAt: 1781601400.5 },
      { chatType: "group", chatId: "-1", chatName: "Zoë 🙂", userId: "7", guildId: "G" },
    );
    const index = await readIndex(place(python([row], process.env.TZ ?? zoneOfMachine())));
    if (index === "missing" || "corrupt" in index) throw new Error("not read");
    expect(index.problems).toEqual([]);
    const [entry] = index.entries;
    expect(entry).toMatchObject({
      sessionKey: row.sessionKey,
      sessionId: row.sessionId,
      origin: row.origin,
      lastPromptTokens: 12,
      flags: { suspended: true, resumeReason: "restart_timeout", wasAutoReset: false },
    });
    expect(entry!.createdAt).toBeCloseTo(row.createdAt, 5);
    expect(entry!.updatedAt).toBe(row.updatedAt);
  });

  it("keeps valid entries beside invalid ones, and ignores unknown fields", async () => {
    const good = JSON.parse(ours([route("good")])) as Record<string, Record<string, unknown>>;
    const old = {
      ...good.good,
      session_key: "old",
      memory_flushed: true,
      expiry_finalized: undefined,
      extra: [1],
    };
    const file = place(
      JSON.stringify({
        first: 1,
        good: good.good,
        second: { ...good.good, session_key: "second", session_id: "../../etc" },
        third: { ...good.good, session_key: "third", updated_at: "yesterday" },
        fourth: { ...good.good, session_key: "fourth", origin: undefined },
        old,
      }),
    );
    const index = await readIndex(file);
    if (index === "missing" || "corrupt" in index) throw new Error("not read");
    expect(index.entries.map((entry) => entry.sessionKey)).toEqual(["good", "old"]);
    expect(index.entries[1]!.flags.expiryFinalized).toBe(true);
    expect(index.problems.map((problem) => problem.split(":", 1)[0])).toEqual([
      "first",
      "second",
      "third",
      "fourth",
    ]);
  });

  it("distinguishes a missing file from a corrupt one, which is renamed", async () => {
    expect(await readIndex(path.join(tempDir(), "none.json"))).toBe("missing");
    for (const broken of ["", "{", "[]", '"x"', Buffer.from([0x7b, 0xff, 0x7d])]) {
      expect(await readIndex(place(broken))).toMatchObject({ corrupt: expect.any(String) });
    }
    const file = place("{");
    const asides = [await keepAside(file)];
    fs.writeFileSync(file, "[");
    asides.push(await keepAside(file));
    expect(new Set(asides).size).toBe(2);
    expect(asides.map((aside) => read(aside))).toEqual(["{", "["]);
    expect(path.basename(asides[0]!)).toMatch(/^sessions\.json\.corrupt-\d{8}_\d{6}$/);
    expect(await readIndex(file)).toBe("missing");
  });
});

function zoneOfMachine(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
