import { describe, expect, it } from "vitest";
import { serialiseForSummary } from "../../src/policies/compression.js";
import { redactEnds } from "../../src/secrets/shapes.js";
import { redactAll } from "../support/redact-all.js";

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4";
const DISCORD = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcDE.abcdefghijklmnopqrstuvwxyz012345";

describe("tokens with dots", () => {
  it.each([
    [`see ${JWT}, ok`, "see [REDACTED], ok"],
    [`id-${JWT}`, "id-[REDACTED]"],
    [`${JWT}.more`, "[REDACTED].more"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.", "[REDACTED]"],
    [`a.b.${JWT}`, "a.b.[REDACTED]"],
    [`bot ${DISCORD}`, "bot [REDACTED]"],
    [`of-the-bot ${DISCORD} and ${DISCORD}`, "of-the-bot [REDACTED] and [REDACTED]"],
  ])("%s", (text, clean) => {
    expect(redactAll(text)).toBe(clean);
  });

  it.each(["www.example.com", "eyJ.a.b", "1.2.3", "a...b", "src/policies/compression.test.ts", "..."])(
    "keeps %s",
    (text) => expect(redactAll(text)).toBe(text),
  );
});

it("recognises settings by the last word of their name", () => {
  expect(redactAll("MY_APP-SECRET: hunter2222")).toBe("MY_APP-SECRET: [REDACTED]");
  expect(redactAll("__token=abcdef")).toBe("__token=[REDACTED]");
  expect(redactAll("password=token : hunter2222")).toBe("password=token : [REDACTED]");
  expect(redactAll("mytoken=abcdef")).toBe("mytoken=abcdef");
});

describe("a long message", () => {
  const secret = `sk-${"s3cr3t".repeat(30)}`;

  it("shows no part of a secret, wherever it is cut", () => {
    const chars = 60_000;
    for (let at = 4300; at < 4600; at += 7) {
      const text = `${"x ".repeat(at / 2)}${secret}${" x".repeat((chars - at) / 2)}`;
      expect(serialiseForSummary([{ role: "user", content: text }])).not.toContain("s3cr3t");
      const reversed = `${"x ".repeat((chars - at) / 2)}${secret}${" x".repeat(at / 2 - 1480)}`;
      expect(serialiseForSummary([{ role: "user", content: reversed }])).not.toContain("s3cr3t");
    }
  });

  it("shows no part of a secret after other redactions shortened the text", () => {
    const text = `${`${secret} `.repeat(2000)}end`;
    for (let cut = 0; cut < 200; cut += 11) {
      const [start, end] = redactEnds("y".repeat(cut) + text, 4000, 1500) as [string, string];
      expect(start + end).not.toContain("s3cr3t");
    }
  });

  it("shows nothing of a private key, however long", () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${"KEYS".repeat(20_000)}\n`;
    expect(serialiseForSummary([{ role: "user", content: `a ${key}` }])).toBe("[USER]: a [REDACTED]");
    const closed = `${key}-----END PRIVATE KEY-----\n${"words ".repeat(20_000)}`;
    expect(serialiseForSummary([{ role: "user", content: closed }])).not.toContain("KEYS");
  });
});
