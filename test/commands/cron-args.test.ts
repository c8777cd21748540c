import { describe, expect, it } from "vitest";
import { parseAdd } from "../../src/commands/parts/cron-args.js";

const clock = { now: Date.parse("2026-06-16T07:15:00Z") / 1000, timeZone: "UTC" };

describe("the arguments of /cron add", () => {
  it.each([
    ['"0 9 * * 1-5" What is on?', { when: "0 9 * * 1-5", prompt: "What is on?" }],
    ["“every 30m” look", { when: "every 30m", prompt: "look" }],
    ["0 9 * * * 3 things to do", { when: "0 9 * * *", prompt: "3 things to do" }],
    ["every 2 hours drink some water", { when: "every 2 hours", prompt: "drink some water" }],
    ["every 30m look\n\nat the queue", { when: "every 30m", prompt: "look\n\nat the queue" }],
    ["in 2h call Ada", { when: "in 2h", prompt: "call Ada" }],
    ["@daily news", { when: "@daily", prompt: "news" }],
    ["2026-06-17T09:00 hi", { when: "2026-06-17T09:00", prompt: "hi" }],
    ["2026-06-17 09:00 hi", { when: "2026-06-17 09:00", prompt: "hi" }],
    [
      '--to slack:#ops —name "My news" --timezone=Europe/Berlin --missed skip @daily news',
      {
        to: "slack:#ops",
        name: "My news",
        timeZone: "Europe/Berlin",
        missed: "skip",
        when: "@daily",
        prompt: "news",
      },
    ],
  ])("%j", (text, expected) => {
    expect(parseAdd(text, clock)).toEqual(expected);
  });

  it.each([
    ["whenever hello", "doesn't start with a time"],
    ["every 30m", "doesn't start with a time"],
    ["", "doesn't start with a time"],
    ["--colour red every 30m hi", "Unknown option --colour"],
    ["--missed never every 30m hi", "run or skip"],
  ])("%j is refused", (text, words) => {
    expect(() => parseAdd(text, clock)).toThrow(words);
  });
});
