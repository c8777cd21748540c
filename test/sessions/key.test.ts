import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Origin } from "../../src/message.js";
import {
  guardedKey,
  isolationFromConfig,
  isShared,
  originFromSource,
  originTuple,
  sessionKey,
} from "../../src/sessions/key.js";
import { canonicalWhatsappId, readAliasFrom } from "../../src/sessions/whatsapp-identity.js";

interface Vector {
  note: string;
  source: Record<string, unknown>;
  config: Record<string, unknown>;
  key: string | null;
  shared_multi_user: boolean;
  error?: string;
  fixtures?: Record<string, string>;
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL("../vectors/session-key-vectors.json", import.meta.url), "utf8"),
);

const keyedForTheRoom = "the key names nobody, so the room shares it";

/** Cases in which Hermes reports "not shared" for a shared key: sender names would be missing. */
const deliberatelyShared: Record<string, string> = {
  "telegram group, no participant": keyedForTheRoom,
  "telegram group, user_id empty string": keyedForTheRoom,
  "telegram observe-mode shared source (user stripped)": keyedForTheRoom,
  "thread flag on but group flag off -> still shared": "the group flag alone decides, also in threads",
};

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "hermes-key-"));
});
afterEach(() => rmSync(home, { recursive: true }));

function placeFixtures(fixtures: Record<string, string> = {}): void {
  for (const [path, link] of Object.entries(fixtures)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), JSON.stringify(link));
  }
}

const perUser = { groupSessionsPerUser: true, threadSessionsPerUser: false };
const room = (fields: Partial<Origin>): Origin => ({
  platform: "p",
  chatType: "group",
  chatId: "-1001234",
  ...fields,
});

describe("session keys on the vectors", () => {
  for (const vector of vectors) {
    it(`${vector.note}: ${vector.key}`, () => {
      placeFixtures(vector.fixtures);
      const isolation = isolationFromConfig(vector.config);
      const options = { readAlias: readAliasFrom(home) };
      const origin = originFromSource(vector.source);
      // For ids on which Hermes raises an error, we return a key.
      if (vector.error === undefined) expect(sessionKey(origin, isolation, options)).toBe(vector.key);
      else expect(sessionKey(origin, isolation, options)).toMatch(/^agent:main:./);
      const shared = vector.shared_multi_user || vector.note in deliberatelyShared;
      expect(isShared(origin, isolation, options)).toBe(shared);
    });
  }

  it("differ from Hermes on sharing only in the listed cases", () => {
    const differing = vectors
      .filter((vector) => {
        const origin = originFromSource(vector.source);
        return isShared(origin, isolationFromConfig(vector.config)) !== vector.shared_multi_user;
      })
      .map((vector) => vector.note);
    expect(differing.sort()).toEqual(Object.keys(deliberatelyShared).sort());
  });
});

describe("sharing", () => {
  const id = fc.constantFrom(null, "", "1", "2");
  const origins = fc.record({
    platform: fc.constant("p"),
    chatType: fc.constantFrom("group", "channel", "thread"),
    chatId: fc.constantFrom("c1", "c2"),
    threadId: id,
    userId: fc.constant("alice"),
  });
  const isolations = fc.record({
    groupSessionsPerUser: fc.boolean(),
    threadSessionsPerUser: fc.boolean(),
  });

  it("is reported exactly if another person in the same chat gets the same key", () => {
    fc.assert(
      fc.property(origins, isolations, (origin, isolation) => {
        const key = sessionKey(origin, isolation);
        const keyOfBob = sessionKey({ ...origin, userId: "bob" }, isolation);
        expect(isShared(origin, isolation)).toBe(key === keyOfBob);
      }),
    );
  });

  it("is never reported for a DM", () => {
    const dm = room({ chatType: "dm", userId: "alice" });
    expect(isShared(dm, { groupSessionsPerUser: false, threadSessionsPerUser: false })).toBe(false);
  });
});

describe("the collision guard", () => {
  const inThread = room({ threadId: "111", userId: "9" });
  const ofUser = room({ userId: "111" });

  it("separates a thread and a user with the same id although their keys are equal", () => {
    const key = sessionKey(ofUser, perUser);
    expect(sessionKey(inThread, perUser)).toBe(key);
    const taken = originTuple(ofUser, perUser);
    const guarded = guardedKey(key, originTuple(inThread, perUser), taken);
    expect(guarded).toMatch(/^agent:main:p:group:-1001234:111~[0-9a-f]{8}$/);
    expect(guardedKey(key, originTuple(inThread, perUser), taken)).toBe(guarded);
  });

  it("keeps a key that is free, or used by the same chat", () => {
    const tuple = originTuple(ofUser, perUser);
    expect(guardedKey("k", tuple, undefined)).toBe("k");
    expect(guardedKey("k", tuple, tuple)).toBe("k");
  });

  it("doesn't separate the people of a shared thread", () => {
    const other = room({ threadId: "111", userId: "10", userName: "Bob", messageId: "7" });
    expect(originTuple(other, perUser)).toBe(originTuple(inThread, perUser));
  });

  it("separates any two chats, whatever their ids", () => {
    const part = fc.constantFrom(null, "a", "b", "a:b", "b:a");
    const origin = fc.record({
      platform: fc.constant("p"),
      chatType: fc.constant("group"),
      chatId: part,
      threadId: part,
      userId: part,
    });
    const isolation = { groupSessionsPerUser: true, threadSessionsPerUser: true };
    const place = (o: Origin) => [o.chatId, o.threadId, o.userId].join("|");
    fc.assert(
      fc.property(origin, origin, (left, right) => {
        fc.pre(place(left) !== place(right));
        expect(originTuple(left, isolation)).not.toBe(originTuple(right, isolation));
      }),
    );
  });
});

describe("linked ids of one person", () => {
  it("with unsafe characters are only normalised", () => {
    const origin = room({ platform: "whatsapp", chatType: "dm", chatId: "+odd_id:3@lid" });
    expect(sessionKey(origin, perUser)).toBe("agent:main:whatsapp:dm:odd_id");
  });

  it("that normalise to nothing fall back to the person, and a person to the raw id", () => {
    const dm = room({ platform: "whatsapp", chatType: "dm", chatId: "@lid", userId: "@lid" });
    expect(sessionKey(dm, perUser)).toBe("agent:main:whatsapp:dm:@lid");
  });

  it("are followed through cycles, and the shortest wins in any order", () => {
    const links: Record<string, string[]> = { "333": ["22"], "22": ["4444", "21"], "21": ["333"] };
    const readAlias = (id: string) => links[id] ?? [];
    expect(["333", "22", "21"].map((id) => canonicalWhatsappId(id, readAlias))).toEqual(["21", "21", "21"]);
  });

  it("are ignored if a link file is corrupt", () => {
    placeFixtures({ "whatsapp/session/lid-mapping-5.json": "6" });
    writeFileSync(join(home, "whatsapp/session/lid-mapping-6.json"), '"7');
    expect(readAliasFrom(home)("5")).toEqual(["6"]);
    expect(readAliasFrom(home)("6")).toEqual([]);
  });

  it("are also read from where newer versions of Hermes Agent keep them", () => {
    placeFixtures({ "platforms/whatsapp/session/lid-mapping-8.json": "9" });
    expect(readAliasFrom(home)("8")).toEqual(["9"]);
  });
});

it("a source may have numeric ids and any case of the platform", () => {
  const origin = originFromSource({ platform: " IRC ", chat_id: 5, chat_type: "group", user_id: 7 });
  expect(sessionKey(origin, isolationFromConfig())).toBe("agent:main:irc:group:5:7");
});
