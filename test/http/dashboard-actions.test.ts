import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import Database from "better-sqlite3";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { useBrowser } from "../support/browser.js";
import { WebClient } from "../support/web-client.js";
import { type Shown, startDashboard, TOKEN } from "./support/dashboard.js";
import { expectFit, openDashboard } from "./support/dashboard-page.js";

/** What an operator does in a session, in a real browser, against the real daemon. */

const browser = useBrowser();
const LONG = "x".repeat(2000);
const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> ${LONG}`;

/** A person who has said something on the web, and the operator who looks at it. */
async function withAnn(shown: Shown): Promise<{ ann: WebClient; page: Page; id: string }> {
  const ann = new WebClient(shown.daemon.url, { token: TOKEN });
  await ann.send("hello");
  await ann.told("answer");
  const { id } = (await ann.session())!;
  return { ann, id, page: await openDashboard(browser(), shown, `/sessions/${id}`) };
}

/** The configuration of a model that this server plays. */
async function modelAt(server: http.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `model: {provider: openai-compatible, base_url: "http://127.0.0.1:${port}/v1", default: m, api_key: k}\n`;
}

function forgetQueues({ daemon }: Shown): void {
  const db = new Database(daemon.file("state.db"));
  db.exec("DELETE FROM gw_inbox; DELETE FROM gw_outbox");
  db.close();
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const actions = ({ daemon }: Shown) =>
  daemon.run.logged("operator").flatMap(({ action, outcome }) => (outcome === undefined ? [action] : []));

describe("a takeover", () => {
  it("pauses the agent, survives kill -9, and ends when it is handed back", async () => {
    const shown = await startDashboard({ days: 0, traffic: 0 });
    const { ann, page } = await withAnn(shown);
    await button(page, "Take over").click();
    await page.getByText("the agent is paused").waitFor();
    await ann.send(`is anyone there? ${HOSTILE}`);
    await page.locator(".said-one[data-role=user]", { hasText: "is anyone there?" }).waitFor();
    expect(actions(shown)).toEqual(["takeover"]);

    await shown.daemon.kill();
    await shown.daemon.start();
    await page.reload();
    await page.getByText("Taken over", { exact: true }).waitFor();
    await ann.send("still nothing?");
    await page.locator(".said-one[data-role=user]", { hasText: "still nothing?" }).waitFor();
    await expectFit(page);
    await page.getByLabel("Your reply").fill(`A human here ${HOSTILE}`);
    await button(page, "Send").click();
    const answers = await ann.told("answer", 2);
    expect(answers[1]).toMatch(/^A human here /);
    await page.locator(".said-one", { hasText: "A human here" }).getByText("Operator").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    await button(page, "Hand back").click();
    await button(page, "Take over").waitFor();
    await ann.send("and now?");
    expect((await ann.told("answer", 3))[2]).toContain("and now?");
    expect(actions(shown)).toEqual(["reply", "handback"]);
    await expectFit(page);
  }, 120_000);

  it("is refused for a session that its chat has left", async () => {
    const shown = await startDashboard({ days: 0, traffic: 0 });
    const { ann, id } = await withAnn(shown);
    const post = (path: string, body: object) =>
      shown.ask(`/api/dashboard${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await post(`/sessions/${id}/reply`, { text: "without a takeover" })).status).toBe(409);
    expect((await post(`/sessions/${id}/takeover`, {})).status).toBe(200);
    expect((await post(`/sessions/${id}/reply`, { text: "  " })).status).toBe(400);
    const [once, again] = [
      await post(`/sessions/${id}/reply`, { text: "once", key: "k" }),
      await post(`/sessions/${id}/reply`, { text: "once", key: "k" }),
    ];
    expect(JSON.parse(once.text).id).toBe(JSON.parse(again.text).id);
    await ann.send("/new");
    await ann.told("command");
    expect((await post(`/sessions/${id}/takeover`, {})).status).toBe(409);
    expect((await post("/sessions/nothing/takeover", {})).status).toBe(404);
  });
});

it("the overview shows problems, and says that all is well only without any", async () => {
  const rejecting = http.createServer((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `wrong key ${LONG}` } }));
  });
  const yaml = `http: {token: ${TOKEN}}\n${await modelAt(rejecting)}`;
  const shown = await startDashboard({ days: 0, traffic: 0, yaml });
  forgetQueues(shown);
  const page = await openDashboard(browser(), shown, "/");
  await page.getByText("All is well").waitFor();
  const ann = new WebClient(shown.daemon.url, { token: TOKEN });
  await ann.send("hello");
  await page.getByRole("link", { name: "The model rejects the key" }).waitFor();
  await page.getByText("1 problem").waitFor();
  await expectFit(page);
});

