import { randomUUID } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import { describe, expect, it } from "vitest";
import type { Devices, Me, Upload } from "../../src/adapters/web/api.js";
import { webPersonOf } from "../../src/policies/web-person.js";
import { newLoginCode } from "../../src/sessions/web-login.js";
import { openStore } from "../../src/store/open.js";
import { rows } from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { CLIENT, OidcIssuer } from "../support/oidc-issuer.js";
import { comeBack, leave, visit } from "../support/oidc-login.js";
import { ShiftedClock } from "../support/shifted-clock.js";
import { until } from "../support/until.js";
import { Browser, texts } from "../support/web-chat.js";

/** The real program, killed in the middle of what people do in the web chat. */

const ANN = { person: webPersonOf("telegram:1"), name: "Ann", owner: false };

async function codeFor(daemon: Daemon): Promise<string> {
  const store = await openStore({ path: daemon.file("state.db"), threads: false });
  try {
    return await newLoginCode(store, ANN);
  } finally {
    await store.close();
  }
}

/** As the page does it: until it is accepted. */
async function sendUntilAccepted(
  browser: Browser,
  id: string,
  clientId: string,
  text: string,
): Promise<void> {
  await until(`"${text}" is accepted`, () =>
    browser.send(id, text, { clientId }).then(
      () => true,
      () => false,
    ),
  );
}

describe("automatic resets", () => {
  const DAY_MS = 86_400_000;

  it.each([
    ["leave conversations alone, and end the chat without one", "", 1, 2],
    [
      "end conversations, too, with a policy for the platform",
      "reset_by_platform: {web: {mode: daily}}\n",
      2,
      2,
    ],
  ])(
    "%s",
    async (_, more, conversations, main) => {
      const start = Date.now();
      const clock = new ShiftedClock(start);
      const daemon = await new Daemon({ yaml: `session_reset: {mode: daily}\n${more}` }).start(clock.env);
      const ann = new Browser(() => daemon.url);
      const id = randomUUID();
      for (const day of [0, 3]) {
        clock.moveTo(start + day * DAY_MS);
        for (const where of [id, "main"]) {
          await ann.send(where, `day ${day}`);
          await ann.settled(where);
        }
      }
      const count = (key: string) =>
        rows(daemon.home, `SELECT DISTINCT session_id FROM gw_inbox WHERE session_key LIKE '%:${key}'`)
          .length;
      expect([count(id), count((await ann.get<Me>("me")).person.id)]).toEqual([conversations, main]);
    },
    120_000,
  );
});

describe("kill -9", () => {
  it.each(["accepted", "turn-answered", "turn-committed", "sent"])(
    "at %s: the message is answered once",
    async (point) => {
      const daemon = await new Daemon().start({ HERMES_KILL_AT: `${point}:1` });
      const ann = new Browser(() => daemon.url);
      await ann.get("me");
      const [id, clientId] = [randomUUID(), randomUUID()];
      const sending = ann.send(id, "hello", { clientId }).catch(() => undefined);
      await daemon.run.ended;
      await sending;
      await daemon.start();
      await sendUntilAccepted(ann, id, clientId, "hello");
      const open = await ann.settled(id);
      expect(texts(open).map((text) => text.split(":", 1)[0])).toEqual(["user", "agent"]);
      expect(open.messages.map((message) => message.id)).toEqual([`u:${clientId}`, `a:${clientId}`]);
    },
    120_000,
  );

  it("during an upload: nothing half is kept, and it can be sent again", async () => {
    const daemon = await new Daemon().start();
    const ann = new Browser(() => daemon.url);
    await ann.get("me");
    const request = http.request(`${daemon.url}/api/web/files?name=a.txt`, {
      ...{ method: "POST", agent: false },
      headers: { cookie: ann.cookie!, "content-type": "text/plain", "content-length": "100000" },
    });
    request.on("error", () => undefined);
    request.write("the first bytes");
    const folder = daemon.file("media", "in");
    await until("it is being written", () => fs.existsSync(folder) && fs.readdirSync(folder).length > 0);
    await daemon.restart();
    const bytes = new TextEncoder().encode("all of it");
    const { status, body } = await ann.ask<Upload>("POST", "files?name=a.txt", bytes);
    expect(status).toBe(201);
    const id = randomUUID();
    await ann.send(id, "read this", { files: [body.id] });
    expect((await ann.settled(id)).messages[0]).toMatchObject({ files: [{ name: "a.txt", bytes: 9 }] });
    expect(fs.readdirSync(folder).filter((name) => !name.endsWith(".part"))).toHaveLength(1);
  }, 120_000);

  it.each(["login-found", "login-moved", "login-saved"])(
    "at %s: the link still works, once, and finds all conversations",
    async (point) => {
      const daemon = await new Daemon().start({ HERMES_KILL_AT: `${point}:1` });
      const ann = new Browser(() => daemon.url);
      const id = randomUUID();
      await ann.send(id, "before");
      await ann.settled(id);
      const login = (code: string) => ann.ask<Me>("POST", "login/link", { code });
      const code = await codeFor(daemon);
      await login(code).catch(() => undefined);
      await daemon.run.ended;
      await daemon.start();
      expect((await login(code)).body.person).toMatchObject({ id: ANN.person, signedIn: true });
      expect((await ann.get<Devices>("devices")).devices).toMatchObject([{ current: true }]);
      expect((await login(code)).status).toBe(403);
      expect((await ann.conversations()).map((one) => one.id)).toEqual([id]);
      await ann.send(id, "after");
      expect(texts(await ann.settled(id))).toHaveLength(4);
    },
    120_000,
  );

  it("while a person is at the OpenID Connect issuer: this sign-in goes on, and so does a new one", async () => {
    const issuer = await OidcIssuer.start();
    const oidc = { ...CLIENT, issuer: issuer.url, allow_all: true };
    const daemon = await new Daemon({ yaml: `web_chat: ${JSON.stringify({ oidc })}\n` }).start();
    issuer.register(daemon.url);
    const ann = new Browser(() => daemon.url);
    const { to, cookie } = await leave(ann);
    const back = await visit(to, daemon.url);
    await daemon.restart();
    const { code } = await comeBack(back, cookie);
    expect((await ann.ask<Me>("POST", "login/link", { code })).body.person).toMatchObject({ signedIn: true });
    const phone = new Browser(() => daemon.url);
    const again = await leave(phone);
    const second = await comeBack(await visit(again.to, daemon.url), again.cookie);
    expect((await phone.ask("POST", "login/link", { code: second.code })).status).toBe(200);
    // A code that was used before the next kill stays used.
    await daemon.restart();
    expect((await phone.ask("POST", "login/link", { code: second.code })).status).toBe(403);
  }, 120_000);
});
