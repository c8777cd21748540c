import { createHmac } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { ask } from "../http/support/request.js";
import { rows } from "../support/agreement.js";
import { CallbackServer } from "../support/callback-server.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";

/** Other programs call the real daemon; what comes of it arrives once, also over a crash. */

const SECRET = "what only github knows";
const CALLBACK_SECRET = "what only the callback knows";

function github(
  daemon: Daemon,
  name: string,
  body: object,
  delivery: string,
  headers: Record<string, string> = {},
) {
  const text = JSON.stringify(body);
  const signature = `sha256=${createHmac("sha256", SECRET).update(text).digest("hex")}`;
  return ask(`${daemon.url}/webhooks/${name}`, {
    method: "POST",
    body: text,
    headers: {
      "content-type": "application/json",
      "x-hub-signature-256": signature,
      "x-github-delivery": delivery,
      "x-github-event": "push",
      ...headers,
    },
  });
}

function inbox(daemon: Daemon): { event_id: string; state: string }[] {
  return rows(daemon.home, "SELECT event_id, state FROM gw_inbox ORDER BY id");
}

const isDone = (daemon: Daemon, count = 1) =>
  until("the task is done", () => inbox(daemon).filter(({ state }) => state === "done").length >= count);

describe("a webhook", () => {
  it("asks the agent and brings the answer to another platform's chat, once for each delivery", async () => {
    const telegram = await new TelegramEmulator().start();
    onTestFinished(() => telegram.close());
    const chat = telegram.chats.privateWith(telegram.users.person("Ann"));
    const daemon = await new Daemon({
      yaml: `
platforms:
  telegram: {token: "${telegram.token}", api_root: "${telegram.url}"}
webhooks:
  deploys:
    secret: ${SECRET}
    prompt: "{{repository.full_name}}: {{head_commit.message}} ({{@event}})"
    deliver: "telegram:${chat.id}"
`,
    }).start();
    const body = { repository: { full_name: "ann/site" }, head_commit: { message: "/new look" } };
    const first = await github(daemon, "deploys", body, "d-1");
    expect(first.status).toBe(202);
    expect(JSON.parse(first.text)).toEqual({ accepted: true, delivery: "d-1" });
    await until("Telegram has it", () => telegram.said(chat.id).length > 0);
    expect(telegram.said(chat.id)[0]!.text).toContain("ann/site: /new look (push)");

    // GitHub sends a delivery again that it believes lost.
    expect((await github(daemon, "deploys", body, "d-1")).status).toBe(202);
    expect((await github(daemon, "deploys", body, "d-2")).status).toBe(202);
    await until("Telegram has the second", () => telegram.said(chat.id).length > 1);
    expect(await daemon.stop()).toBe(0);
    expect(telegram.said(chat.id)).toHaveLength(2);

    const sessions = rows(daemon.home, "SELECT source, user_id, end_reason, message_count FROM sessions");
    const one = {
      source: "webhook",
      user_id: "webhook:deploys",
      end_reason: "webhook_complete",
      message_count: 2,
    };
    expect(sessions).toEqual([one, one]);
    expect(rows(daemon.home, "SELECT session_key FROM gw_routes")).toEqual([]);
  });

  it("calls back, signed, and again while the other side is down", async () => {
    const server = await new CallbackServer(CALLBACK_SECRET).start();
    server.statuses.push(503, 503);
    const daemon = await new Daemon({ yaml: callbackHook(server) }).start();
    expect((await github(daemon, "builds", { n: 7 }, "b-1")).status).toBe(202);
    const [post] = await until("the callback", () => server.deliveries.length > 0 && server.deliveries);
    expect(post).toMatchObject({
      signed: true,
      body: { webhook: "builds", delivery: "b-1", kind: "answer" },
    });
    expect(post!.body.text).toContain("7");
  });

  it("takes Stripe's events within their time, a token, and the same body once", async () => {
    const daemon = await new Daemon({
      yaml: `
webhooks:
  payments: {secret: stripes, signature: stripe, prompt: "{{type}} {{data.object.amount}}"}
  alarms: {secret: plain, signature: token, header: X-Alarm, prompt: "{{text}}"}
`,
    }).start();
    const payment = JSON.stringify({ id: "evt_1", type: "charge.failed", data: { object: { amount: 500 } } });
    const stripe = (at: number) =>
      ask(`${daemon.url}/webhooks/payments`, {
        method: "POST",
        body: payment,
        headers: {
          "stripe-signature": `t=${at},v1=${createHmac("sha256", "stripes").update(`${at}.${payment}`).digest("hex")}`,
        },
      });
    const now = Math.floor(Date.now() / 1000);
    expect((await stripe(now)).status).toBe(202);
    expect((await stripe(now - 1)).status).toBe(202);
    expect((await stripe(now - 301)).status).toBe(401);
    const alarm = (text: string, token = "plain") =>
      ask(`${daemon.url}/webhooks/alarms`, {
        method: "POST",
        body: JSON.stringify({ text }),
        headers: { "x-alarm": token },
      });
    expect((await alarm("fire")).status).toBe(202);
    expect((await alarm("fire")).status).toBe(202);
    expect((await alarm("water")).status).toBe(202);
    expect((await alarm("smoke", "wrong")).status).toBe(401);
    await isDone(daemon, 3);
    expect(inbox(daemon)).toHaveLength(3);
    const said = rows<{ content: string }>(daemon.home, "SELECT content FROM messages WHERE role = 'user'");
    expect(said.map(({ content }) => content).toSorted()).toEqual(["charge.failed 500", "fire", "water"]);
  });

  it("reports that it can't deliver, and accepts nothing", async () => {
    const yaml = `webhooks:\n  lost: {secret: ${SECRET}, deliver: "telegram:1"}`;
    const daemon = await new Daemon({ yaml }).start();
    const refused = await github(daemon, "lost", {}, "l-1");
    expect(refused.status).toBe(503);
    expect(refused.headers["retry-after"]).toBeDefined();
    expect(inbox(daemon)).toEqual([]);
    expect(daemon.run.logged("a webhook can't deliver")).toHaveLength(1);
  });
});

