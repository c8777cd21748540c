import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  answerWebhook,
  isHmacOf,
  UNAUTHORIZED,
  type WebhookRoute,
} from "../../../src/adapters/kit/webhook-route.js";

interface Event {
  id?: number;
  challenge?: string;
}

const sign = (body: string) => createHmac("sha256", "secret").update(body).digest("hex");

function route(changes: Partial<WebhookRoute<Event>> = {}) {
  const received: Event[] = [];
  const signed: WebhookRoute<Event> = {
    auth: {
      signature: ({ headers, body }) =>
        isHmacOf({ secret: "secret", signed: [body], given: headers.get("x-signature") }),
    },
    parse: ({ body }) => JSON.parse(body.toString("utf8")) as Event,
    receive: async (event) => {
      received.push(event);
      return undefined;
    },
    ...changes,
  };
  return { received, signed };
}

const post = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}) =>
  new Request("https://us.example/pigeon", { method: "POST", body, headers, duplex: "half" } as RequestInit);
const signedPost = (body: string) => post(body, { "x-signature": sign(body) });

describe("answerWebhook", () => {
  it("answers 200 once the event is received", async () => {
    const { signed, received } = route();
    expect((await answerWebhook(signedPost('{"id":1}'), signed)).status).toBe(200);
    expect(received).toEqual([{ id: 1 }]);
  });

  it("answers 503 and reports the error if the inbox fails, and 503 while not connected", async () => {
    const errors: unknown[] = [];
    const failing = route({
      receive: () => Promise.reject(new Error("disk full")),
      onRejected: (error) => errors.push(error),
    });
    expect((await answerWebhook(signedPost("{}"), failing.signed)).status).toBe(503);
    expect(errors).toEqual([new Error("disk full")]);
    const { signed } = route({ receive: undefined });
    expect((await answerWebhook(signedPost("{}"), signed)).status).toBe(503);
  });

  it("rejects a missing or wrong signature before parsing", async () => {
    const { signed } = route({
      parse: () => {
        throw new Error("parsed");
      },
    });
    for (const given of ["", "0", sign("other"), sign("{}").slice(1)]) {
      const answer = await answerWebhook(post("{}", { "x-signature": given }), signed);
      expect([answer.status, await answer.text()]).toEqual([401, UNAUTHORIZED]);
    }
  });

  it("checks a secret in a header without reading the body", async () => {
    let wasRead = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          wasRead = true;
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const { signed } = route({ auth: { header: (headers) => headers.get("x-secret") === "right" } });
    expect((await answerWebhook(post(body, { "x-secret": "wrong" }), signed)).status).toBe(401);
    expect(wasRead).toBe(false);
    expect((await answerWebhook(post("{}", { "x-secret": "right" }), signed)).status).toBe(200);
  });

  it("stops reading a body that is too long", async () => {
    let chunks = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks++;
        controller.enqueue(new Uint8Array(1000));
      },
    });
    const { signed } = route({ maxBodyBytes: 10_000 });
    expect((await answerWebhook(post(endless), signed)).status).toBe(413);
    expect(chunks).toBeLessThan(20);
  });

  it("stops waiting for a body that doesn't come", async () => {
    const silent = new ReadableStream<Uint8Array>({});
    const { signed } = route({ bodyTimeoutMs: 10 });
    expect((await answerWebhook(post(silent), signed)).status).toBe(408);
  });

  it("answers 400 for an invalid body", async () => {
    const { signed, received } = route();
    expect((await answerWebhook(signedPost("not json"), signed)).status).toBe(400);
    expect((await answerWebhook(signedPost(""), signed)).status).toBe(400);
    expect(received).toEqual([]);
  });

  it("replies to challenges without the inbox", async () => {
    const { signed, received } = route({
      receive: undefined,
      reply: ({ challenge }) => (challenge === undefined ? undefined : Response.json({ challenge })),
    });
    const answer = await answerWebhook(signedPost('{"challenge":"abc"}'), signed);
    expect(await answer.json()).toEqual({ challenge: "abc" });
    expect(received).toEqual([]);
  });

  it("answers GET only where the platform shakes hands with it", async () => {
    const get = () => new Request("https://us.example/pigeon?challenge=7");
    expect((await answerWebhook(get(), route().signed)).status).toBe(405);
    const { signed } = route({ handshake: (url) => new Response(url.searchParams.get("challenge")) });
    expect(await (await answerWebhook(get(), signed)).text()).toBe("7");
  });
});

describe("isHmacOf", () => {
  it("signs several pieces as one, in other algorithms and encodings", () => {
    const given = createHmac("sha1", "key").update("v0:1:body").digest("base64");
    const check = { secret: "key", given, algorithm: "sha1", encoding: "base64" } as const;
    expect(isHmacOf({ ...check, signed: ["v0:1:", Buffer.from("body")] })).toBe(true);
    expect(isHmacOf({ ...check, signed: ["v0:2:", "body"] })).toBe(false);
    expect(isHmacOf({ ...check, signed: ["v0:1:body"], given: null })).toBe(false);
  });
});
