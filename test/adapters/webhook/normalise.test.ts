import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type HookSettings, hookOf, messageOf, readCall } from "../../../src/adapters/webhook/normalise.js";
import { fillTemplate } from "../../../src/adapters/webhook/template.js";
import { targetOf } from "../../../src/message.js";
import { sessionKey } from "../../../src/sessions/key.js";

const NOW = 1_800_000_000;
const settings: HookSettings = {
  name: "deploy",
  style: "github",
  idHeader: null,
  uniqueBody: false,
  toleranceSeconds: 300,
  events: [],
  prompt: null,
};

function read(
  body: unknown,
  headers: Record<string, string> = {},
  more: Partial<HookSettings> = {},
  now = NOW,
) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readCall({ headers: new Headers(headers), body: Buffer.from(text) }, { ...settings, ...more }, now);
}

function idOf(...call: Parameters<typeof read>): string {
  const found = read(...call);
  if (!("delivery" in found)) throw new Error(JSON.stringify(found));
  return found.delivery.id;
}

describe("a delivery", () => {
  it("has its sender's id", () => {
    expect(idOf({}, { "X-GitHub-Delivery": "abc" })).toBe("abc");
    expect(idOf({ id: "evt_1" }, { "X-GitHub-Delivery": "abc" }, { style: "stripe" })).toBe("evt_1");
    expect(idOf({}, { "X-Webhook-Id": "w1" }, { style: "token" })).toBe("w1");
    expect(idOf({}, { "X-Run": "7", "X-Webhook-Id": "w1" }, { style: "hmac", idHeader: "X-Run" })).toBe("7");
  });

  it("is identified by its body otherwise, for a while", () => {
    const first = read({ a: 1 }, {}, { style: "token" });
    expect(first).toEqual(read({ a: 1 }, {}, { style: "token" }, NOW + 10));
    expect(idOf({ a: 2 }, {}, { style: "token" })).not.toBe(idOf({ a: 1 }, {}, { style: "token" }));
    const later = read({ a: 1 }, {}, { style: "token" }, NOW + 300);
    expect(later).toMatchObject({ delivery: { earlier: "delivery" in first && first.delivery.id } });
  });

  it("is identified by its body only where ids aren't trusted", () => {
    const only = { uniqueBody: true };
    expect(idOf({ a: 1 }, { "X-GitHub-Delivery": "abc" }, only)).toBe(
      idOf({ a: 1 }, { "X-GitHub-Delivery": "other" }, only, NOW * 2),
    );
  });

  it.each(["with space", "x".repeat(201), "\u00e4"])("ignores an invalid id: %j", (id) => {
    expect(idOf({}, { "X-GitHub-Delivery": id })).toMatch(/^[0-9a-f]{32}-\d+$/);
  });

  it("has a session of its own under Hermes' key", () => {
    const found = read({}, { "X-GitHub-Delivery": "abc" });
    if (!("delivery" in found)) throw new Error("not read");
    const message = messageOf(found, settings, undefined, NOW);
    const isolation = { groupSessionsPerUser: true, threadSessionsPerUser: false };
    expect(sessionKey(message.origin, isolation)).toBe(
      "agent:main:webhook:webhook:webhook:deploy:abc:webhook:deploy",
    );
    expect(hookOf(targetOf(message))).toEqual({ name: "deploy", delivery: "abc" });
  });
});

describe("a call", () => {
  it("needs a JSON object or list", () => {
    expect(read("not json")).toHaveProperty("fault");
    expect(read("5")).toHaveProperty("fault");
    expect(read("")).toHaveProperty("fault");
    expect(read([1])).toHaveProperty("delivery");
  });

  it("is ignored when its event isn't wanted", () => {
    const events = { events: ["push"] };
    expect(read({}, { "X-GitHub-Event": "star" }, events)).toEqual({ ignored: "star" });
    expect(read({}, { "X-GitHub-Event": "push" }, events)).toHaveProperty("delivery");
    expect(read({ type: "push" }, {}, { ...events, style: "stripe" })).toHaveProperty("delivery");
  });
});

describe("a template", () => {
  const body = { repo: { name: "x/y" }, commits: [{ message: "one" }], ok: true, n: 0, none: null };

  it("takes values by their path", () => {
    expect(fillTemplate("{{repo.name}} {{ commits.0.message }} {{ok}} {{n}}", body, {})).toBe(
      "x/y one true 0",
    );
    expect(fillTemplate("[{{none}}{{absent.deep}}]", body, {})).toBe("[]");
    expect(JSON.parse(fillTemplate("{{repo}}", body, {}))).toEqual(body.repo);
    expect(JSON.parse(fillTemplate("{{@body}}", body, {}))).toEqual(body);
    expect(fillTemplate("{{@event}}{{@other}}", body, { event: "push" })).toBe("push");
  });

  it("doesn't expand templates within values", () => {
    expect(fillTemplate("{{a}}", { a: "{{b}}", b: "secret" }, {})).toBe("{{b}}");
    for (const path of ["constructor", "repo.__proto__", "repo.name.length", "toString"])
      expect(fillTemplate(`{{${path}}}`, body, {})).toBe("");
  });

  it("gives a text of bounded length for any body", () => {
    fc.assert(
      fc.property(fc.json(), fc.string(), (json, template) => {
        expect(fillTemplate(template, JSON.parse(json), {}).length).toBeLessThanOrEqual(100_000);
      }),
    );
    const filled = fillTemplate("{{a}}", { a: "x".repeat(50_000) }, {});
    expect(filled).toHaveLength(20_000);
    expect(filled).toMatch(/x… \[truncated: the value had 50000 characters\]$/);
  });
});
