import { describe, expect, it } from "vitest";
import { FAULTS } from "./platform.js";
import { type Evidence, isKept, judge, type Said } from "./verdict.js";

/** Two messages of one chat, both answered: as it should be. */
const said = (number: number, more: Partial<Said> = {}): Said => ({
  number,
  place: "dm",
  conversation: "dm",
  tokens: [`m${number}x0`],
  batch: undefined,
  deathsBefore: 0,
  atMs: 1000 * number,
  ...more,
});
const seen = (text: string, atMs: number, place = "dm") => ({ place, text, atMs });

const PROMISES: Evidence["promises"] = {
  inbound: { loses: "nothing", how: "" },
  outbound: { repeats: "marked", how: "" },
};
const NEVER_REPEATS = { ...PROMISES, outbound: { repeats: "never" as const, how: "" } };
const LOSES_SOME = { ...PROMISES, inbound: { loses: "some" as const, how: "" } };

function evidence(more: Partial<Evidence> = {}): Evidence {
  return {
    platform: "telegram",
    promises: PROMISES,
    droppedTokens: [],
    said: [said(0), said(1)],
    seen: [seen("m0x0", 100), seen("m1x0", 1100)],
    deathsAtMs: [],
    cutsAtMs: [],
    settledAtMs: {},
    faults: Object.fromEntries(FAULTS.map((kind) => [kind, 0])) as Evidence["faults"],
    crashes: [],
    stored: { open: [], answers: ["m0x0", "m1x0"], questions: ["m0x0", "m1x0"] },
    logs: [],
    home: "/tmp",
    ...more,
  };
}

const ANSWERED_TWICE = [seen("m0x0", 100), seen("m1x0", 1100), seen("(This may be a repeat.) m0x0", 1200)];