it("a running turn is stopped", async () => {
  const model = http.createServer(() => {
    // It never answers.
  });
  const yaml = `http: {token: ${TOKEN}}\n${await modelAt(model)}`;
  const shown = await startDashboard({ days: 0, traffic: 0, yaml });
  const ann = new WebClient(shown.daemon.url, { token: TOKEN });
  await ann.send("think");
  await expect.poll(() => ann.session(), { timeout: 20_000 }).not.toBeNull();
  const { id } = (await ann.session())!;
  const page = await openDashboard(browser(), shown, `/sessions/${id}`);
  await button(page, "Stop the turn").click();
  await page.getByText("The running turn was stopped.").waitFor();
  await expect.poll(() => button(page, "Stop the turn").count(), { timeout: 20_000 }).toBe(0);
  expect(actions(shown)).toEqual(["stop"]);
});

it("a session is renamed, exported, ended and deleted", async () => {
  const shown = await startDashboard({ days: 0, traffic: 0 });
  const { ann, page, id } = await withAnn(shown);
  await button(page, "Rename").click();
  await page.getByLabel("Title").fill("A better name");
  await button(page, "Save").click();
  await page.getByRole("heading", { level: 1, name: "A better name" }).waitFor();

  for (const [name, wanted] of [
    ["Export as Markdown", "# A better name"],
    ["Export as JSON", `"title": "A better name"`],
  ] as const) {
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name }).click();
    const text = fs.readFileSync(await (await download).path(), "utf8");
    expect(text).toContain(wanted);
    expect(text).toContain("hello");
  }

  await button(page, "End").click();
  await button(page, "Cancel").click();
  await button(page, "End").click();
  await button(page, "End now").click();
  await page.getByText("The session was ended.").waitFor();
  await expect.poll(() => button(page, "Take over").count()).toBe(0);
  await ann.send("another day");
  await ann.told("answer", 2);
  expect((await ann.session())!.id).not.toBe(id);

  await button(page, "Delete").click();
  await expectFit(page);
  await button(page, "Delete now").click();
  await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
  expect((await shown.ask(`/api/dashboard/sessions/${id}`)).status).toBe(404);
  expect(actions(shown)).toEqual(["rename", "export", "export", "end", "delete"]);
});

it("a message is sent to a chat", async () => {
  const shown = await startDashboard({ days: 0, traffic: 0 });
  const { ann, page } = await withAnn(shown);
  await page.goto("/dashboard/messages");
  await page.getByText("Send a message").click();
  await page.getByLabel("To,").fill("nowhere:1");
  await page.getByLabel("Text").fill("from the operator");
  await button(page, "Send").click();
  await page.locator(".notice.failed").waitFor();
  await page.getByLabel("To,").fill(`web:${ann.chatId}`);
  await button(page, "Send").click();
  await page.getByText("is on its way.").waitFor();
  expect((await ann.told("answer", 2))[1]).toBe("from the operator");
  expect(actions(shown)).toEqual(["send"]);
});

describe("dead letters", () => {
  it("can be discarded one by one or together, after a confirmation", async () => {
    const shown = await startDashboard();
    const db = new Database(shown.daemon.file("state.db"));
    db.prepare(
      "UPDATE gw_inbox SET error = ?, payload = json_set(payload, '$.text', ?) WHERE state = 'dead'",
    ).run(LONG, HOSTILE);
    db.close();
    const page = await openDashboard(browser(), shown, "/dead");
    const letters = page.locator(".letter");
    await letters.first().waitFor();
    const count = await letters.count();
    expect(count).toBe(3);
    const discards = page.getByRole("button", { name: /^Discard (in|out):/ });
    await discards.first().click();
    await expectFit(page);
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    await button(page, "Discard now").click();
    await page.getByText("1 message was discarded.").waitFor();
    await expect.poll(() => letters.count()).toBe(2);

    await page.getByLabel("Select all shown").check();
    await button(page, "Discard 2 letters").click();
    await button(page, "Cancel").click();
    await button(page, "Discard 2 letters").click();
    await button(page, "Discard 2 letters now").click();
    await page.getByText("No dead letters").waitFor();
    await page.reload();
    await page.getByText("No dead letters").waitFor();
    expect(actions(shown)).toEqual(["discard", "discard"]);
    for (const path of ["/messages", "/messages/in:1"]) {
      await page.goto(`/dashboard${path}`);
      await page.locator(".message-row, .timeline li").first().waitFor();
      await expectFit(page);
    }
  }, 120_000);

  it("don't include messages whose chats got a notice", async () => {
    const shown = await startDashboard({ days: 0, traffic: 0 });
    forgetQueues(shown);
    const ann = new WebClient(shown.daemon.url, { token: TOKEN });
    await ann.send("!fail network");
    await ann.told("notice");
    const page = await openDashboard(browser(), shown, "/dead");
    await page.getByText("No dead letters").waitFor();
    const { letters } = await shown.get<{ letters: object[] }>("/dead");
    expect(letters).toEqual([]);
  });
});
