import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import type { OperatorAction } from "../../src/http/dashboard/audit-types.js";
import type { PlatformsAnswer } from "../../src/http/dashboard/operations-types.js";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { LIBRARY, WhatsAppEmulator } from "../emulators/whatsapp/index.js";
import { useBrowser } from "../support/browser.js";
import { until } from "../support/until.js";
import { type Shown, startDashboard, TOKEN } from "./support/dashboard.js";
import { expectFit, openDashboard } from "./support/dashboard-page.js";

/** What an operator does about platforms, in a real browser, against the real daemon and emulated platforms. */

const browser = useBrowser();
const PATIENCE = { timeoutMs: 30_000 };
const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> ${"x".repeat(400)}`;

async function withTelegram(more = "") {
  const telegram = await new TelegramEmulator().start();
  onTestFinished(() => telegram.close());
  const ann = telegram.users.person(`Ann ${HOSTILE}`.slice(0, 60));
  const chat = telegram.chats.privateWith(ann);
  const settings = { ...telegram.settings, allow_all: true, home_channel: String(chat.id) };
  const yaml = `http: {token: ${TOKEN}}\nplatforms:\n  telegram: ${JSON.stringify(settings)}\n${more}`;
  const shown = await startDashboard({ days: 0, traffic: 0, yaml });
  const texts = () => telegram.seen(chat.id).map(({ text }) => text);
  return { telegram, ann, chat, shown, texts };
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const bot = (page: Page, platform: string) => page.locator(`[data-bot^="${platform} "]`);
const badge = (page: Page, platform: string, text: string) =>
  bot(page, platform).locator(".badge", { hasText: text }).first().waitFor();
const actions = async ({ get }: Shown) =>
  (await get<{ actions: OperatorAction[] }>("/audit/actions")).actions
    .filter(({ outcome }) => outcome === "done")
    .map(({ action }) => action)
    .toReversed();

it("a bot is disconnected and connected again, and answers wait for it", async () => {
  const { telegram, ann, shown, texts } = await withTelegram();
  const page = await openDashboard(browser(), shown, "/platforms");
  await badge(page, "telegram", "Connected");
  await bot(page, "telegram").getByText("files up to").waitFor();
  await button(page, "Disconnect Telegram 4200").click();
  await button(page, "Cancel").click();
  await button(page, "Disconnect Telegram 4200").click();
  await button(page, "Disconnect now").click();
  await badge(page, "telegram", "Disconnected");
  await expect.poll(() => telegram.updates.isPolled).toBe(false);

  telegram.users.writeDm(ann, "is anyone there?");
  await bot(page, "telegram").getByRole("button", { name: "Send a test message" }).click();
  await bot(page, "telegram").getByText("Waiting", { exact: true }).waitFor();
  expect(texts()).toEqual(["is anyone there?"]);
  await expectFit(page);

  await button(page, "Connect Telegram 4200").click();
  await badge(page, "telegram", "Connected");
  await until("both are sent", () => texts().length === 3, { ...PATIENCE, found: texts });
  expect(texts().join()).toContain("Test message from the dashboard");
  expect(await actions(shown)).toEqual(["disconnect", "test-message", "connect"]);
}, 120_000);

it("a bot that is disconnected is connected after kill -9, and the errors before are still shown", async () => {
  const { telegram, ann, shown, texts } = await withTelegram();
  const page = await openDashboard(browser(), shown, "/platforms");
  telegram.faults.fail("sendMessage", 400, `Bad Request: ${HOSTILE}`);
  telegram.users.writeDm(ann, "hello");
  await bot(page, "telegram").getByText("1 recent error").waitFor();
  telegram.faults.fail("sendMessage", 400, "Bad Request: not this one");
  const send = bot(page, "telegram").getByRole("button", { name: "Send a test message" });
  await send.click();
  await bot(page, "telegram").getByText("Not sent", { exact: true }).waitFor();
  await bot(page, "telegram").getByText("recent error").click();
  await bot(page, "telegram").locator(".errors", { hasText: "onerror=" }).waitFor();
  await expectFit(page);
  expect(await page.evaluate("window.hacked")).toBeUndefined();

  await button(page, "Disconnect Telegram 4200").click();
  await button(page, "Disconnect now").click();
  await badge(page, "telegram", "Disconnected");
  await shown.daemon.kill();
  await shown.daemon.start();
  await badge(page, "telegram", "Connected");
  await page.reload();
  await bot(page, "telegram").getByText("recent error").click();
  await bot(page, "telegram").locator(".errors", { hasText: "onerror=" }).waitFor();
  // To a chat of the operator's choice.
  const to = bot(page, "telegram").getByLabel("Send a test message to");
  await to.fill("slack:C1");
  await send.click();
  await page.locator(".notice.failed").waitFor();
  await to.fill("telegram:home");
  await send.click();
  await bot(page, "telegram").getByText("Sent", { exact: true }).waitFor();
  expect(texts().at(-1)).toContain("Test message from the dashboard");
  await bot(page, "telegram").getByRole("link", { name: "trace" }).last().click();
  await page.locator(".timeline li").first().waitFor();
}, 120_000);

it("a bot whose platform is down is shown as that, and reconnected by hand", async () => {
  const { telegram, shown } = await withTelegram();
  const page = await openDashboard(browser(), shown, "/platforms");
  await badge(page, "telegram", "Connected");
  await telegram.goDown();
  await button(page, "Reconnect Telegram 4200").click();
  await page.getByText("Telegram 4200 is not connected yet").waitFor();
  await telegram.start();
  await button(page, "Reconnect Telegram 4200").click();
  await page.getByText("Telegram 4200 is connected.").waitFor();
  await badge(page, "telegram", "Connected");
  expect(await actions(shown)).toEqual(["reconnect", "reconnect"]);
}, 120_000);

it("platforms that are configured but don't run say why", async () => {
  const { shown } = await withTelegram("  slack: {enabled: false}\n  discord: {require_mention: false}\n");
  const page = await openDashboard(browser(), shown, "/platforms");
  await page.locator("[data-off=slack]", { hasText: "Switched off in the configuration" }).waitFor();
  await page.locator("[data-off=discord]", { hasText: "hermes doctor" }).waitFor();
  await expectFit(page);
}, 60_000);

it.each(["qr", "code"] as const)(
  "an account is linked with the %s that the page shows",
  async (way) => {
    const whatsapp = await new WhatsAppEmulator().start();
    onTestFinished(() => whatsapp.close());
    const settings = { phone_number: "+15550000001", mode: "bot", library: LIBRARY, link_with: way };
    const yaml = `http: {token: ${TOKEN}}\nplatforms:\n  whatsapp: ${JSON.stringify({ ...settings, api_url: whatsapp.url })}\n`;
    const shown = await startDashboard({ days: 0, traffic: 0, yaml });
    const page = await openDashboard(browser(), shown, "/platforms");
    const code =
      way === "qr"
        ? page.getByRole("img", { name: "QR code" })
        : page.getByText("ABCD-EFGH", { exact: true });
    await code.waitFor();
    await expectFit(page);
    whatsapp.link();
    await badge(page, "whatsapp", "Connected");
    await expect.poll(() => code.count()).toBe(0);
    const { bots } = await shown.get<PlatformsAnswer>("/platforms");
    expect(bots.find(({ platform }) => platform === "whatsapp")?.link).toBeNull();
  },
  120_000,
);

it("is the owner's alone, and refuses other sites", async () => {
  const { shown } = await withTelegram();
  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ platform: "telegram", account: "4200" });
  const post = (path: string, headers: Record<string, string>, given = body) =>
    shown.ask(`/api/dashboard${path}`, { method: "POST", headers: { ...json, ...headers }, body: given });
  for (const path of ["/platforms/disconnect", "/platforms/reconnect", "/mcp/reload", "/restart"]) {
    expect((await post(path, { authorization: "Bearer wrong" })).status, path).toBe(401);
    expect((await post(path, { origin: "https://elsewhere.example" })).status, path).toBe(403);
    expect((await post(path, { "content-type": "text/plain" })).status, path).toBe(400);
  }
  for (const path of ["/platforms", "/mcp", "/log", "/log/live", "/restart"])
    expect((await shown.ask(`/api/dashboard${path}`, { headers: { authorization: "" } })).status, path).toBe(
      401,
    );
  const nothing = JSON.stringify({ platform: "telegram", account: "nobody" });
  expect((await post("/platforms/connect", {}, nothing)).status).toBe(404);
  expect((await post("/mcp/reconnect", {}, '{"name": "nothing"}')).status).toBe(404);
  const { bots } = await shown.get<PlatformsAnswer>("/platforms");
  expect(bots.find(({ platform }) => platform === "telegram")).toMatchObject({ state: "ok", isOff: false });
});
