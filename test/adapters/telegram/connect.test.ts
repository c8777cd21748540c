import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { telegramAdapter } from "../../../src/adapters/telegram/index.js";
import { send } from "../../support/send.js";
import { Bench, outbound, patience, until } from "./support.js";

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  await bench.emulator.start();
});

afterEach(() => bench.close());

const write = (text: string) => bench.emulator.users.writeDm(bench.emulator.users.person("Ann"), text);
const errors = () => bench.log.filter((line) => line.level === "error").map((line) => line.message);

describe("the adapter", () => {
  it("has the account and the limits of Telegram", () => {
    const adapter = bench.adapter();
    expect(adapter).toMatchObject({
      platform: "telegram",
      account: "4200",
      limits: { length: 4096, unit: "utf16" },
      burst: { afterLongMs: 1000, longChars: 4000, afterAlbumMs: 1000 },
    });
  });

  it("rejects a malformed token without repeating it in the error", () => {
    expect(() => telegramAdapter({ token: "secret-nonsense" })).toThrow("This is not a Telegram bot token");
  });
});

describe("health", () => {
  it("reports a second poller with the fix, and recovers when it is gone", async () => {
    const adapter = await bench.connected();
    const rival = setInterval(() => {
      const poll = fetch(`${bench.emulator.url}/bot${bench.emulator.token}/getUpdates`, { method: "POST" });
      poll.then((answer) => answer.arrayBuffer()).catch(() => undefined);
    }, 10);
    await until("it is reported", () => adapter.health().state === "down");
    clearInterval(rival);
    expect(adapter.health().detail).toContain("Another program polls");
    expect(errors()).toHaveLength(1);
    write("hello");
    await until("it is received", () => bench.gateway.texts.includes("hello"));
    await until("it has recovered", () => adapter.health().state === "ok");
  });

  it("reports a webhook that another program has set", async () => {
    const adapter = await bench.connected();
    bench.emulator.world.webhook.target = { url: "http://127.0.0.1:1/", secret: undefined };
    bench.emulator.disconnect();
    await until("it is reported", () => adapter.health().detail?.includes("webhook") === true);
    bench.emulator.world.webhook.target = undefined;
    await until("it polls again", () => adapter.health().state === "ok");
  });

  it("reports a revoked token, and recovers when it is valid again", async () => {
    const adapter = await bench.connected();
    bench.emulator.tokens.clear();
    bench.emulator.disconnect();
    await until("it is reported", () => adapter.health().state === "down");
    expect(adapter.health().detail).toContain("@BotFather");
    bench.emulator.tokens.add(bench.emulator.token);
    await until("it polls again", () => adapter.health().state === "ok");
  });
});

describe("polling", () => {
  it("survives a lost connection", async () => {
    await bench.connected();
    await until("it polls", () => bench.emulator.updates.isPolled);
    bench.emulator.disconnect();
    write("hello");
    await until("it is received", () => bench.gateway.texts.length === 1);
  });

  it("waits as long as a 429 asks", async () => {
    bench.emulator.faults.fail("getUpdates", 429, "Too Many Requests: retry after 1");
    await bench.connected();
    write("hello");
    await until("it is received", () => bench.gateway.texts.length === 1);
    const [refused, next] = bench.emulator.callsOf("getUpdates");
    expect(next!.at - refused!.at).toBeGreaterThanOrEqual(950);
  });
});

describe("disconnecting", () => {
  it("still sends an answer that was ready in the last moment", async () => {
    const adapter = await bench.connected();
    const ann = bench.emulator.users.person("Ann");
    const dm = bench.emulator.chats.privateWith(ann);
    await adapter.disconnect();
    await send(adapter, outbound({ chatId: String(dm.id) }, "done"), patience());
    expect(bench.emulator.said(dm.id)).toHaveLength(1);
  });

  it("leaves a message unconfirmed while its file is being downloaded", async () => {
    const adapter = await bench.connected({
      media: {
        home: "/nonexistent",
        folder: "m",
        maxBytes: 1,
        mayFetch: async () => true,
      },
    });
    const ann = bench.emulator.users.person("Ann");
    bench.emulator.faults.delayMs = 1000;
    const file = { content: Buffer.from("x"), path: "docs/1" };
    bench.emulator.users.sendFile(bench.emulator.chats.privateWith(ann), ann, "document", file);
    await until("it is being downloaded", () => bench.emulator.callsOf("getFile").length === 1);
    await adapter.disconnect();
    expect(bench.gateway.attempts).toBe(0);
    expect(bench.emulator.updates.pending).toHaveLength(1);
  });
});
