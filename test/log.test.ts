import { spawnSync } from "node:child_process";
import fs, { closeSync, openSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { configSchema } from "../src/config/schema.js";
import { HermesError } from "../src/errors.js";
import { createLog, type LogOptions } from "../src/log.js";
import { TokenFiles } from "../src/mcp/token-files.js";
import { homeSecrets } from "../src/startup/secrets.js";
import { tempDir } from "./support/temp.js";

async function logInto(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = await createLog({ level: "debug", pretty: false, destination, ...options });
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

describe("a log line", () => {
  it("is one JSON object with its fields, a named level and an ISO time", async () => {
    const { log, lines, last } = await logInto();
    log
      .child({ sessionKey: "agent:main:telegram:dm:1", turnId: "t1" })
      .info({ messageId: "42" }, "turn\nfinished");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(last()).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      sessionKey: "agent:main:telegram:dm:1",
      turnId: "t1",
      messageId: "42",
      msg: "turn\nfinished",
    });
  });

  it("is skipped below the level", async () => {
    const { log, lines } = await logInto({ level: "warn" });
    log.info("no");
    log.warn("yes");
    expect(lines).toHaveLength(1);
  });
});

const TELEGRAM = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const SLACK = "xoxb-12345678901-abcdefghij";
const OPENAI = "sk-proj-abcDEF1234567890";
// Concatenated, so secret scanners don't report it.
const DISCORD = ["MTk4NjIyNDgzNDcxOTI1MjQ4", "Cl2FMQ", "ZnCjm1XVW7vRze4b7Cq4se7kKWs"].join(".");

describe("the log never contains", () => {
  it.each([
    ["a Telegram token in an address", `GET https://api.telegram.org/bot${TELEGRAM}/getMe failed`, TELEGRAM],
    ["a Slack token", `invalid_auth for ${SLACK}`, SLACK],
    ["a model's key", `Incorrect API key provided: ${OPENAI}.`, OPENAI],
    ["a Discord token", `login with ${DISCORD}`, DISCORD],
    ["a bearer token", "authorization was Bearer abc.def-123", "abc.def-123"],
    ["a password in an address", "postgres://hermes:hunter2@db/x", "hunter2"],
  ])("%s, in a message, a field or an error", async (_, sentence, secret) => {
    const { log, lines } = await logInto();
    log.info(sentence);
    log.info({ url: sentence, deep: { list: [sentence] } }, "x");
    log.error({ err: new Error(sentence, { cause: new Error(sentence) }) }, "x");
    log.child({ where: sentence }).info("x");
    expect(lines).toHaveLength(4);
    expect(lines.join("")).not.toContain(secret);
    expect(lines.join("")).toContain("[redacted]");
  });

  it("a login to an MCP server: stored, learned later, or just issued", async () => {
    const home = tempDir();
    fs.mkdirSync(path.join(home, "mcp-tokens"));
    fs.writeFileSync(
      path.join(home, "mcp-tokens", "one.json"),
      JSON.stringify({ access_token: "stored-login-1", refresh_token: "stored-login-2" }),
    );
    const known = homeSecrets(home, configSchema.parse({}), {});
    const { log, lines } = await logInto({ known });
    const files = new TokenFiles(home, "two", (learned) => known.add(learned));
    await files.saveTokens({ access_token: "learned-login-1", token_type: "bearer" });
    const text = "with stored-login-1, stored-login-2 and learned-login-1";
    log.warn({ err: new Error(text), deep: { list: [text] } }, text);
    const answer = { access_token: "fresh-1", refresh_token: "fresh-2", id_token: "fresh-3" };
    log.warn({ a: { b: { c: { d: { answer, client_secret: "fresh-4" } } } } }, "a login");
    expect(lines.join("")).not.toMatch(/(?:stored|learned)-login|fresh-/);
    expect(lines[1]).toContain('"access_token":"[redacted]"');
  });

  it("a configured secret of any form", async () => {
    const { log, lines } = await logInto({ secrets: ['local "key"', "short"] });
    log.info({ header: 'x local "key" y' }, "a short word");
    expect(lines[0]).not.toContain("key");
    expect(lines[0]).toContain("a short word");
  });

  it("fields named like secrets, and text written by people, at any depth", async () => {
    const { log, lines } = await logInto();
    const message = { text: "PRIVATE", quoted: { text: "PRIVATE" }, content: [{ text: "PRIVATE" }] };
    log.info({ ...message, token: "PRIVATE" }, "x");
    log.info({ a: { b: { c: { d: { ...message, api_key: "PRIVATE" } } } } }, "x");
    log.info({ event: { message, password: "PRIVATE" } }, "x");
    expect(lines.join("")).not.toContain("PRIVATE");
  });

  it("the request attached to an SDK's error", async () => {
    const { log, lines, last } = await logInto();
    const error = Object.assign(new HermesError("unavailable", "The model said no.", { hint: "Wait." }), {
      requestBodyValues: { messages: [{ role: "user", words: "PRIVATE" }] },
    });
    log.warn({ err: error }, "turn failed");
    expect(lines[0]).not.toContain("PRIVATE");
    expect(last().err).toMatchObject({ type: "HermesError", code: "unavailable", hint: "Wait." });
  });

  it("redactions of ordinary words, counts and keys", async () => {
    const { log, last } = await logInto();
    const fields = {
      task: "task-force-one",
      sessionKey: "agent:main:slack:group:C1:1712345678.000100",
      messages: 12,
      input_tokens: 5,
    };
    log.info(fields, "risk-averse");
    expect(last()).toMatchObject({ ...fields, msg: "risk-averse" });
  });
});

describe("on a terminal", () => {
  it("lines are readable, in order, without secrets, and written before the process dies", () => {
    const script = `
      import { createLog } from ${JSON.stringify(new URL("../dist/log.js", import.meta.url).href)};
      const log = await createLog({ level: "info", pretty: true });
      log.info({ sessionKey: "k1" }, "first of ${TELEGRAM}");
      log.warn("second");
      process.kill(process.pid, "SIGKILL");`;
    const { stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(stderr).toMatch(
      /^\[\d\d:\d\d:\d\d\] INFO: first of \[redacted\] \{"sessionKey":"k1"\}\n.*WARN: second\n$/,
    );
  });
});

describe("a full disk", () => {
  it.each([false, true])("doesn't stop the program: pretty %s", (pretty) => {
    const script = `
      import { createLog } from ${JSON.stringify(new URL("../dist/log.js", import.meta.url).href)};
      const log = await createLog({ level: "info", pretty: ${pretty} });
      for (let i = 0; i < 5000; i++) log.info({ filler: "x".repeat(500) }, "a line");
      console.log("at work");`;
    const full = openSync("/dev/full", "w");
    const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", full],
    });
    closeSync(full);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "at work\n" });
  });
});
