import { createHmac } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readCall } from "../../../src/adapters/whatsapp-cloud/normalise.js";
import { whatsappCloud } from "../../../src/adapters/whatsapp-cloud/platform.js";
import { send } from "../../support/send.js";
import { sessionKeyOf } from "../../support/session-key-of.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import { ANN, Bench, outbound, patience } from "./support.js";

let bench: Bench;

beforeEach(async () => {
  bench = await new Bench().start();
});
afterEach(() => bench.close());

async function post(body: string, signature?: string) {
  const headers: Record<string, string> =
    signature === undefined ? {} : { "x-hub-signature-256": `sha256=${signature}` };
  return (await fetch(bench.webhookUrl, { method: "POST", headers, body })).status;
}

const signed = (body: string) => createHmac("sha256", bench.meta.appSecret).update(body).digest("hex");

describe("a call of Meta's", () => {
  it("has a session key of the person's number", async () => {
    await bench.connected();
    bench.meta.say(ANN, "hello");
    expect(sessionKeyOf(await bench.inbox.message("hello"))).toBe(`agent:main:whatsapp_cloud:dm:${ANN}`);
  });

  it("is refused without a signature over its exact bytes", async () => {
    await bench.connected();
    bench.meta.say(ANN, "hello");
    const { body } = bench.meta.webhooks.all[0]!.post;
    expect(await post(body)).toBe(401);
    expect(await post(body, "")).toBe(401);
    expect(await post(body, "0".repeat(64))).toBe(401);
    expect(await post(`${body} `, signed(body))).toBe(401);
    expect(await post(body, signed(body))).toBe(200);
    expect(await post("nonsense", signed("nonsense"))).toBe(400);
  });

  it("that is replayed is the same event", async () => {
    await bench.connected();
    bench.meta.say(ANN, "once");
    await bench.inbox.message("once");
    const { body } = bench.meta.webhooks.all[0]!.post;
    for (let i = 0; i < 3; i++) expect(await post(body, signed(body))).toBe(200);
    expect(bench.inbox.texts).toEqual(["once"]);
  });

  it("is answered with 503 before there is a connection, and comes again", async () => {
    const adapter = bench.adapter();
    bench.meta.say(ANN, "early");
    await until("a call failed", () => bench.meta.webhooks.all[0]!.statuses.includes(503));
    await adapter.connect(bench.inbox, new AbortController().signal);
    await bench.inbox.message("early");
  });

  it("proves our address with the verify token only", async () => {
    await bench.connected();
    const ask = async (token: string) => {
      const query = new URLSearchParams({
        "hub.mode": "subscribe",
        "hub.verify_token": token,
        "hub.challenge": "1158201444",
      });
      const answer = await fetch(`${bench.webhookUrl}?${query}`);
      return [answer.status, await answer.text()];
    };
    expect(await ask("emulated-verify-token")).toEqual([200, "1158201444"]);
    expect(await ask("wrong")).toEqual([403, "Wrong token"]);
  });
});

describe("the settings", () => {
  it("take numbers as people write them", () => {
    const { schema } = whatsappCloud.settings!;
    const allow_from = ["+1 (555) 123-4567", "15551234567", "*", "Ann"];
    const home_channel = "+15551234567";
    expect(schema.parse({ allow_from, home_channel })).toMatchObject({
      allow_from: ["15551234567", "15551234567", "*", "Ann"],
      home_channel: "15551234567",
      enabled: false,
    });
  });
});

