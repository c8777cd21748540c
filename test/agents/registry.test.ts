import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createAuxiliary, endpointOf } from "../../src/agents/auxiliary.js";
import { createAgents } from "../../src/agents/registry.js";
import { refuses, says } from "../emulators/model-server.js";
import { tempDir } from "../support/temp.js";
import { configWith, runTurn, serverModel, startServer, turn } from "./support.js";

const prompt = { system: "Be brief.", prompt: "Say something.", maxTokens: 50, temperature: 0.3 };
const never = new AbortController().signal;
const fast = { firstDelayMs: 1 };

describe("the main agent", () => {
  it("is the echo agent without configuration", () => {
    expect(createAgents(configWith({})).main.name).toBe("echo");
  });

  it("is the configured model with its known context length", () => {
    const model = { provider: "anthropic", default: "claude-sonnet-4-5" };
    expect(createAgents(configWith({ model })).main).toMatchObject({
      name: "anthropic",
      model: "claude-sonnet-4-5",
      contextLength: 200_000,
    });
    const larger = { ...model, context_length: 1_000_000 };
    expect(createAgents(configWith({ model: larger })).main.contextLength).toBe(1_000_000);
  });

  it("answers", async () => {
    const server = await startServer();
    const { main } = createAgents(configWith({ model: serverModel(server) }));
    expect((await runTurn(main, turn("hi"))).at(-1)).toEqual({ type: "done" });
  });

  it("loads no SDK for the echo agent", () => {
    // A copy of the program where no package can be found but the small estimator.
    const folder = tempDir();
    fs.cpSync("dist", path.join(folder, "dist"), { recursive: true });
    fs.cpSync("node_modules/tokenx", path.join(folder, "node_modules/tokenx"), { recursive: true });
    fs.writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
    const script = `
      import { createAgents } from "./dist/agents/registry.js";
      const config = ${JSON.stringify(configWith({}))};
      const request = ${JSON.stringify(turn("hi"))};
      for await (const event of createAgents(config).main.run(request, new AbortController().signal))
        if (event.type === "done") console.log("answered");`;
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: folder });
    expect(String(output)).toBe("answered\n");
  });
});

describe("auxiliary models", () => {
  it("are missing if the main agent is the echo agent", async () => {
    const auxiliary = createAuxiliary(configWith({}));
    expect(await auxiliary.complete("compression", prompt, never)).toBeUndefined();
  });

  it("default to the main model", async () => {
    const server = await startServer();
    server.script(says("some", "thing"));
    const auxiliary = createAuxiliary(configWith({ model: serverModel(server) }));
    expect(await auxiliary.complete("title_generation", prompt, never)).toBe("something");
    expect((await server.received(1)).body).toMatchObject({ model: "m-1", max_tokens: 50, temperature: 0.3 });
  });

  it("can have their own model, URL and key per task", async () => {
    const [server, other] = [await startServer(), await startServer()];
    const task = { model: "small", base_url: other.url, api_key: "other" };
    const settings = { model: serverModel(server), auxiliary: { title_generation: task } };
    const auxiliary = createAuxiliary(configWith(settings));
    await auxiliary.complete("title_generation", prompt, never);
    await auxiliary.complete("compression", prompt, never);
    expect(other.requests[0]).toMatchObject({
      body: { model: "small" },
      headers: { authorization: "Bearer other" },
    });
    expect(server.requests[0]?.body.model).toBe("m-1");
  });

  it("work beside the echo agent", async () => {
    const server = await startServer();
    const auxiliary = createAuxiliary(
      configWith({ auxiliary: { compression: { model: "small", base_url: server.url } } }),
    );
    expect(await auxiliary.complete("compression", prompt, never)).toBe("Say something.");
  });

  it("fall back to the main model", async () => {
    const [server, other] = [await startServer(), await startServer()];
    other.script(refuses(401, "no"));
    const settings = { model: serverModel(server), auxiliary: { compression: { base_url: other.url } } };
    expect(await createAuxiliary(configWith(settings), fast).complete("compression", prompt, never)).toBe(
      "Say something.",
    );
    expect(server.requests).toHaveLength(1);
  });

  it("give up after the task's own timeout", async () => {
    const server = await startServer();
    server.script({ ...says("x"), stallAfter: 0 });
    const settings = { model: serverModel(server), auxiliary: { compression: { timeout: 0.05 } } };
    await expect(
      createAuxiliary(configWith(settings)).complete("compression", prompt, never),
    ).rejects.toThrow();
    await server.left(1);
  });

  it("never reuse a URL or key for another provider", () => {
    const { model, auxiliary } = configWith({
      model: { provider: "openai-compatible", default: "m", base_url: "https://a.example/v1", api_key: "k" },
      auxiliary: { compression: { provider: "anthropic", model: "claude-haiku" } },
    });
    expect(endpointOf(auxiliary.compression, model)).toMatchObject({
      provider: "anthropic",
      default: "claude-haiku",
      base_url: null,
      api_key: null,
    });
  });
});
