import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Principal } from "../../src/message.js";
import {
  type ToolAccessQuestion,
  type ToolRestriction,
  type ToolRule,
  toolAccess,
} from "../../src/policies/tool-access.js";

const ann: Principal = { platform: "test", userId: "ann" };
const owner: Principal = { platform: "test", userId: "olga", owner: true };
const room = { platform: "test", chatId: "g1" };
/** Where the platform doesn't say who writes. */
const unknown: Principal = { platform: "test", userId: "g1", room };

const reader = { name: "look", effect: "read" as const };
const writer = { name: "act", effect: "write" as const };

const ask = (question: Partial<ToolAccessQuestion>) =>
  toolAccess({ tool: reader, sets: ["set"], principal: ann, room: undefined, rules: {}, ...question });
const allowed = (question: Partial<ToolAccessQuestion>) => ask(question).allowed;

describe("by default", () => {
  it("tools that only read are for paired people, the others for owners", () => {
    expect(allowed({ tool: reader, principal: ann })).toBe(true);
    expect(allowed({ tool: reader, principal: owner })).toBe(true);
    expect(allowed({ tool: reader, principal: unknown })).toBe(false);
    expect(allowed({ tool: writer, principal: ann })).toBe(false);
    expect(allowed({ tool: writer, principal: owner })).toBe(true);
  });

  it("a tool may say otherwise", () => {
    expect(allowed({ tool: { ...writer, allow: ["paired"] } })).toBe(true);
    expect(ask({ tool: { ...reader, ask: "always" } }).ask).toBe("always");
  });

  it("the reason names the rule", () => {
    expect(ask({ tool: writer }).reason).toBe(
      "the default for tools that change something allows owners, and this is a paired person",
    );
    expect(ask({ rules: { set: { allow: ["test:ann"] } } }).reason).toBe("tools.set allows test:ann");
  });
});

describe("a rule", () => {
  it("for a name beats one for a set, and that beats *", () => {
    const rules = { "*": { allow: ["owner"] }, set: { allow: ["paired"] } };
    expect(allowed({ rules: { "*": { allow: ["owner"] } } })).toBe(false);
    expect(allowed({ rules })).toBe(true);
    expect(allowed({ rules: { ...rules, look: { allow: ["owner"] } } })).toBe(false);
  });

  it("falls back to the next rule for missing keys", () => {
    const rules: Record<string, ToolRule> = {
      "*": { rooms: "dm" },
      set: { ask: "once" },
      look: { allow: ["paired"] },
    };
    expect(ask({ rules })).toMatchObject({ allowed: true, ask: "once" });
    expect(ask({ rules, room })).toMatchObject({
      allowed: false,
      reason: "tools.* allows it in direct chats only",
    });
    expect(allowed({ rules: { ...rules, look: { rooms: "all" } }, room })).toBe(true);
  });

  it("names people by platform and id, and owners are no exception", () => {
    const rules = { look: { allow: ["test:ann"] } };
    expect(allowed({ rules })).toBe(true);
    expect(allowed({ rules, principal: { ...ann, platform: "other" } })).toBe(false);
    expect(allowed({ rules, principal: owner })).toBe(false);
  });

  it("for everyone includes people without an id", () => {
    expect(allowed({ rules: { look: { allow: ["everyone"] } }, principal: unknown })).toBe(true);
    expect(allowed({ rules: { look: { allow: ["paired"] } }, principal: unknown })).toBe(false);
    expect(allowed({ rules: { look: { allow: ["test:g1"] } }, principal: unknown })).toBe(false);
  });

  it("denies with an empty list, whatever other rules allow", () => {
    const rules = { "*": { allow: [] }, look: { allow: ["everyone"] } };
    expect(ask({ rules, principal: owner })).toMatchObject({
      allowed: false,
      reason: "tools.* denies it to everyone",
    });
  });

  it("for several sets applies together", () => {
    const rules: Record<string, ToolRule> = {
      a: { allow: ["paired"], ask: "once" },
      b: { allow: ["owner"], ask: "always" },
    };
    expect(ask({ rules, sets: ["a"] })).toMatchObject({ allowed: true, ask: "once" });
    expect(ask({ rules, sets: ["a", "b"] })).toMatchObject({ allowed: false, ask: "always" });
    expect(allowed({ rules, sets: ["a", "b"], principal: owner })).toBe(true);
  });

  it("named like a property of every object is only what the configuration says", () => {
    expect(allowed({ tool: { ...reader, name: "constructor" }, sets: ["toString"] })).toBe(true);
  });
});

// --- properties ---------------------------------------------------------------------------------------------------

const people = fc.constantFrom("owner", "paired", "everyone", "test:ann", "test:bob");
const rule: fc.Arbitrary<ToolRule> = fc.record(
  {
    allow: fc.uniqueArray(people, { maxLength: 3 }),
    rooms: fc.constantFrom("dm" as const, "all" as const),
    ask: fc.constantFrom("never" as const, "once" as const, "session" as const, "always" as const),
  },
  { requiredKeys: [] },
);
const restriction: fc.Arbitrary<ToolRestriction> = rule.map((one) => ({ ...one, name: "a later rule" }));
const question: fc.Arbitrary<ToolAccessQuestion> = fc.record({
  tool: fc.constantFrom(reader, writer, { ...writer, allow: ["paired" as const], ask: "once" as const }),
  sets: fc.subarray(["set", "other"]),
  principal: fc.constantFrom(ann, owner, unknown, { ...ann, userId: "bob" }),
  room: fc.constantFrom(undefined, room),
  rules: fc.dictionary(fc.constantFrom("*", "set", "other", "look", "act"), rule),
  restrictions: fc.array(restriction, { maxLength: 3 }),
});
const STRICT = ["never", "once", "session", "always"];

describe("restrictions", () => {
  it("only narrow, in any order", () => {
    fc.assert(
      fc.property(question, restriction, (asked, more) => {
        const before = toolAccess(asked);
        const after = toolAccess({ ...asked, restrictions: [...asked.restrictions!, more] });
        expect(after.allowed && !before.allowed).toBe(false);
        expect(STRICT.indexOf(after.ask)).toBeGreaterThanOrEqual(STRICT.indexOf(before.ask));
        const reversed = toolAccess({ ...asked, restrictions: [more, ...asked.restrictions!] });
        expect(reversed).toMatchObject({ allowed: after.allowed, ask: after.ask });
      }),
      { numRuns: 2000 },
    );
  });

  it("and rules that deny win over all others", () => {
    fc.assert(
      fc.property(question, fc.constantFrom("*", "name", "set", "restriction"), (asked, where) => {
        const denied = structuredClone(asked) as ToolAccessQuestion & { rules: Record<string, ToolRule> };
        if (where === "restriction") denied.restrictions = [...asked.restrictions!, { name: "x", allow: [] }];
        else denied.rules[where === "name" ? asked.tool.name : where] = { allow: [] };
        if (where === "set") denied.sets = [...asked.sets, "set"];
        expect(toolAccess(denied).allowed).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});
