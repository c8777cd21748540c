import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { closedAddress } from "../support/closed-address.js";
import { hermes, hermesJson, runHermes, temporaryFolder } from "./support/run.js";

async function homeWithService(status: number, body: object): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const home = temporaryFolder();
  const { port } = server.address() as AddressInfo;
  fs.writeFileSync(
    path.join(home, "config.yaml"),
    `model: {provider: openai-compatible, base_url: "http://127.0.0.1:${port}/v1/", default: llama}\n`,
  );
  return home;
}

describe("hermes models", () => {
  it("lists what the service has, with a mark at the current one", async () => {
    const home = await homeWithService(200, { data: [{ id: "qwen" }, { id: "llama" }, { id: 5 }] });
    expect(await hermes(home, "models")).toBe("* llama\n  qwen\n");
    expect(await hermesJson(home, "models")).toMatchObject({ current: "llama", models: ["llama", "qwen"] });
  });

  it("explains what to do if the key is rejected or nothing is configured", async () => {
    const rejected = await runHermes(await homeWithService(401, {}), ["models"]);
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining("Set HERMES_MODEL_API_KEY") });
    const closed = temporaryFolder();
    fs.writeFileSync(
      path.join(closed, "config.yaml"),
      `model: {provider: openai-compatible, base_url: "${await closedAddress()}", default: llama}\n`,
    );
    const unreachable = await runHermes(closed, ["models"]);
    expect(unreachable.stderr).toContain("can't be reached: nothing listens there (ECONNREFUSED).");
    const echo = await runHermes(temporaryFolder(), ["models"]);
    expect(echo).toMatchObject({ code: 1, stderr: expect.stringContaining("hermes setup") });
  });
});
