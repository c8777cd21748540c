import { expect, it } from "vitest";
import { says } from "../emulators/model-server.js";
import { PLATFORMS, type PlatformName } from "../support/platforms.js";
import { until } from "../support/until.js";
import { modelScene } from "./support/previews.js";

/** The real daemon dies between the parts of a long answer; people see each part once. */

const LENGTHS: Record<PlatformName, number> = { telegram: 14_000, discord: 7000, slack: 40_000 };
const MARK = "(This may be a repeat.)";

function answerOf(length: number): string {
  return Array.from({ length: Math.ceil(length / 7) }, (_, i) => `w${i}`).join(" ");
}

async function crash(platform: PlatformName, killAt: string) {
  const { model, chats, daemon, connected } = await modelScene("streaming: {enabled: false}", [platform]);
  await daemon.start({ HERMES_KILL_AT: killAt });
  await connected();
  const answer = answerOf(LENGTHS[platform]);
  model.script(says(answer));
  const { say, seen } = chats[platform];
  say("question");
  await daemon.run.ended;
  const before = seen();
  await daemon.start();
  const words = () => seen().flatMap((text) => text.match(/\bw\d+\b/g) ?? []);
  const isWhole = () => words().at(-1) === answer.split(" ").at(-1);
  await until("the answer is whole", isWhole, { timeoutMs: 30_000 });
  expect([...new Set(words())]).toEqual(answer.split(" "));
  return { before, after: seen() };
}

const POINTS = [
  ["part-sent:1", 1],
  ["part-sent:2", 2],
  ["part-stored:2", 2],
] as const;
const CASES = PLATFORMS.flatMap((platform) =>
  POINTS.map(([killAt, sent]) => ({ platform, killAt, sent, isStored: killAt.startsWith("part-stored") })),
);

it.each(CASES)(
  "repeats no part that was stored: $platform, killed at $killAt",
  async ({ platform, killAt, sent, isStored }) => {
    const { before, after } = await crash(platform, killAt);
    expect(before).toHaveLength(sent);
    expect(after.slice(0, sent)).toEqual(before);
    const rest = after.slice(sent);
    // Telegram can't be asked, so the part in doubt is sent again, with a mark.
    const marked = rest.filter((text) => text.includes(MARK));
    expect(marked).toHaveLength(platform === "telegram" ? 1 : 0);
    const plain = rest.map((text) => text.replace(`${MARK}\n`, ""));
    const repeated = plain.filter((text) => before.includes(text));
    expect(repeated).toEqual(platform === "telegram" && !isStored ? [before.at(-1)] : []);
    if (marked.length > 0) expect(rest.indexOf(marked[0]!)).toBe(0);
  },
  60_000,
);