describe("a message", () => {
  const read = (message: object) => {
    const metadata = { phone_number_id: "1" };
    const one = { id: "wamid.1", from: ANN, timestamp: "1700000000", ...message };
    const body = {
      object: "whatsapp_business_account",
      entry: [{ changes: [{ value: { metadata, messages: [one] } }] }],
    };
    return readCall(body, "1")?.messages[0]?.message;
  };

  it.each([
    [{ type: "button", button: { text: "Yes" } }, "Yes"],
    [{ type: "location", location: { latitude: 1.5, longitude: 2 } }, "[Location: 1.5, 2]"],
    [
      { type: "location", location: { latitude: 1, longitude: 2, name: "Cafe", address: "Main St" } },
      "[Location: 1, 2 (Cafe, Main St)]",
    ],
    [
      { type: "contacts", contacts: [{ name: { formatted_name: "Bob" }, phones: [{ phone: "+1555" }] }] },
      "[Contact: Bob, +1555]",
    ],
  ])("of another kind has a text: %j", (content, text) => {
    expect(read(content)?.text).toBe(text);
  });

  it.each([
    [{ type: "reaction", reaction: { message_id: "wamid.0", emoji: "👍" } }],
    [{ type: "system", system: { body: "changed their number" } }],
    [{ type: "text", text: { body: "hi" }, group_id: "5" }],
    [{ type: "text", text: { body: "hi" }, from: "../5" }],
    [{ type: "text", text: {} }],
  ])("that isn't one is skipped: %j", (content) => {
    expect(read(content)).toBeUndefined();
  });

  it("to another number of the account is not ours", () => {
    expect(
      readCall(
        {
          object: "whatsapp_business_account",
          entry: [
            {
              changes: [
                {
                  value: {
                    metadata: { phone_number_id: "2" },
                    messages: [
                      { id: "wamid.1", from: ANN, timestamp: "1", type: "text", text: { body: "hi" } },
                    ],
                  },
                },
              ],
            },
          ],
        },
        "1",
      ),
    ).toEqual({ messages: [], statuses: [] });
  });

  it("quotes the text of what it replies to: ours, theirs, and theirs from before a restart", async () => {
    const adapter = await bench.connected({
      receivedText: async (id) => (id === "wamid.before" ? "from before" : undefined),
    });
    const { messageIds } = await send(adapter, outbound("Which **one**?"), patience());
    bench.meta.say(ANN, "this one", messageIds[0]!);
    const reply = await bench.inbox.message("this one");
    expect(reply.quoted).toEqual({ text: "Which *one*?", messageId: messageIds[0] });
    const own = bench.meta.say(ANN, "and", reply.origin.messageId!);
    expect((await bench.inbox.message("and")).quoted?.text).toBe("this one");
    bench.meta.say(ANN, "more", "wamid.before");
    expect((await bench.inbox.message("more")).quoted?.text).toBe("from before");
    bench.meta.say("15559990000", "a stranger's", own.id);
    expect((await bench.inbox.message("a stranger's")).quoted).toBeUndefined();
  });
});

describe("files", () => {
  const media = (home: string) => ({ home, folder: "media/in", maxBytes: 1000, mayFetch: async () => true });
  const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

  it("are downloaded with the token, once", async () => {
    const home = tempDir();
    await bench.connected({ media: media(home) });
    bench.meta.webhooks.duplicate = true;
    bench.meta.sendFile(ANN, "image", { name: "", type: "image/png", content: PNG }, "look");
    const { attachments } = await bench.inbox.message("look");
    expect(attachments).toMatchObject([{ kind: "image", mimeType: "image/png", bytes: PNG.length }]);
    expect(fs.readFileSync(path.join(home, attachments[0]!.path!))).toEqual(PNG);
    await until("both calls are answered", () =>
      bench.meta.webhooks.all.every(({ state }) => state === "accepted"),
    );
    expect(bench.meta.calls.filter(({ path: at }) => at.endsWith("/content"))).toHaveLength(1);
  });

  it("without a text keep their name; those that are too large have the reason", async () => {
    await bench.connected({ media: media(tempDir()) });
    bench.meta.sendFile(ANN, "document", {
      name: "a.pdf",
      type: "application/pdf",
      content: Buffer.alloc(2000),
    });
    const { attachments } = await bench.inbox.message("");
    expect(attachments).toMatchObject([{ name: "a.pdf", problem: expect.stringMatching(/larger than/) }]);
  });
});
