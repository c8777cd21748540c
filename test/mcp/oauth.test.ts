import { EventEmitter } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { run } from "../../src/cli/run.js";
import { logIn } from "../../src/mcp/login.js";
import { storedLogins } from "../../src/mcp/token-files.js";
import { SecretRedactor } from "../../src/secrets/redactor.js";
import { homeSecrets } from "../../src/startup/secrets.js";
import { runHermes } from "../cli/support/run.js";
import { passedOn } from "../support/passed-on.js";
import { tempDir } from "../support/temp.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";
import { startChats } from "./support/chats.js";
import { OAuthServer } from "./support/oauth-server.js";
import { rig, serversOf } from "./support/servers.js";

const { signal } = new AbortController();

async function scene() {
  const server = await OAuthServer.start();
  const home = tempDir();
  const locked = { url: server.url, auth: "oauth" };
  const settings = serversOf({ locked }).locked!;
  const login = (show: (address: URL) => void) => logIn({ server: "locked", settings, home, show }, signal);
  return { server, home, locked, login };
}

/** A browser that follows the redirects. */
const visit = (address: URL) => void fetch(address);

describe("a server that wants a login", () => {
  it("fails until a person has logged in, then works, and its login is renewed", async () => {
    const { server, home, locked, login } = await scene();
    const found = rig({ locked }, { home });
    found.mcp.start();
    await until("it fails", () => found.state("locked")?.state === "failing");
    expect(found.state("locked")?.detail).toContain("run `hermes mcp login locked`");
    expect(server.registrations).toBe(0);

    expect(await login(visit)).toBe(1);
    const file = path.join(home, "mcp-tokens", "locked.json");
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    await found.ready("locked");
    expect(await found.call("look")).toContain("seen");

    const before = server.seen.at(-1);
    server.expire();
    expect(await found.call("look")).toContain("seen");
    expect(server.seen.at(-1)).not.toBe(before);
    expect(fs.readFileSync(file, "utf8")).toContain(server.seen.at(-1));

    server.expire(true);
    await expect(found.call("look")).rejects.toThrow("run `hermes mcp login locked`");
    expect(server.registrations).toBe(1);
  });

  it("takes the answer from the right page only, and reports a refusal", async () => {
    const { server, login } = await scene();
    server.refusal = "access_denied";
    const shown = login((address) => {
      const back = new URL(address.searchParams.get("redirect_uri")!);
      back.searchParams.set("code", "stolen");
      back.searchParams.set("state", "other");
      void fetch(back).then(({ status }) => status === 404 && visit(address));
    });
    await expect(shown).rejects.toThrow("the server refused the login: access_denied");
  });
});

/** Runs the command, with a browser that opens what it prints. */
async function loggedIn(home: string): Promise<number> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdout.resume();
  let printed = "";
  stderr.on("data", (chunk) => {
    const isNew = !printed.includes("\n\nIf");
    printed += String(chunk);
    if (isNew && printed.includes("\n\nIf")) visit(new URL(/^http\S+$/m.exec(printed)![0]));
  });
  const env = { ...passedOn(), HOME: home, HERMES_HOME: home };
  const signals = new EventEmitter();
  return run(["mcp", "login", "locked"], {
    ...{ stdin, stdout, stderr, env, cwd: home, signals },
    exit: () => undefined,
  });
}

it("hermes mcp login, test and logout", async () => {
  const { server, home } = await scene();
  const yaml = `mcp_servers:\n  locked: {url: "${server.url}", auth: oauth}\n  open: {url: "${server.url}"}\n`;
  fs.writeFileSync(path.join(home, "config.yaml"), yaml);
  const test = () => runHermes(home, ["mcp", "test", "locked", "--json"]);
  expect((await test()).stdout).toContain("hermes mcp login locked");
  const wrong = await runHermes(home, ["mcp", "login", "open"]);
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("auth: oauth") });

  const { stderr } = await runHermes(home, ["mcp", "login", "locked"], "https://example.org/?code=1\n");
  const address = /^http\S+$/m.exec(stderr)![0];
  expect(new URL(address).searchParams.get("code_challenge_method")).toBe("S256");
  expect(stderr).toContain("belongs to another login");

  expect((await test()).code).toBe(1);
  expect(await loggedIn(home)).toBe(0);
  expect((await test()).stdout).toContain("mcp__locked__look");
  const out = await runHermes(home, ["mcp", "logout", "locked", "--json"]);
  expect(JSON.parse(out.stdout)).toEqual({ ok: true, name: "locked", logged_in: true });
  expect((await test()).code).toBe(1);
});

it("tokens of a login reach neither the agent nor a chat, also after they are renewed", async () => {
  const { server, home, login } = await scene();
  fs.writeFileSync(
    path.join(home, "config.yaml"),
    `mcp_servers:\n  locked: {url: "${server.url}", auth: oauth}\n`,
    { mode: 0o600 },
  );
  await login(visit);
  const chats = await startChats(home);
  const look = async () => {
    const before = chats.adapter.sent.length;
    await chats.adapter.say(inDm("ann"), "!tool mcp__locked__look");
    await until("an answer", () => chats.adapter.sent.length > before);
    return chats.adapter.sent[before]!.text;
  };
  expect(await look()).toContain("seen [REDACTED] [REDACTED].");
  server.expire();
  expect(await look()).toContain("seen [REDACTED] [REDACTED] [REDACTED] [REDACTED].");
  expect(server.issued).toHaveLength(4);
  const stored = await chats.running.store.searchMessages("seen");
  expect(stored.hits.length).toBeGreaterThan(0);
  for (const token of server.issued) expect(JSON.stringify(stored.hits)).not.toContain(token);

  const known = new SecretRedactor(homeSecrets(home, chats.running.config, {}));
  const [access, refresh] = server.issued.slice(-2);
  expect(known.redact(`${access} ${refresh}`)).toBe("[REDACTED] [REDACTED]");
});

it("a file of tokens that isn't JSON doesn't keep the other logins from being redacted", () => {
  const home = tempDir();
  fs.mkdirSync(path.join(home, "mcp-tokens"));
  fs.writeFileSync(path.join(home, "mcp-tokens", "broken.json"), "{");
  fs.writeFileSync(path.join(home, "mcp-tokens", "empty.json"), "null");
  fs.writeFileSync(
    path.join(home, "mcp-tokens", "one.client.json"),
    JSON.stringify({ client_id: "public-client", client_secret: "client-secret-1" }),
  );
  expect(storedLogins(home)).toEqual([
    { name: "mcp-tokens/one.client.json client_secret", value: "client-secret-1" },
  ]);
});
