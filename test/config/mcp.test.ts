import { expect, test } from "vitest";
import { maskSecrets } from "../../src/config/mask.js";
import { secretsOf } from "../../src/startup/secrets.js";
import { faultsOf, load } from "./temp-home.js";

test("reads MCP servers in Hermes' form, with both forms of variables", () => {
  const { config, ignored } = load({
    yaml: [
      "mcp_servers:",
      `  near: {command: npx, args: [-y, thing], env: {PORT: 8080, API_KEY: '\${env:MY_KEY}'}, trust: nonsense}`,
      `  far: {url: 'https://example.org/mcp', headers: {Authorization: 'Bearer \${MY_KEY}'}, allow: owner}`,
      "  old: {url: 'https://example.org/sse', transport: sse, sampling: {enabled: true}, auth: oauth, oauth: {client_secret: s-123456, flow: browser}}",
    ].join("\n"),
    env: { MY_KEY: "k-123456" },
  });
  const { near, far, old } = config.mcp_servers;
  expect(old).toMatchObject({ auth: "oauth", oauth: { client_id: null, client_secret: "s-123456" } });
  expect(near).toMatchObject({
    ...{ env: { PORT: "8080", API_KEY: "k-123456" }, trust: "untrusted", timeout: 300, connect_timeout: 60 },
    ...{ allow: null, tools: { include: null, exclude: [], resources: true, prompts: true }, enabled: true },
  });
  expect(far).toMatchObject({
    headers: { Authorization: "Bearer k-123456" },
    trust: "full",
    allow: ["owner"],
  });
  const unused = ["transport", "sampling", "oauth.flow"].map((key) => `mcp_servers.old.${key}`);
  expect(ignored.map(({ path }) => path)).toEqual(unused);
  expect(secretsOf(config)).toEqual(expect.arrayContaining(["k-123456", "Bearer k-123456", "s-123456"]));
  const shown = JSON.stringify(maskSecrets(config));
  expect(shown).not.toContain("k-123456");
  expect(shown).toContain("8080");
});

test("rejects servers that can't work", () => {
  const faults = faultsOf({
    yaml: "mcp_servers:\n  a: {}\n  b: {command: x, url: 'http://y'}\n  c-d: {command: x}\n  c_d: {command: x}\n  off: {enabled: false}\n  e: {command: x, comand: y}\n",
  });
  const text = JSON.stringify(faults);
  for (const words of ["neither a command nor a url", "keep one of them", "the same names", "comand"])
    expect(text).toContain(words);
  expect(text).not.toContain("mcp_servers.off");
});