describe("the verdict", () => {
  it("counts what the service dropped apart, only where its description says that it loses messages", () => {
    const dropped = { seen: [seen("m1x0", 1100)], droppedTokens: ["m0x0"] };
    const documented = judge(evidence({ ...dropped, promises: LOSES_SOME }));
    expect(documented).toMatchObject({ lost: [], documentedLosses: 1 });
    expect(judge(evidence(dropped))).toMatchObject({ lost: ["message 0 in dm"], documentedLosses: 0 });
    const ours = judge(evidence({ ...dropped, droppedTokens: [], promises: LOSES_SOME }));
    expect(ours.lost).toHaveLength(1);
  });

  it("finds nothing where everything was answered once, in order", () => {
    expect(isKept(judge(evidence()))).toBe(true);
    const merged = judge(evidence({ seen: [seen("m0x0\nm1x0", 100)] }));
    expect(isKept(merged)).toBe(true);
  });

  it("misses an answer, and a part of one", () => {
    expect(judge(evidence({ seen: [seen("m1x0", 1100)] })).lost).toEqual(["message 0 in dm"]);
    const long = [said(0, { tokens: ["m0x0", "m0x1"] })];
    expect(judge(evidence({ said: long, seen: [seen("m0x0", 100)] })).lost).toHaveLength(1);
  });

  it("sees a turn that was finished twice, in the outbox or in the history", () => {
    const stored = evidence().stored;
    const answers = ["m0x0", "m0x0\nm1x0"];
    expect(judge(evidence({ stored: { ...stored, answers } })).runTwice).toEqual(["message 0 in dm"]);
    const questions = ["m0x0", "m1x0", "m1x0"];
    expect(judge(evidence({ stored: { ...stored, questions } })).runTwice).toEqual(["message 1 in dm"]);
  });

  it("wants order within a conversation, unless the platform had turned these very messages around", () => {
    const turned = [seen("m1x0", 1100), seen("m0x0", 1200)];
    expect(judge(evidence({ seen: turned })).outOfOrder).toEqual(["message 0 in dm after message 1"]);
    const together = [said(0, { batch: 7 }), said(1, { batch: 7 })];
    expect(judge(evidence({ seen: turned, said: together })).outOfOrder).toEqual([]);
    const apart = [said(0, { batch: 7 }), said(1, { batch: 8 })];
    expect(judge(evidence({ seen: turned, said: apart })).outOfOrder).toHaveLength(1);
    const others = [said(0, { conversation: "Ann's" }), said(1, { conversation: "Bob's" })];
    expect(judge(evidence({ seen: turned, said: others })).outOfOrder).toEqual([]);
  });

  it("forgives a marked repeat after a crash where the platform can't be asked", () => {
    const cut = { seen: ANSWERED_TWICE, cutsAtMs: [101] };
    expect(judge(evidence(cut))).toMatchObject({ repeated: [], markedRepeats: 1 });
    expect(judge(evidence({ seen: ANSWERED_TWICE, deathsAtMs: [150] }))).toMatchObject({ markedRepeats: 1 });
    expect(judge(evidence({ ...cut, promises: NEVER_REPEATS })).repeated).toEqual(["message 0 in dm"]);
    expect(judge(evidence({ ...cut, cutsAtMs: [] })).repeated).toHaveLength(1);
    expect(judge(evidence({ ...cut, cutsAtMs: [1250] })).repeated).toHaveLength(1);
    const markedElsewhere = [
      seen("m0x0", 100),
      seen("(This may be a repeat.) m1x0", 1100),
      seen("m0x0", 1200),
    ];
    expect(judge(evidence({ ...cut, seen: markedElsewhere })).repeated).toHaveLength(1);
    const unmarked = [...ANSWERED_TWICE.slice(0, 2), seen("m0x0", 1200)];
    expect(judge(evidence({ ...cut, seen: unmarked })).repeated).toHaveLength(1);
  });

  it("forgives it however long the machine took from the first copy to the crash", () => {
    const late = [seen("m0x0", 100), seen("m1x0", 1100), seen("(This may be a repeat.) m0x0", 90_000)];
    const busy = { seen: late, deathsAtMs: [60_000] };
    expect(judge(evidence(busy))).toMatchObject({ repeated: [], markedRepeats: 1 });
    expect(judge(evidence({ ...busy, deathsAtMs: [91_000] })).repeated).toHaveLength(1);
  });

  it("doesn't forgive a repeat of what the outbox had as sent when the daemon died", () => {
    const died = { seen: ANSWERED_TWICE, deathsAtMs: [150] };
    expect(judge(evidence({ ...died, settledAtMs: { m0x0: 150 } })).repeated).toEqual(["message 0 in dm"]);
    // The repeat itself was found as sent, at a later death.
    expect(judge(evidence({ ...died, settledAtMs: { m0x0: 5000 } })).repeated).toEqual([]);
  });

  it("takes the mark of a part that fills its message for no stray", () => {
    const apart = [
      ...[seen("m0x0", 100), seen("m1x0", 1100)],
      ...[seen("(This may be a repeat.)", 1200), seen("m0x0", 1201)],
    ];
    const died = { seen: apart, deathsAtMs: [150] };
    expect(judge(evidence(died))).toMatchObject({ repeated: [], markedRepeats: 1, other: [] });
    expect(judge(evidence({ ...died, promises: NEVER_REPEATS })).other).toHaveLength(1);
  });

  it("forgives a preview of tools that a crash left behind, if the answer is marked", () => {
    const left = [seen("🔧 post ▉", 50), seen("(This may be a repeat.) m0x0", 100), seen("m1x0", 1100)];
    const crashed = { seen: left, deathsAtMs: [60] };
    expect(judge(evidence(crashed))).toMatchObject({ other: [], markedRepeats: 1 });
    expect(judge(evidence({ seen: left })).other).toHaveLength(1);
    expect(judge(evidence({ ...crashed, promises: NEVER_REPEATS })).other).toHaveLength(1);
    const unmarked = [left[0]!, seen("m0x0", 100), left[2]!];
    expect(judge(evidence({ ...crashed, seen: unmarked })).other).toHaveLength(1);
  });

  it("reports unexpected messages", () => {
    const elsewhere = [seen("m0x0", 100, "group"), seen("m1x0", 1100), seen("Sorry?", 1200)];
    const stored = { ...evidence().stored, open: ["outbox 3 pending"] };
    const { other } = judge(evidence({ seen: elsewhere, stored, crashes: ["TypeError"] }));
    expect(other).toEqual([
      "message 0 in dm was answered in group",
      "stray in dm: Sorry?",
      "left open: outbox 3 pending",
      "the daemon fell over: TypeError",
    ]);
  });
});
