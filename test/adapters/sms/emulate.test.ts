import * as nodeModule from "node:module";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SmsAdapter, smsAdapter } from "../../../src/adapters/sms/index.js";
import { Inbox } from "../../contract/inbox.js";
import { lookUp, send } from "../../support/send.js";
import { type CallbackServer, serveCallbacks } from "../../support/serve-callbacks.js";
import { ANN, outbound, patience } from "./support.js";

/** The adapter against npm's `emulate`, an emulation of Twilio that isn't ours. */

const isRunnable = "registerHooks" in nodeModule;
if (!isRunnable) console.warn("Skipped: SMS against npm's emulate needs Node 22.15 or newer");

const ACCOUNT = "AC00000000000000000000000000000042";
const TOKEN = "emulated-auth-token";
const NUMBER = "+15550000001";
const PATH = "/webhooks/twilio";

describe.runIf(isRunnable)("SMS with emulate", () => {
  let twilio: { url: string; close(): Promise<void> };
  let server: CallbackServer;
  let inbox: Inbox;
  let adapters: SmsAdapter[];

  beforeEach(async () => {
    inbox = new Inbox();
    adapters = [];
    server = await serveCallbacks(() => adapters.at(-1)?.callbacks ?? []);
    const { createEmulator } = await import("emulate");
    const account = { sid: ACCOUNT, auth_token: TOKEN, friendly_name: "Test" };
    const number = { phone_number: NUMBER, friendly_name: "Hermes", sms_url: server.url + PATH };
    const seed = { twilio: { account, phone_numbers: [number] } };
    twilio = await createEmulator({ service: "twilio", port: 0, hostname: "127.0.0.1", seed });
  });
  afterEach(async () => {
    await Promise.all(adapters.map((adapter) => adapter.disconnect()));
    server.close();
    await twilio.close();
  });

  async function connected(authToken = TOKEN): Promise<SmsAdapter> {
    const adapter = smsAdapter({
      accountSid: ACCOUNT,
      authToken,
      phoneNumber: NUMBER,
      webhookUrl: server.url + PATH,
      apiUrl: twilio.url,
      timing: { callMs: 5000, settleMs: 10, backoff: { firstMs: 10, maxMs: 50 } },
    });
    adapters.push(adapter);
    await adapter.connect(inbox, new AbortController().signal);
    return adapter;
  }

  const auth = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString("base64")}`;
  const say = (body: string) =>
    fetch(`${twilio.url}/_twilio/simulate/inbound-message`, {
      method: "POST",
      headers: { authorization: auth },
      body: new URLSearchParams({ To: NUMBER, From: ANN, Body: body }),
    });

  async function sent(): Promise<string[]> {
    const list = `/2010-04-01/Accounts/${ACCOUNT}/Messages.json?To=${encodeURIComponent(ANN)}`;
    const response = await fetch(twilio.url + list, { headers: { authorization: auth } });
    const { messages } = (await response.json()) as { messages: { body: string }[] };
    return messages.map(({ body }) => body);
  }

  it("receives what its signed webhook brings, and what came while it was away from the list", async () => {
    const first = await connected();
    await say("one 👋");
    await inbox.message("one 👋");
    await first.disconnect();
    adapters.length = 0;
    await say("two");
    await connected();
    await inbox.message("two");
    expect(inbox.texts).toEqual(["one 👋", "two"]);
  });

  it("sends, and finds what it sent", async () => {
    const adapter = await connected();
    const message = outbound("hello there");
    expect(await lookUp(adapter, message, patience())).toBe("missing");
    const { messageIds } = await send(adapter, message, patience());
    expect(await sent()).toEqual(["hello there"]);
    expect(await lookUp(adapter, message, patience())).toEqual(messageIds);
  });

  it("says what to do when the token is wrong", async () => {
    await expect(connected("another")).rejects.toMatchObject({ code: "refused" });
  });
});
