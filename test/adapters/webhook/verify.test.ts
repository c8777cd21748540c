import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Proof, refusalOf } from "../../../src/adapters/webhook/verify.js";

const SECRET = "shared secret";
const NOW = 1_800_000_000;
const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("hex");

function verdict(proof: Partial<Proof>, headers: Record<string, string>, body = '{"a":1}') {
  const whole: Proof = { style: "github", secret: SECRET, header: null, toleranceSeconds: 300, ...proof };
  return refusalOf({ headers: new Headers(headers), body: Buffer.from(body) }, whole, NOW);
}

describe("a call signed like GitHub's", () => {
  it("is accepted with the right signature only", () => {
    const right = `sha256=${hmac(SECRET, '{"a":1}')}`;
    expect(verdict({}, { "X-Hub-Signature-256": right })).toBeUndefined();
    expect(verdict({}, { "X-Hub-Signature-256": right }, '{"a":2}')).toBe("wrong_signature");
    expect(verdict({}, { "X-Hub-Signature-256": `sha256=${hmac("other", '{"a":1}')}` })).toBe(
      "wrong_signature",
    );
    expect(verdict({}, { "X-Hub-Signature-256": "" })).toBe("unsigned");
    expect(verdict({}, { "X-Hub-Signature": right })).toBe("unsigned");
  });

  it("is accepted for any body with its own signature only", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), fc.string(), (secret, body, other) => {
        const header = { "x-hub-signature-256": `sha256=${hmac(secret, body)}` };
        expect(verdict({ secret }, header, body)).toBeUndefined();
        if (other !== body) expect(verdict({ secret }, header, other)).toBe("wrong_signature");
      }),
    );
  });
});

describe("a call signed like Stripe's", () => {
  const signed = (at: number, secret = SECRET) => `t=${at},v1=${hmac(secret, `${at}.{"a":1}`)}`;
  const stripe = (header: string) => verdict({ style: "stripe" }, { "Stripe-Signature": header });

  it("is accepted within its time", () => {
    expect(stripe(signed(NOW))).toBeUndefined();
    expect(stripe(signed(NOW - 300))).toBeUndefined();
    expect(stripe(signed(NOW - 301))).toBe("too_old");
    expect(stripe(signed(NOW + 301))).toBe("too_old");
  });

  it("can't get a newer time", () => {
    expect(stripe(signed(NOW - 999).replace(/t=\d+/, `t=${NOW}`))).toBe("wrong_signature");
  });

  it("may have a second signature during a rotation", () => {
    expect(stripe(`${signed(NOW, "old")},v1=${signed(NOW).split("v1=")[1]}`)).toBeUndefined();
  });

  it.each(["", "v1=abc", "t=,v1=abc", "t=x,v1=abc", "nonsense", `t=${NOW}`])(
    "is refused with %j",
    (header) => {
      expect(stripe(header)).toMatch(/unsigned|wrong_signature/);
    },
  );
});

describe("a call with an HMAC or a token", () => {
  it("accepts an HMAC in a configured header", () => {
    const proof = { style: "hmac", header: "X-Gitea-Signature" } as const;
    expect(verdict(proof, { "X-Gitea-Signature": hmac(SECRET, '{"a":1}').toUpperCase() })).toBeUndefined();
    expect(verdict(proof, { "X-Signature-256": hmac(SECRET, '{"a":1}') })).toBe("unsigned");
    expect(
      verdict({ style: "hmac" }, { "X-Signature-256": `sha256=${hmac(SECRET, '{"a":1}')}` }),
    ).toBeUndefined();
  });

  it("accepts the secret itself, as a Bearer token or in a header", () => {
    expect(verdict({ style: "token" }, { Authorization: `Bearer ${SECRET}` })).toBeUndefined();
    expect(verdict({ style: "token" }, { Authorization: SECRET })).toBe("unsigned");
    expect(verdict({ style: "token" }, { Authorization: `Bearer ${SECRET}x` })).toBe("wrong_signature");
    expect(verdict({ style: "token", header: "X-Token" }, { "X-Token": SECRET })).toBeUndefined();
    expect(verdict({ style: "token", header: "X-Token" }, {})).toBe("unsigned");
  });
});
