import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { ask } from "../http/support/request.js";
import { Daemon } from "../support/daemon.js";
import { PNG } from "../support/pictures.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";

/** Unsolicited messages from the command line and over HTTP, through the real daemon. */

const TOKEN = "a-token-of-some-length";

async function telegramWith(name: string) {
  const telegram = await new TelegramEmulator().start();
  onTestFinished(() => telegram.close());
  const chat = telegram.chats.privateWith(telegram.users.person(name));
  const said = () => telegram.said(chat.id).map(({ text }) => text);
  const yaml = (more = "") => `
allow_all: true
${more}
platforms:
  telegram: {token: "${telegram.token}", api_root: "${telegram.url}"}
`;
  return { telegram, chat, said, yaml, to: `telegram:${chat.id}` };
}

describe("hermes send", { timeout: 60_000 }, () => {
  it("is sent by the running daemon, or by the next one", async () => {
    const { said, yaml, to } = await telegramWith("Ann");
    const daemon = new Daemon({ yaml: yaml() });
    expect((await runHermes(daemon.home, ["send", to, "before"])).stdout).toContain("no gateway is running");
    await daemon.start();
    await until("what was queued arrives", () => said().length === 1);
    const waited = await runHermes(daemon.home, ["send", to, "**while**", "--wait"]);
    expect(waited).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Sent to .*: message \d+\.\n$/) });
    expect(said()).toEqual(["before", "while"]);
    const refused = await runHermes(daemon.home, ["send", "telegram:999999", "nobody", "--wait"]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Not sent to telegram:999999"),
    });
  });

  it("sends files: from anywhere by the command, from allowed folders over HTTP", async () => {
    const { telegram, chat, yaml, to } = await telegramWith("Ann");
    const daemon = await new Daemon({ yaml: yaml(`http: {token: "${TOKEN}"}`) }).start();
    const picture = path.join(tempDir(), "cat.png");
    fs.writeFileSync(picture, PNG);
    const sent = await runHermes(daemon.home, ["send", to, "look", "--file", picture, "--wait"]);
    expect(sent).toMatchObject({ code: 0, stderr: "" });
    const files = () => telegram.said(chat.id).flatMap(({ file }) => file ?? []);
    expect(files()).toMatchObject([{ method: "sendPhoto", name: "cat.png", bytes: PNG.length }]);
    const none = await runHermes(daemon.home, ["send", to, "--file", `${picture}.gone`]);
    expect(none).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cat.png.gone can't be sent: the file doesn't exist"),
    });
    const secret = await runHermes(daemon.home, ["send", to, "--file", daemon.file("config.yaml")]);
    expect(secret.code).toBe(1);

    const post = (file: string) =>
      ask(`${daemon.url}/api/send`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({ to, files: [file], wait: 30 }),
      });
    expect(await post(picture)).toMatchObject({
      status: 400,
      text: expect.stringContaining("outside the allowed folders"),
    });
    fs.mkdirSync(daemon.file("media/out"), { recursive: true });
    fs.copyFileSync(picture, daemon.file("media/out/dog.png"));
    expect(await post("media/out/dog.png")).toMatchObject({ status: 200 });
    expect(files().map(({ name }) => name)).toEqual(["cat.png", "dog.png"]);
  });

  it("arrives once, though the daemon is killed before it is sent", async () => {
    const { said, yaml, to } = await telegramWith("Ann");
    const daemon = new Daemon({ yaml: yaml() });
    await runHermes(daemon.home, ["send", to, "only once"]);
    await daemon.launch({ HERMES_KILL_AT: "before-send" }).ended;
    expect(said()).toEqual([]);
    await daemon.start();
    await until("it arrives", () => said().length > 0);
    expect(said()).toEqual([expect.stringContaining("only once")]);
  });
});

describe("POST /api/send", { timeout: 60_000 }, () => {
  it("accepts a message with the token, once per idempotency key", async () => {
    const { said, yaml, to } = await telegramWith("Ann");
    const daemon = await new Daemon({ yaml: yaml(`http: {token: "${TOKEN}"}`) }).start();
    const post = (body: unknown, headers: Record<string, string> = {}) =>
      ask(`${daemon.url}/api/send`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    expect(await post({ to, text: "x" }, { authorization: "Bearer wrong" })).toMatchObject({ status: 401 });
    expect(await post({ to, text: "x" }, { authorization: "" })).toMatchObject({ status: 401 });
    expect(await post({ to, text: "x" }, { origin: "http://evil.example" })).toMatchObject({ status: 403 });
    const sent = await post({ to, text: "hello", wait: 30 }, { "idempotency-key": "k1" });
    expect(sent.status).toBe(200);
    const receipt = JSON.parse(sent.text) as { id: string };
    expect(receipt).toMatchObject({ state: "sent", to, messageIds: [expect.any(String)] });
    const again = await post({ to, text: "hello" }, { "idempotency-key": "k1" });
    expect(JSON.parse(again.text)).toEqual(receipt);
    const status = await ask(`${daemon.url}/api/send/${receipt.id}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(JSON.parse(status.text)).toEqual(receipt);
    expect(said()).toEqual(["hello"]);

    expect(await post("{")).toMatchObject({ status: 400 });
    expect(await post({ to })).toMatchObject({ status: 400, text: expect.stringContaining("text") });
    expect(await post({ to: "telegram:Nobody", text: "x" })).toMatchObject({ status: 404 });
    expect(await post({ to, text: "x".repeat(200_000) })).toMatchObject({ status: 400 });
  });

  it("is disabled without a token", async () => {
    const { yaml, to } = await telegramWith("Ann");
    const daemon = await new Daemon({ yaml: yaml() }).start();
    const body = JSON.stringify({ to, text: "x" });
    const answer = await ask(`${daemon.url}/api/send`, { method: "POST", body });
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining("http.token") });
  });
});
