import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BusyMode, busyDecision, mergeWaiting } from "../../src/policies/busy.js";

describe("a message during a turn", () => {
  const busy = { running: true, isCommand: false, canSteer: true };
  const modes: BusyMode[] = ["interrupt", "queue", "steer"];

  it.each(modes)("is handled according to the mode: %s", (mode) => {
    expect(busyDecision(mode, busy)).toBe(mode);
  });

  it.each(modes)("runs immediately if no turn is running or it is a command, in mode %s", (mode) => {
    expect(busyDecision(mode, { ...busy, running: false })).toBe("run");
    expect(busyDecision(mode, { ...busy, isCommand: true })).toBe("run");
  });

  it("waits if the turn can't be steered", () => {
    expect(busyDecision("steer", { ...busy, canSteer: false })).toBe("queue");
  });
});

describe("waiting messages", () => {
  const wrote = (senderId: string | null, text: string, ...media: string[]) => ({ senderId, text, media });

  it("of one person in a row become one turn, with all their media", () => {
    const messages = [wrote("a", "one", "1.png"), wrote("a", "", "2.png", "3.png"), wrote("a", "two")];
    expect(mergeWaiting(messages)).toEqual([
      { senderId: "a", text: "one\ntwo", media: ["1.png", "2.png", "3.png"], messages },
    ]);
  });

  it("of two people are never merged and keep their order", () => {
    const turns = mergeWaiting([wrote("a", "1"), wrote("b", "2"), wrote("b", "3"), wrote("a", "4")]);
    expect(turns.map((turn) => [turn.senderId, turn.text])).toEqual([
      ["a", "1"],
      ["b", "2\n3"],
      ["a", "4"],
    ]);
  });

  it("without a sender id each become a turn", () => {
    expect(mergeWaiting([wrote(null, "1"), wrote(null, "2")])).toHaveLength(2);
  });

  it("are never lost, repeated or reordered", () => {
    const message = fc.record({
      senderId: fc.constantFrom("a", "b", null),
      text: fc.string(),
      media: fc.array(fc.integer(), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const turns = mergeWaiting(messages);
        expect(turns.flatMap((turn) => turn.messages)).toEqual(messages);
        expect(turns.flatMap((turn) => turn.media)).toEqual(messages.flatMap((m) => m.media));
      }),
    );
  });
});
