import { describe, expect, it } from "vitest";
import { createAuxiliary } from "../../src/agents/auxiliary.js";
import { summarise } from "../../src/agents/summariser.js";
import { fallbackSummary, serialiseForSummary } from "../../src/policies/compression.js";
import { refuses, says } from "../emulators/model-server.js";
import { configWith, serverModel, startServer } from "./support.js";

const rules = { serialise: serialiseForSummary, fallback: fallbackSummary };
const never = new AbortController().signal;
const middle = [
  { role: "user", content: "Use port 8080. My password=hunter2secret" },
  { role: "assistant", content: "Port 8080 it is." },
];

describe("a summary", () => {
  it("is written by the model under fixed headings", async () => {
    const server = await startServer();
    server.script(says("## Goal\n", "A port."));
    const auxiliary = createAuxiliary(configWith({ model: serverModel(server) }));
    const summary = await summarise(auxiliary, rules, { middle, budgetTokens: 2000 }, never);
    expect(summary).toEqual({ text: "## Goal\nA port.", source: "model" });

    const { body } = await server.received(1);
    const prompt = String(body.messages.at(-1)?.content);
    expect(body.max_tokens).toBe(2600);
    expect(prompt).toContain("Port 8080 it is.");
    expect(prompt).not.toContain("hunter2secret");
    const headings = ["Goal", "Constraints and preferences", "Done", "In progress", "Decisions"];
    for (const heading of [...headings, "Files and commands", "Open questions", "Next steps"]) {
      expect(prompt).toContain(`## ${heading}`);
    }
  });

  it("updates an earlier one, with a focus", async () => {
    const server = await startServer();
    const auxiliary = createAuxiliary(configWith({ model: serverModel(server) }));
    const request = { middle, previousSummary: "They chose a host.", focus: "the port", budgetTokens: 2000 };
    await summarise(auxiliary, rules, request, never);
    const prompt = String((await server.received(1)).body.messages.at(-1)?.content);
    expect(prompt).toContain("<notes>\nThey chose a host.\n</notes>");
    expect(prompt).toContain("Above all keep everything about: the port");
  });

  it("falls back to a plain one without a model, and keeps earlier facts", async () => {
    const auxiliary = createAuxiliary(configWith({}));
    const plain = await summarise(auxiliary, rules, { middle, budgetTokens: 2000 }, never);
    expect(plain).toEqual({ text: fallbackSummary(middle), source: "fallback" });
    const request = { middle, previousSummary: "They chose a host.", budgetTokens: 2000 };
    const later = await summarise(auxiliary, rules, request, never);
    expect(later.text).toBe(`They chose a host.\n\n${fallbackSummary(middle)}`);
  });

  it("falls back to a plain one if the model fails, with the reason", async () => {
    const server = await startServer();
    server.script(refuses(401, "bad key"));
    const auxiliary = createAuxiliary(configWith({ model: serverModel(server) }));
    const summary = await summarise(auxiliary, rules, { middle, budgetTokens: 2000 }, never);
    expect(summary).toMatchObject({ text: fallbackSummary(middle), source: "fallback" });
    expect(summary.error).toContain("bad key");
  });

  it("falls back to a plain one if the model is too slow", async () => {
    const server = await startServer();
    server.script({ ...says("x"), stallAfter: 0 });
    const settings = { model: serverModel(server), auxiliary: { compression: { timeout: 0.05 } } };
    const auxiliary = createAuxiliary(configWith(settings));
    const summary = await summarise(auxiliary, rules, { middle, budgetTokens: 2000 }, never);
    expect(summary.source).toBe("fallback");
  });

  it("is skipped after an abort", async () => {
    const server = await startServer();
    server.script({ ...says("x"), stallAfter: 0 });
    const auxiliary = createAuxiliary(configWith({ model: serverModel(server) }));
    const stop = new AbortController();
    const running = summarise(auxiliary, rules, { middle, budgetTokens: 2000 }, stop.signal);
    const stopped = expect(running).rejects.toThrow();
    await server.received(1);
    stop.abort();
    await stopped;
  });
});
