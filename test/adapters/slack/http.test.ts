import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { signature, signedRequest } from "../../emulators/slack/index.js";
import { type Setup, setup } from "./support.js";

const SECRET = "emulated-signing-secret";
const URL_ = "http://hermes.local/slack/events";

let b: Setup;
beforeEach(async () => {
  b = await setup({ adapter: { appToken: undefined, signingSecret: SECRET } });
  b.slack.postEventsTo((request) => b.adapter.handleRequest(request));
});
afterEach(() => b.close());

function post(body: string, headers: Record<string, string> = {}, at = Date.now()): Promise<Response> {
  const timestamp = String(Math.floor(at / 1000));
  return b.adapter.handleRequest(
    new Request(URL_, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "x-slack-request-timestamp": timestamp,
        "x-slack-signature": signature(SECRET, timestamp, body),
        ...headers,
      },
    }),
  );
}

describe("Slack events over HTTP", () => {
  it("receives an event and answers with 200", async () => {
    b.slack.say({ channel: "D1", user: "U1", text: "héllo" });
    await b.slack.until(() => b.slack.deliveries.all[0]?.state === "acked");
    expect(b.inbox.texts).toEqual(["héllo"]);
    expect(b.slack.sockets.opened).toBe(0);
  });

  it("receives a slash command", async () => {
    b.slack.command("D1", "U1", "/hermes", "");
    await b.slack.until(() => b.slack.deliveries.all[0]?.state === "acked");
    expect(b.inbox.texts).toEqual(["/help"]);
    expect(b.slack.deliveries.all[0]!.ackPayload).toBe("");
  });

  it("answers the URL verification challenge", async () => {
    const response = await post(JSON.stringify({ type: "url_verification", challenge: "abc" }));
    expect(await response.json()).toEqual({ challenge: "abc" });
  });

  const body = JSON.stringify({
    type: "event_callback",
    event: { type: "message", channel: "D1", user: "U1", text: "x", ts: "1.1" },
  });

  it.each([
    ["a wrong signature", { "x-slack-signature": `v0=${"0".repeat(64)}` }],
    ["a signature of another length", { "x-slack-signature": "v0=1" }],
    ["no signature", { "x-slack-signature": "" }],
    ["a malformed timestamp", { "x-slack-request-timestamp": "soon" }],
  ])("rejects a request with %s", async (_, headers) => {
    expect((await post(body, headers)).status).toBe(401);
    expect(b.inbox.received).toEqual([]);
  });

  it.each([-301_000, 301_000])("rejects a request whose timestamp is %d ms off", async (offset) => {
    expect((await post(body, {}, Date.now() + offset)).status).toBe(401);
  });

  it("reports bad signatures until a valid one was seen", async () => {
    const forged = { "x-slack-signature": `v0=${"0".repeat(64)}` };
    await post(body, { "x-slack-signature": "" });
    expect(b.adapter.health().state).toBe("ok");
    await post(body, forged);
    await post(body, forged);
    const detail = expect.stringContaining("signing_secret");
    expect(b.adapter.health()).toMatchObject({ state: "degraded", detail });
    expect(b.log.filter((line) => line.startsWith("warn"))).toEqual([detail]);
    await post(body);
    expect(b.adapter.health().state).toBe("ok");
    await post(body, forged);
    expect(b.adapter.health()).toMatchObject({ state: "ok" });
  });

  it("rejects a request with a changed body", async () => {
    const delivery = b.slack.event({ type: "x" });
    const request = signedRequest(URL_, SECRET, delivery);
    const forged = new Request(request, { body: `${await request.clone().text()} ` });
    expect((await b.adapter.handleRequest(forged)).status).toBe(401);
  });

  it("accepts only POST with JSON or a form, up to the size limit", async () => {
    expect((await b.adapter.handleRequest(new Request(URL_))).status).toBe(405);
    expect((await post("no json")).status).toBe(400);
    expect((await post(`"${"x".repeat(3_000_000)}"`)).status).toBe(413);
  });

  it("answers 503 while not connected", async () => {
    await b.adapter.disconnect();
    expect((await post(body)).status).toBe(503);
  });

  it("probes Slack for its health without a socket", async () => {
    expect(b.adapter.health().state).toBe("ok");
    b.slack.revoked.set(b.slack.botToken, "token_revoked");
    await b.slack.until(() => b.adapter.health().state === "down");
    b.slack.revoked.clear();
    await b.slack.until(() => b.adapter.health().state === "ok");
  });
});