function callbackHook(server: CallbackServer): string {
  return `
webhooks:
  builds:
    secret: ${SECRET}
    prompt: "build {{n}}"
    deliver: "${server.url}"
    callback_secret: ${CALLBACK_SECRET}
`;
}

describe("a gateway that dies between the 202 and the delivery", () => {
  it.each(["turn-started", "turn-committed", "before-send", "sent"])(
    "at %s delivers once after its restart",
    async (point) => {
      const server = await new CallbackServer(CALLBACK_SECRET).start();
      const daemon = await new Daemon({ yaml: callbackHook(server) }).start({ HERMES_KILL_AT: `${point}:1` });
      const accepted = await github(daemon, "builds", { n: 1 }, "only");
      expect(accepted.status).toBe(202);
      expect(await daemon.run.ended).toEqual({ code: null, signal: "SIGKILL" });
      await daemon.start();
      // The caller lost our answer and calls again.
      expect((await github(daemon, "builds", { n: 1 }, "only")).status).toBe(202);
      await until("it is delivered and settled", () => {
        const open = rows(daemon.home, "SELECT id FROM gw_outbox WHERE state <> 'sent'");
        return server.posts.length > 0 && open.length === 0;
      });
      expect(await daemon.stop()).toBe(0);
      expect(server.deliveries).toHaveLength(1);
      expect(server.posts.slice(1).every(({ headers }) => headers["x-hermes-repeat"] === "true")).toBe(true);
      expect(rows(daemon.home, "SELECT id FROM messages WHERE role = 'assistant'")).toHaveLength(1);
    },
  );

  it("before the 202 has it when the caller comes again", async () => {
    const server = await new CallbackServer(CALLBACK_SECRET).start();
    const daemon = await new Daemon({ yaml: callbackHook(server) }).start({ HERMES_KILL_AT: "accepted:1" });
    await expect(github(daemon, "builds", { n: 1 }, "only")).rejects.toThrow();
    await daemon.run.ended;
    await daemon.start();
    expect((await github(daemon, "builds", { n: 1 }, "only")).status).toBe(202);
    await until("it is delivered", () => server.posts.length > 0);
    expect(await daemon.stop()).toBe(0);
    expect(server.posts).toHaveLength(1);
  });
});
