import { execFile } from "node:child_process";
import { promisify } from "node:util";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  expectFilesAgree,
  expectNoMessageTwice,
  expectNothingOpen,
  expectOneAnswerPerTurn,
  rows,
} from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { plain } from "../support/gateway.js";
import { until } from "../support/until.js";

/** The real daemon, asked with curl and with the official client, and killed between a request and its answer. */

const KEY = "the-only-key";
const YAML = `session_reset: {mode: none}\nplatforms: {api_server: {api_key: ${KEY}}}`;

async function curl(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("curl", ["-sS", "--max-time", "20", ...args]);
  return stdout;
}

/** An unconfirmed send is retried a second later. */
const openRows = (daemon: Daemon) => rows(daemon.home, "SELECT id FROM gw_outbox WHERE state <> 'sent'");

function client(daemon: Daemon): OpenAI {
  return new OpenAI({ apiKey: KEY, baseURL: `${daemon.url}/v1`, maxRetries: 0 });
}

describe("the daemon's API", () => {
  it("answers curl, whole and as a stream", async () => {
    const daemon = await new Daemon({ yaml: YAML }).start();
    const post = (body: object, ...more: string[]) =>
      curl(
        ...more,
        `${daemon.url}/v1/chat/completions`,
        "-H",
        `Authorization: Bearer ${KEY}`,
        "-H",
        "Content-Type: application/json",
        "-d",
        JSON.stringify(body),
      );
    const messages = [{ role: "user", content: "hello" }];
    const whole = JSON.parse(await post({ model: "hermes", messages }));
    expect(plain(whole.choices[0].message.content)).toBe("hello");
    const events = (await post({ model: "hermes", messages, stream: true }, "-N")).split("\n\n");
    expect(events.at(-2)).toBe("data: [DONE]");
    expect(JSON.parse(await curl(`${daemon.url}/v1/models`)).error.code).toBe("invalid_api_key");
    expect(daemon.run.stderr).not.toContain(KEY);
  });

  it.each(["accepted", "turn-started", "turn-committed", "sent"])(
    "answers a request once, though it dies at %s",
    async (point) => {
      const daemon = await new Daemon({ yaml: YAML }).start({ HERMES_KILL_AT: `${point}:1` });
      const headers = { "Idempotency-Key": "once", "X-Hermes-Session-Key": "chat" };
      const ask = () =>
        client(daemon).chat.completions.create(
          { model: "hermes", messages: [{ role: "user", content: "only once" }] },
          { headers },
        );
      await expect(ask()).rejects.toThrow();
      expect(await daemon.run.ended).toEqual({ code: null, signal: "SIGKILL" });
      await daemon.start();
      const [answer, again] = await Promise.all([ask(), ask()]);
      expect(plain(answer.choices[0]!.message.content!)).toBe("only once");
      expect(again).toEqual(answer);
      await until("all is settled", () => openRows(daemon).length === 0);
      expect(await daemon.stop()).toBe(0);
      expectNothingOpen(daemon.home);
      expectNoMessageTwice(daemon.home);
      expectOneAnswerPerTurn(daemon.home);
      expectFilesAgree(daemon.home);
      expect(rows(daemon.home, "SELECT role FROM messages ORDER BY id")).toEqual([
        { role: "user" },
        { role: "assistant" },
      ]);
    },
  );

  it("gives what runs its grace when it is asked to stop, and the answer after the next start", async () => {
    const yaml = `${YAML}\nagent: {restart_drain_timeout: 0.2}`;
    const daemon = await new Daemon({ yaml }).start();
    const headers = { "Idempotency-Key": "slow" };
    const ask = () =>
      client(daemon).chat.completions.create(
        { model: "hermes", messages: [{ role: "user", content: "!slow 3000 done" }] },
        { headers },
      );
    const cut = ask().catch((error: unknown) => error);
    await expect
      .poll(() => rows(daemon.home, "SELECT id FROM gw_inbox WHERE state = 'running'").length)
      .toBe(1);
    expect(await daemon.stop()).toBe(0);
    expect(await cut).toBeInstanceOf(Error);
    await daemon.start();
    expect(plain((await ask()).choices[0]!.message.content!)).toBe("done");
    expect(rows(daemon.home, "SELECT id FROM messages WHERE role = 'assistant'")).toHaveLength(1);
  });
});
