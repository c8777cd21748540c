import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Target } from "../../src/message.js";
import { Pace } from "../../src/pipeline/pace.js";

const group: Target = {
  platform: "p",
  account: "bot",
  chatType: "group",
  chatId: "g",
  threadId: null,
  userId: null,
  replyTo: null,
};
const TWENTY = { perMinute: 20 };

function at(seconds = 1000) {
  const clock = { now: seconds };
  return { clock, pace: new Pace(() => clock.now) };
}

describe("a chat with a limit per minute", () => {
  it("accepts messages up to the limit, and the next one when the first is a minute old", () => {
    const { clock, pace } = at();
    for (let i = 0; i < 20; i++) {
      expect(pace.waitSeconds(group, TWENTY)).toBe(0);
      pace.sent(group);
      clock.now += 1;
    }
    expect(pace.waitSeconds(group, TWENTY)).toBe(40);
    clock.now = 1060;
    expect(pace.waitSeconds(group, TWENTY)).toBe(0);
  });

  it("counts parts and all topics together, and other chats separately", () => {
    const { pace } = at();
    pace.sent({ ...group, threadId: "1" }, 15);
    pace.sent({ ...group, threadId: "2" }, 5);
    expect(pace.waitSeconds(group, TWENTY)).toBe(60);
    expect(pace.waitSeconds({ ...group, chatId: "other" }, TWENTY)).toBe(0);
    expect(pace.waitSeconds(group)).toBe(0);
  });

  it("drops previews while there is still capacity for answers", () => {
    const { pace, clock } = at();
    pace.sent(group, 9);
    expect(pace.isOpen(group, TWENTY)).toBe(true);
    pace.sent(group);
    expect(pace.isOpen(group, TWENTY)).toBe(false);
    expect(pace.waitSeconds(group, TWENTY)).toBe(0);
    clock.now += 60;
    expect(pace.isOpen(group, TWENTY)).toBe(true);
  });

  it("never exceeds the limit in any minute", () => {
    const waits = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 100 });
    fc.assert(
      fc.property(waits, fc.integer({ min: 1, max: 20 }), (pauses, perMinute) => {
        const { pace, clock } = at();
        const times: number[] = [];
        for (const pause of pauses) {
          clock.now += Math.max(pause, pace.waitSeconds(group, { perMinute }));
          pace.sent(group);
          times.push(clock.now);
        }
        for (const time of times)
          expect(times.filter((other) => other >= time && other < time + 60).length).toBeLessThanOrEqual(
            perMinute,
          );
      }),
    );
  });
});

describe("a penalty", () => {
  it("holds back everything in its chat until it ends", () => {
    const { pace, clock } = at();
    pace.penalise(group, "chat", 30);
    expect(pace.waitSeconds(group)).toBe(30);
    expect(pace.isOpen(group)).toBe(false);
    expect(pace.isOpen({ ...group, chatId: "other" })).toBe(true);
    clock.now = 1030;
    expect(pace.isOpen(group)).toBe(true);
    expect(pace.open).toEqual([]);
  });

  it("of the account holds back all its chats", () => {
    const { pace } = at();
    pace.penalise(group, "account", 30);
    expect(pace.waitSeconds({ ...group, chatId: "other" })).toBe(30);
    expect(pace.waitSeconds({ ...group, account: "another" })).toBe(0);
  });

  it("spaces messages if the chat requires it", () => {
    const { pace } = at();
    pace.sent(group);
    expect(pace.waitSeconds(group, { chatMs: 1500 })).toBe(1.5);
  });
});
