import { describe, expect, it } from "vitest";
import { createAuxiliary } from "../../src/agents/auxiliary.js";
import { cleanTitle, makeTitle, titleFromText } from "../../src/agents/titler.js";
import { refuses, says } from "../emulators/model-server.js";
import { configWith, serverModel, startServer } from "./support.js";

const never = new AbortController().signal;

describe("a title from a model", () => {
  it("is requested with the first 500 characters of both sides", async () => {
    const server = await startServer();
    server.script(says('"Title: Fixing the build."'));
    const auxiliary = createAuxiliary(configWith({ model: serverModel(server) }));
    const exchange = { userText: "u".repeat(700), answer: "a".repeat(700) };
    expect(await makeTitle(auxiliary, exchange, never)).toBe("Fixing the build");
    const { body } = await server.received(1);
    expect(body).toMatchObject({ max_tokens: 500, temperature: 0.3 });
    expect(body.messages.at(-1)?.content).toBe(`User: ${"u".repeat(500)}\n\nAssistant: ${"a".repeat(500)}`);
    expect(String(body.messages[0]?.content)).toContain("3 to 7 words");
  });

  it("is undefined if the model fails, and the reason is reported", async () => {
    const server = await startServer();
    server.script(refuses(401, "no"));
    const auxiliary = createAuxiliary(configWith({ model: serverModel(server) }));
    const reasons: string[] = [];
    const failed = (reason: string) => void reasons.push(reason);
    expect(await makeTitle(auxiliary, { userText: "hi", answer: "hello" }, never, failed)).toBeUndefined();
    expect(reasons).toEqual([expect.stringContaining("401")]);
  });

  it.each([
    ["Fixing the build", "Fixing the build"],
    ["“Fixing the build.”", "Fixing the build"],
    ["title: Fixing  the\tbuild", "Fixing the build"],
    ["**Fixing the build**", "Fixing the build"],
    ["# Fixing the build", "Fixing the build"],
    ["To be continued...", "To be continued..."],
    ["<think>hm\nhm</think>\nFixing the build\n\nThis title is short.", "Fixing the build"],
    ["Über die Berge", "Über die Berge"],
    ["  ", undefined],
    ['""', undefined],
  ])("%j becomes %j", (written, title) => {
    expect(cleanTitle(written)).toBe(title);
  });

  it("is cut at 80 characters", () => {
    expect(cleanTitle("x".repeat(80))).toBe("x".repeat(80));
    expect(cleanTitle("x".repeat(81))).toBe(`${"x".repeat(77)}...`);
    expect(cleanTitle("🎉".repeat(300))).toBe(`${"🎉".repeat(77)}...`);
  });
});

describe("a title without a model", () => {
  it("uses the first words", async () => {
    const auxiliary = createAuxiliary(configWith({}));
    const userText = "Please help me with the garden plan for next spring";
    expect(await makeTitle(auxiliary, { userText, answer: "ok" }, never)).toBe(
      "Please help me with the garden",
    );
  });

  it.each([
    ["# Plan\n\n- **water** the _plants_", "Plan water the plants"],
    ["what does `npm ci` do?", "what does npm ci do"],
    ["see [the docs](https://example.org/a) now", "see the docs now"],
    ["```js\nlet a = 1\n```\nwhy does this fail", "why does this fail"],
    ["[Ann] hello there", "hello there"],
    ["rename snake_case_name please", "rename snake_case_name please"],
    ["   ", undefined],
    ["x".repeat(200), `${"x".repeat(77)}...`],
  ])("%j becomes %j", (text, title) => {
    expect(titleFromText(text)).toBe(title);
  });

  it.each(["\n", "![", "> ", "`"])("is fast on a long run of %j", (mark) => {
    expect(titleFromText(`hello there ${mark.repeat(1_000_000)}`)).toMatch(/^hello there/);
  });
});
