import { execFileSync } from "node:child_process";
import path from "node:path";
import colors from "picocolors";
import { describe, expect, it } from "vitest";
import { textOf } from "../src/adapters/discord/describe.js";
import { fillTemplate } from "../src/adapters/webhook/template.js";
import { classify, refusesImages } from "../src/agents/model/failures.js";
import { highlight } from "../src/cli/sessions/hits.js";
import { diffLines } from "../src/cli/setup/diff.js";
import { parseEnvFile } from "../src/config/dotenv.js";
import { setVariable } from "../src/config/edit-env.js";
import { linearPattern } from "../src/linear-pattern.js";
import { createLog } from "../src/log.js";
import { fallbackSummary, serialiseForSummary } from "../src/policies/compression.js";
import { redactSecrets } from "../src/redact.js";
import { parseAdd } from "../src/routing/commands/parts/cron-words.js";
import { bearerOf } from "../src/secret.js";
import { decodeExactly } from "../src/store/sqlite/content.js";
import { nameBefore, quotes, withoutRepeats, wordsIn } from "../src/store/sqlite/people/redact.js";
import { sanitizeFtsQuery } from "../src/store/sqlite/query.js";
import { snippetOf } from "../src/store/sqlite/snippet.js";
import { withoutTrailing } from "../src/trailing.js";

/** Repeated, each makes some careless pattern read the same characters again from every start. */
const UNITS = [
  ..."a \n`\\[](){}\"'>-._*/:%#0!\0",
  ...["a-", "> ", "- a\n", "\n\t", "漢字", "👩‍👩‍👧", "\ud83d", "e\u0301", "[a](", '\\"', '"a":"\\'],
  ...["eyJ-eyJabcde", "M-", "K_API-", "token ", "token:", "authorization: a ", "bearer ", "://a:", "x."],
  ...[
    "[Note: ",
    "'s earlier message ",
    "[a] > b\r",
    "{{",
    "<<>>>",
    "<@1> ",
    "a=",
    "token count exceeds the model ",
  ],
];
const CHARS = 40_000;
/** Quadratic work on that many characters takes several times as long, also on a fast machine. */
const TINY_MS = 60;
/** Between two (linear) and four (quadratic). */
const MAX_RATIO = 3.2;
const ATTEMPTS = 4;

type Work = (text: string) => unknown;

/** The units whose repetition makes the work grow faster than the text. */
function badGrowth(work: Work, chars = CHARS, times = 1): string[] {
  return UNITS.filter((unit) => {
    const whole = unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
    return !isLinear(work, whole, times);
  });
}

/** The least of several runs counts: other work on the machine only makes them longer. */
function isLinear(work: Work, text: string, times: number): boolean {
  let [half, whole] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    whole = Math.min(whole, cpuMs(work, text, times));
    if (whole < TINY_MS) return true;
    half = Math.min(half, cpuMs(work, text.slice(0, text.length / 2), times));
    if (whole / half < MAX_RATIO) return true;
  }
  return false;
}

function cpuMs(work: Work, text: string, times: number): number {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) attempt(work, text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function attempt(work: Work, text: string): void {
  try {
    work(text);
  } catch {
    // Refusing a text is an answer too.
  }
}

const words = wordsIn(["what they once wrote", "something else of theirs"]);
const log = await createLog({ level: "info", pretty: false, destination: { write: () => undefined } });
const discord = { botId: "1", botRoleId: "2", channelName: () => null };
const paint = colors.createColors(true);
const message = (text: string) => ({ role: "user", content: text });

describe("time grows with the text, whatever the text is", () => {
  it.each<[string, Work]>([
    ["redaction", redactSecrets],
    ["text for a summary", (text) => serialiseForSummary([message(text), message(`Bearer ${text}`)])],
    ["a summary without a model", (text) => fallbackSummary([message(text)])],
    ["the log", (text) => log.info({ a: text, token: text, err: new Error(text) }, text)],
    ["snippets", (text) => snippetOf(text, ["aaaaab", "> >x", "漢字?"])],
    ["marks in hits", (text) => highlight(text, paint)],
    ["stored JSON", (text) => decodeExactly(`["${text}`)],
    ["erasure from answers", (text) => withoutRepeats(text, words, ["Ann"])],
    ["erasure from quotes", (text) => [quotes(text, words), nameBefore(text)]],
    ["bearer tokens", (text) => bearerOf(`Bearer ${text}`)],
    [".env", (text) => [parseEnvFile(`A=${text}`), parseEnvFile(`A='${text}`), parseEnvFile(`A="${text}`)]],
    [".env that is changed", (text) => setVariable(text, "NAME", "value")],
    ["changed lines of the config", (text) => diffLines(text.replaceAll("\n", " "), "")],
    ["webhook templates", (text) => fillTemplate(text, {}, {})],
    // Escapes in it are for own-words.ts, which has a test of its own.
    ["what a model's server says", (text) => refusesImages(classify(new Error(text.replaceAll("\\", "/"))))],
    ["/cron add", (text) => parseAdd(`every 30m ${text}`, { now: 0, timeZone: "UTC" })],
    ["operators' patterns", (text) => linearPattern("(a|a-)+$|^(\\s*>)+x").test(text)],
    ["trailing characters", (text) => withoutTrailing(`${text}x`, "/\n \t")],
    [
      "Discord messages",
      (text) =>
        textOf({ content: text, author: {}, mentions: [] } as never as Parameters<typeof textOf>[0], discord),
    ],
  ])("%s", (_, work) => {
    expect(badGrowth(work)).toEqual([]);
  });

  it("search queries, up to their limit", () => {
    expect(badGrowth(sanitizeFtsQuery, 2000, 50)).toEqual([]);
    expect(() => sanitizeFtsQuery("a".repeat(2001))).toThrow("too long");
    expect(() => sanitizeFtsQuery(" ".repeat(10_000_000))).toThrow("too long");
  });
});

it("a long word followed by punctuation can be searched for", () => {
  const query = "da39a3ee5e6b4b0d3255bfef95601890afd80709?";
  const module = path.resolve(import.meta.dirname, "../dist/store/sqlite/query.js");
  // In a process of its own: what never finishes here can't be stopped by a test's time limit.
  const code = `import { sanitizeFtsQuery } from ${JSON.stringify(module)};
    process.stdout.write(sanitizeFtsQuery(${JSON.stringify(query)}));`;
  const given = ["--input-type=module", "--eval", code];
  const clean = execFileSync(process.execPath, given, { timeout: 25_000, encoding: "utf8" });
  expect(clean).toBe(`"${query}"`);
});
