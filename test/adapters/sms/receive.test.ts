import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isSigned } from "../../../src/adapters/sms/webhook.js";
import { sessionKeyOf } from "../../support/session-key-of.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import { ANN, Bench } from "./support.js";

let bench: Bench;

beforeEach(async () => {
  bench = await new Bench().start();
});
afterEach(() => bench.close());

async function post(form: Record<string, string>, signature?: string, url = "/webhooks/twilio") {
  const headers: Record<string, string> = signature === undefined ? {} : { "x-twilio-signature": signature };
  const body = new URLSearchParams(form);
  return (await fetch(bench.gatewayUrl + url, { method: "POST", headers, body })).status;
}

describe("a call of Twilio's", () => {
  it("has a session key of the person's number", async () => {
    await bench.connected();
    bench.twilio.say(ANN, "hello");
    expect(sessionKeyOf(await bench.inbox.message("hello"))).toBe(`agent:main:sms:dm:${ANN}`);
  });

  it("is refused without the right signature", async () => {
    await bench.connected();
    const form = bench.twilio.formOf(bench.twilio.messages[0] ?? bench.twilio.say("+15559998888", "x"));
    expect(await post(form)).toBe(401);
    expect(await post(form, "")).toBe(401);
    expect(await post(form, "bm9uc2Vuc2U=")).toBe(401);
    const signature = bench.twilio.sign(bench.twilio.webhookUrl, form);
    expect(await post({ ...form, Body: "changed" }, signature)).toBe(401);
    expect(await post(form, signature)).toBe(200);
  });

  it("that is replayed is the same event", async () => {
    await bench.connected();
    const message = bench.twilio.say(ANN, "once");
    await bench.inbox.message("once");
    const form = bench.twilio.formOf(message);
    const signature = bench.twilio.sign(bench.twilio.webhookUrl, form);
    for (let i = 0; i < 3; i++) expect(await post(form, signature)).toBe(200);
    expect(bench.inbox.texts).toEqual(["once"]);
    expect(new Set(bench.inbox.offered)).toEqual(new Set([message.sid]));
  });

  it("is checked against the configured address, with and without the usual port", () => {
    const form = { Body: "héllo €", MessageSid: "SM1" };
    const body = Buffer.from(new URLSearchParams(form).toString());
    const check = (configured: string, signed: string) =>
      isSigned(
        { headers: new Headers({ "x-twilio-signature": bench.twilio.sign(signed, form) }), body },
        configured,
        bench.twilio.authToken,
      );
    expect(check("https://a.example/x?y=1", "https://a.example/x?y=1")).toBe(true);
    expect(check("https://a.example/x", "https://a.example:443/x")).toBe(true);
    expect(check("https://a.example:443/x", "https://a.example/x")).toBe(true);
    expect(check("https://a.example/x#rc=5", "https://a.example/x")).toBe(true);
    expect(check("https://a.example:8443/x", "https://a.example/x")).toBe(false);
    expect(check("https://a.example/x", "https://b.example/x")).toBe(false);
  });

  it("is answered with 503 before there is a connection, and fetched afterwards", async () => {
    const adapter = bench.adapter();
    await bench.inbox.saveCursor({ name: "received-until", value: String(Date.now() / 1000 - 10) });
    bench.twilio.say(ANN, "early");
    await until("the call failed", () => bench.twilio.webhooks.all[0]!.state === "lost");
    expect(bench.twilio.webhooks.all[0]!.statuses).toEqual([503]);
    await adapter.connect(bench.inbox, new AbortController().signal);
    await bench.inbox.message("early");
  });
});

describe("messages whose call got lost", () => {
  it("come before newer ones", async () => {
    await bench.connected({ pollSeconds: 3600 });
    bench.twilio.gatewayUrl = undefined;
    for (const text of ["one", "two"]) bench.twilio.say(ANN, text);
    bench.twilio.gatewayUrl = bench.gatewayUrl;
    bench.twilio.say(ANN, "three");
    await bench.inbox.message("three");
    expect(bench.inbox.texts).toEqual(["one", "two", "three"]);
  });

  it("are found over several pages, and not those from before the first start", async () => {
    bench.twilio.gatewayUrl = undefined;
    const old = bench.twilio.say(ANN, "long ago");
    old.atMs -= 3_600_000;
    const adapter = await bench.connected({ pollSeconds: 3600 });
    await adapter.disconnect();
    for (let i = 0; i < 250; i++) bench.twilio.say(ANN, `text ${i}`);
    await bench.connected({ pollSeconds: 3600 });
    expect(bench.inbox.texts).toEqual(Array.from({ length: 250 }, (_, i) => `text ${i}`));
  });

  it("are the only source without a webhook", async () => {
    const adapter = await bench.connected({ webhookUrl: undefined, pollSeconds: 0.02 });
    expect(adapter.callbacks).toEqual([]);
    bench.twilio.say(ANN, "hello");
    await bench.inbox.message("hello");
  });
});

describe("pictures", () => {
  const media = (home: string) => ({ home, folder: "media/in", maxBytes: 1000, mayFetch: async () => true });
  const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

  it("are downloaded with the account's credentials, from the call and from the list", async () => {
    const home = tempDir();
    const adapter = await bench.connected({ media: media(home), pollSeconds: 3600 });
    bench.twilio.say(ANN, "look", [{ type: "image/png", content: PNG }]);
    const { attachments } = await bench.inbox.message("look");
    expect(attachments).toMatchObject([{ kind: "image", mimeType: "image/png", bytes: PNG.length }]);
    expect(fs.readFileSync(path.join(home, attachments[0]!.path!))).toEqual(PNG);
    await adapter.disconnect();
    bench.twilio.gatewayUrl = undefined;
    bench.twilio.say(ANN, "", [{ type: "image/png", content: PNG }]);
    await bench.connected({ media: media(home), pollSeconds: 3600 });
    expect((await bench.inbox.message("")).attachments).toMatchObject([{ kind: "image", bytes: PNG.length }]);
  });

  it("that are too large are named with the reason", async () => {
    await bench.connected({ media: media(tempDir()) });
    bench.twilio.say(ANN, "look", [{ type: "image/png", content: Buffer.alloc(2000) }]);
    const { attachments } = await bench.inbox.message("look");
    expect(attachments[0]!.problem).toMatch(/larger than/);
  });
});
