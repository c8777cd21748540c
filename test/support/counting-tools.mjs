import { startGateway } from "../../dist/index.js";

/**
 * `counting-tools.mjs gateway --port N`: the gateway as a program embeds it, with two tools whose effects are counted on the
 * server at COUNT_URL: `note` may be repeated, `post` never is.
 */
const { COUNT_URL } = process.env;

const counting = (name, repeat) => ({
  ...{ name, repeat, toolset: "counting", effect: "write", description: `counts a ${name}` },
  parameters: { type: "object", properties: { token: { type: "string" }, call: { type: "number" } } },
  allow: ["paired"],
  run: async (args, { idempotencyKey, signal }) => {
    const body = JSON.stringify({ tool: name, key: idempotencyKey, ...args });
    const response = await fetch(COUNT_URL, { method: "POST", body, signal });
    return response.text();
  },
});

const port = process.argv[process.argv.indexOf("--port") + 1];
const running = await startGateway({
  flags: { "http.port": port },
  tools: [counting("note", "safe"), counting("post", "never")],
});
process.stdout.write(`Hermes Gateway is running: ${running.url}\n`);
process.once("SIGTERM", () => void running.stop());
