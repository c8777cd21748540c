import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { backupName, isDue, outdated } from "../../src/backup/rotate.js";
import { withoutSecrets } from "../../src/backup/without-secrets.js";
import { isSecretPath } from "../../src/config/mask.js";

const REFERENCE = "$\u007bSLACK_BOT_TOKEN}";
const clean = (text: string) => withoutSecrets(text, isSecretPath);

describe("the configuration in a backup", () => {
  it("keeps comments, settings and references, and no secret", () => {
    const kept = clean(
      [
        "# mine",
        "timezone: Europe/Berlin # here",
        "model: {api_key: sk-1234567890, default: m}",
        "platforms:",
        "  telegram:",
        "    token: 123:ABC",
        "    allow_from: [1]",
        `  slack: {token: '${REFERENCE}', signing_secret: abc}`,
        "",
      ].join("\n"),
    );
    expect(kept).toContain("# mine");
    expect(kept).not.toMatch(/sk-1234567890|123:ABC|abc/);
    expect(parse(kept)).toEqual({
      timezone: "Europe/Berlin",
      model: { api_key: null, default: "m" },
      platforms: {
        telegram: { token: null, allow_from: [1] },
        slack: { token: REFERENCE, signing_secret: null },
      },
    });
  });

  it("drops every value that is named like a secret", () => {
    const name = fc.constantFrom("token", "api_key", "signing_secret", "password", "app_token");
    const secret = fc.stringMatching(/^[A-Za-z0-9:_-]{12,40}$/);
    fc.assert(
      fc.property(name, secret, (key, value) => {
        expect(clean(JSON.stringify({ a: { [key]: value, list: [{ [key]: value }] } }))).not.toContain(value);
      }),
    );
  });

  it("drops a file that can't be parsed", () => {
    expect(clean("a: [token: x\n  b")).toMatch(/^# Left out/);
  });
});

describe("rotation", () => {
  const names = ["20260101_000000", "20260102_000000", "20260103_000000"].map(backupName);

  it("removes the oldest of ours, and nothing else", () => {
    expect(outdated([...names, "holiday.tar.gz", "hermes-notes.txt"], 2)).toEqual([names[0]]);
    expect(outdated(names, 5)).toEqual([]);
  });

  it("is due when there is none, or the last one is old enough", () => {
    expect(isDue(undefined, 24, 0)).toBe(true);
    expect(isDue(0, 24, 24 * 3600 - 1)).toBe(false);
    expect(isDue(0, 24, 24 * 3600)).toBe(true);
    expect(isDue(undefined, 0, 0)).toBe(false);
  });
});
