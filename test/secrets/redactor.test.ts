import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configSchema } from "../../src/config/schema.js";
import { SecretRedactor } from "../../src/secrets/redactor.js";
import { SecretSet } from "../../src/secrets/secret-set.js";
import { allSecrets } from "../../src/startup/secrets.js";

const secrets = (...values: string[]) => values.map((value, i) => ({ name: `s${i}`, value }));
const redactor = (...values: string[]) => new SecretRedactor(secrets(...values));

/** The text in chunks of the given lengths. */
function streamed(
  found: SecretRedactor,
  text: string,
  sizes: readonly number[],
): { text: string; mostHeld: number } {
  const stream = found.stream();
  let [out, at, mostHeld, i] = ["", 0, 0, 0];
  let plainOut = 0;
  while (at < text.length) {
    const size = Math.max(1, sizes[i++ % sizes.length]!);
    const given = stream.push(text.slice(at, at + size));
    at = Math.min(text.length, at + size);
    out += given;
    plainOut += given.length;
    if (!out.includes("[REDACTED]")) mostHeld = Math.max(mostHeld, at - plainOut);
  }
  return { text: out + stream.end(), mostHeld };
}

describe("a redactor", () => {
  it("replaces every configured secret of eight characters or more", () => {
    const found = redactor("sk-12345678", "short", "another-key");
    expect(found.redact("sk-12345678, short and another-key.")).toBe("[REDACTED], short and [REDACTED].");
    expect(found.redact("sk-1234567")).toBe("sk-1234567");
    expect(redactor().redact("anything")).toBe("anything");
  });

  it("replaces overlapping and nested secrets as one", () => {
    expect(redactor("abcdefgh", "efghijkl").redact("xabcdefghijklx")).toBe("x[REDACTED]x");
    expect(redactor("bcdefghi", "abcdefghij").redact("xabcdefghijx bcdefghi")).toBe(
      "x[REDACTED]x [REDACTED]",
    );
    expect(redactor("aaaaaaaa").redact("a".repeat(20))).toBe("[REDACTED]");
    expect(redactor("12345678").redact("1234567812345678")).toBe("[REDACTED][REDACTED]");
  });

  it("knows how a secret looks in JSON and in addresses", () => {
    const found = redactor('pass"word/1');
    expect(found.redact(JSON.stringify({ a: 'pass"word/1' }))).toBe('{"a":"[REDACTED]"}');
    expect(found.redact(`https://x?k=${encodeURIComponent('pass"word/1')}`)).toBe("https://x?k=[REDACTED]");
  });

  it("reports the names of what it found", () => {
    const names: string[] = [];
    new SecretRedactor(secrets("firstsecret", "secondsecret"), (name) => names.push(name)).redact(
      "a secondsecret and a firstsecret",
    );
    expect(names).toEqual(["s1", "s0"]);
  });

  it("goes through plain JSON, names of fields too", () => {
    const found = redactor("secret-value");
    expect(
      found.redactJson({ a: ["secret-value", 1, null], "secret-value": { b: "x secret-value" } }),
    ).toEqual({
      a: ["[REDACTED]", 1, null],
      "[REDACTED]": { b: "x [REDACTED]" },
    });
    let deep: unknown = "secret-value";
    for (let i = 0; i < 5000; i++) deep = [deep];
    expect(JSON.stringify(found.redactJson(deep))).not.toContain("secret-value");
  });
});

describe("a stream", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 300 });
  const values = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 8, maxLength: 12 }), {
    minLength: 1,
    maxLength: 4,
  });
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });

  it("gives the same as the whole text, in any chunks, and holds little back", () => {
    fc.assert(
      fc.property(text, values, sizes, (whole, chosen, lengths) => {
        const found = redactor(...chosen);
        const { text: out, mostHeld } = streamed(found, whole, lengths);
        expect(out).toBe(found.redact(whole));
        for (const value of chosen) expect(out).not.toContain(value);
        expect(mostHeld).toBeLessThan(Math.max(...chosen.map(({ length }) => length)));
      }),
      { numRuns: 3000 },
    );
  });

  it("agrees with a search for every secret at every place", () => {
    fc.assert(
      fc.property(text, values, (whole, chosen) => {
        const covered = new Array<boolean>(whole.length).fill(false);
        for (const value of chosen)
          for (let at = whole.indexOf(value); at !== -1; at = whole.indexOf(value, at + 1))
            covered.fill(true, at, at + value.length);
        const plain = [...whole].filter((_, i) => !covered[i]).join("");
        expect(
          redactor(...chosen)
            .redact(whole)
            .replaceAll("[REDACTED]", ""),
        ).toBe(plain);
      }),
      { numRuns: 3000 },
    );
  });

  it("shows text that can't become a secret at once", () => {
    const stream = redactor("secret-value").stream();
    expect(stream.push("hello ")).toBe("hello ");
    expect(stream.push("sec")).toBe("");
    expect(stream.push("ond ")).toBe("second ");
    expect(stream.push("secret-value")).toBe("[REDACTED]");
    expect(stream.push(" se")).toBe(" ");
    expect(stream.end()).toBe("se");
  });
});

it("secrets come from the configuration and from variables that are named like one", () => {
  const config = configSchema.parse({
    model: { api_key: "model-key-1" },
    web: { tavily_api_key: "tavily-key-1" },
    platforms: { telegram: { token: "123:telegram-token" } },
  });
  const found = allSecrets(config, { GITHUB_TOKEN: "github-token-1", PATH: "/usr/bin", EMPTY_TOKEN: "" });
  expect(found).toEqual(
    expect.arrayContaining([
      { name: "model.api_key", value: "model-key-1" },
      { name: "web.tavily_api_key", value: "tavily-key-1" },
      { name: "platforms.telegram.token", value: "123:telegram-token" },
      { name: "GITHUB_TOKEN", value: "github-token-1" },
    ]),
  );
  expect(found.map(({ name }) => name)).not.toEqual(expect.arrayContaining(["PATH"]));
});

it("secrets that are learned later are redacted by redactors that exist already, up to a number", () => {
  const secrets = new SecretSet([{ name: "first", value: "first-secret" }]);
  const redactor = new SecretRedactor(secrets);
  expect(redactor.redact("first-secret later-secret-1")).toBe("[REDACTED] later-secret-1");
  secrets.add([{ name: "later", value: "later-secret-1" }]);
  expect(redactor.redact("first-secret later-secret-1")).toBe("[REDACTED] [REDACTED]");
  for (let i = 2; i < 200; i += 1) secrets.add([{ name: "later", value: `later-secret-${i}-` }]);
  expect(redactor.redact("first-secret later-secret-199-")).toBe("[REDACTED] [REDACTED]");
  expect(secrets.known.forms.length).toBeLessThan(100);
});
