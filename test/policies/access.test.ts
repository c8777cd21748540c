import { describe, expect, it } from "vitest";
import type { Origin } from "../../src/message.js";
import {
  type AccessLists,
  type AccessQuestion,
  accessDecision,
  anyAllowlistSet,
  isOwner,
  type PlatformAccess,
  unauthorizedResponse,
} from "../../src/policies/access.js";

type ListChanges = Partial<Omit<AccessLists, "platform">> & { platform?: Partial<PlatformAccess> };

function lists(changes: ListChanges = {}): AccessLists {
  const platform = {
    allowAll: false,
    allowBots: false,
    allowFrom: [],
    groupAllowFrom: [],
    groupAllowedChats: [],
    allowedRoles: [],
    dmPolicy: null,
    groupPolicy: null,
    ...changes.platform,
  };
  return { owners: [], allowAll: false, allowFrom: [], ...changes, platform };
}

const dm: Origin = { platform: "p", chatType: "dm", chatId: "c1", userId: "u1", userName: "Alice" };
const room: Origin = { ...dm, chatType: "group", chatId: "g1" };

function decide(origin: Origin, changes: ListChanges = {}, rest: Partial<AccessQuestion> = {}): string {
  const question = {
    origin,
    isBot: false,
    paired: false,
    authenticated: false,
    lists: lists(changes),
    ...rest,
  };
  const decision = accessDecision(question);
  return decision.allow ? decision.because : `refused: ${decision.reason}`;
}

describe("policies and roles", () => {
  it("close a type of chat to everyone, listed or not", () => {
    const everybody = { allowAll: true, owners: ["p:u1"] };
    expect(decide(dm, { ...everybody, platform: { dmPolicy: "disabled" } })).toBe("refused: dm_disabled");
    expect(decide(room, { ...everybody, platform: { groupPolicy: "disabled" } })).toBe(
      "refused: groups_disabled",
    );
    expect(decide(room, { ...everybody, platform: { dmPolicy: "disabled" } })).toBe("owner");
  });

  it("open one type of chat but not the other", () => {
    expect(decide(room, { platform: { dmPolicy: "open" } })).toBe("refused: not_listed");
    expect(decide(dm, { platform: { groupPolicy: "open" } })).toBe("refused: not_listed");
    expect(decide({ ...room, userId: null }, { platform: { groupPolicy: "open" } })).toBe(
      "group_policy_open",
    );
  });

  it("defer to the lists", () => {
    const listed = {
      platform: { dmPolicy: "pairing", groupPolicy: "allowlist", allowFrom: ["u1"] },
    } as const;
    expect(decide(dm, listed)).toBe("allow_from");
    expect(decide({ ...dm, userId: "u2" }, listed)).toBe("refused: not_listed");
  });

  it("allow members of a role confirmed by the platform", () => {
    const changes = { platform: { allowedRoles: ["r1", "r2"] } };
    expect(decide(room, changes, { roles: ["r0", "r2"] })).toBe("role");
    expect(decide(room, changes, { roles: ["r0"] })).toBe("refused: not_listed");
    expect(decide(room, changes)).toBe("refused: not_listed");
    expect(anyAllowlistSet(lists(changes))).toBe(true);
  });
});

describe("access control", () => {
  it("denies by default", () => {
    expect(decide(dm)).toBe("refused: not_listed");
    expect(decide(room)).toBe("refused: not_listed");
  });

  it.each<[string, Origin, ListChanges]>([
    ["owner", dm, { owners: ["p:u1"] }],
    ["platform_allow_all", dm, { platform: { allowAll: true } }],
    ["allow_from", dm, { platform: { allowFrom: ["u1"] } }],
    ["allow_from", dm, { platform: { allowFrom: ["*"] } }],
    ["group_allow_from", room, { platform: { groupAllowFrom: ["u1"] } }],
    ["group_chat", room, { platform: { groupAllowedChats: ["g1"] } }],
    ["group_chat", { ...room, chatIdAlt: "raw" }, { platform: { groupAllowedChats: ["raw"] } }],
    ["group_policy_open", room, { platform: { groupPolicy: "open" } }],
    ["dm_policy_open", dm, { platform: { dmPolicy: "open" } }],
    ["global_allow_from", dm, { allowFrom: ["u1"] }],
    ["global_allow_from", dm, { allowFrom: ["p:u1"] }],
    ["global_allow_all", dm, { allowAll: true }],
  ])("%s", (because, origin, changes) => {
    expect(decide(origin, changes)).toBe(because);
  });

  it("allows paired users", () => {
    expect(decide(dm, {}, { paired: true })).toBe("paired");
  });

  it("allows authenticated senders, even without a user id", () => {
    expect(decide({ ...dm, userId: null }, {}, { authenticated: true })).toBe("authenticated");
  });

  it("never matches display names", () => {
    expect(
      decide(dm, { platform: { allowFrom: ["Alice"] }, allowFrom: ["Alice"], owners: ["p:Alice"] }),
    ).toBe("refused: not_listed");
  });

  it("refuses senders without a user id, except in an open room", () => {
    const nameless = { ...room, userId: null };
    expect(decide(nameless, { platform: { allowAll: true, allowFrom: ["*"] } })).toBe("refused: no_user_id");
    expect(decide(nameless, { platform: { groupAllowedChats: ["*"] } })).toBe("group_chat");
  });

  it("doesn't apply room lists to a DM", () => {
    expect(
      decide(
        { ...dm, chatId: "g1" },
        { platform: { groupAllowedChats: ["g1", "*"], groupAllowFrom: ["*"] } },
      ),
    ).toBe("refused: not_listed");
  });

  it("ignores a global allow_all if a list is set", () => {
    expect(decide(dm, { allowAll: true, platform: { allowFrom: ["u2"] } })).toBe("refused: not_listed");
  });

  it("matches WhatsApp's ids without their server, but never the beginning of an address", () => {
    expect(
      decide({ ...dm, userId: "15550001@s.whatsapp.net" }, { platform: { allowFrom: ["15550001"] } }),
    ).toBe("allow_from");
    for (const userId of ["15550001@evil.example", "15550001@s.whatsapp.net.evil.example"])
      expect(decide({ ...dm, userId }, { platform: { allowFrom: ["15550001"] } })).toBe(
        "refused: not_listed",
      );
    expect(decide({ ...dm, userId: "@alice:server" }, { platform: { allowFrom: [""] } })).toBe(
      "refused: not_listed",
    );
  });

  it("matches the second id and known aliases", () => {
    expect(decide({ ...dm, userIdAlt: "uuid" }, { platform: { allowFrom: ["uuid"] } })).toBe("allow_from");
    expect(decide(dm, { platform: { allowFrom: ["alias"] } }, { aliases: ["alias"] })).toBe("allow_from");
  });

  it("allows bots only where bots are allowed, regardless of the lists", () => {
    const open = { allowAll: true, platform: { allowAll: true, allowFrom: ["*"] } };
    expect(decide(dm, open, { isBot: true, paired: true })).toBe("refused: bot");
    expect(decide(dm, { platform: { allowBots: true } }, { isBot: true })).toBe("bots_allowed");
  });
});

describe("owners", () => {
  it("must match exactly, with their platform", () => {
    expect(isOwner(dm, ["p:u1"])).toBe(true);
    expect(isOwner({ ...dm, userIdAlt: "uuid" }, ["p:uuid"])).toBe(true);
    for (const entry of ["u1", "other:u1", "*", "p:*"]) expect(isOwner(dm, [entry])).toBe(false);
    expect(isOwner({ platform: "p", userId: "" }, ["p:"])).toBe(false);
    expect(isOwner({ platform: "p", userId: "u1@evil" }, ["p:u1"])).toBe(false);
  });
});

describe("a refused message", () => {
  it("is ignored in rooms, whatever the configuration", () => {
    expect(unauthorizedResponse({ chatType: "group", dmBehaviour: "pair", anyAllowlistSet: false })).toBe(
      "ignore",
    );
  });

  it("gets a pairing code in a DM, unless lists are set or the operator chose otherwise", () => {
    const respond = (dmBehaviour: "pair" | "ignore" | undefined, changes: ListChanges) =>
      unauthorizedResponse({ chatType: "dm", dmBehaviour, anyAllowlistSet: anyAllowlistSet(lists(changes)) });
    expect(respond(undefined, {})).toBe("pair");
    expect(respond(undefined, { owners: ["p:u2"] })).toBe("pair");
    expect(respond(undefined, { allowFrom: ["u2"] })).toBe("ignore");
    expect(respond(undefined, { platform: { groupAllowedChats: ["g"] } })).toBe("ignore");
    expect(respond("pair", { allowFrom: ["u2"] })).toBe("pair");
    expect(respond("ignore", {})).toBe("ignore");
  });
});
