/** `npx tsx scripts/screenshots.ts [folder] [page…]`: takes screenshots of the web chat (`chat`) and of every dashboard page with generated data, in a real browser. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { DiscordEmulator } from "../test/emulators/discord/index.js";
import { SlackEmulator } from "../test/emulators/slack/index.js";
import { TelegramEmulator } from "../test/emulators/telegram/index.js";
import { readyUrl, takeChat } from "./demo/chat.js";
import { type Demo, makeDemo } from "./demo/history.js";

const HERMES = fileURLToPath(new URL("../dist/cli/hermes.js", import.meta.url));
const TOKEN = "a-token-for-the-screenshots";
const DESKTOP = { width: 1240, height: 820 };
const PHONE = { width: 390, height: 844 };

interface Shot {
  name: string;
  path(demo: Demo): string;
  viewport?: { width: number; height: number };
  dark?: boolean;
  /** Selector that appears when the page is ready. */
  ready: string;
  prepare?(page: Page): Promise<void>;
}

const SHOTS: readonly Shot[] = [
  // Waits until the startup load has passed.
  { name: "overview", path: () => "/", ready: ".canvas canvas", prepare: calm },
  { name: "overview-dark", path: () => "/", dark: true, ready: ".canvas canvas" },
  { name: "overview-phone", path: () => "/", viewport: PHONE, ready: ".canvas canvas" },
  { name: "sessions", path: () => "/sessions", ready: ".session-row" },
  { name: "search", path: () => "/sessions?q=dog&date=30", ready: ".hit mark" },
  {
    name: "session",
    path: ({ project }) => `/sessions/${project.root}`,
    ready: ".lineage svg",
    prepare: unfold,
  },
  {
    name: "session-dark",
    path: ({ project }) => `/sessions/${project.second}`,
    dark: true,
    ready: ".lineage svg",
  },
  {
    name: "session-phone",
    path: ({ project }) => `/sessions/${project.tip}`,
    viewport: PHONE,
    ready: ".lineage svg",
  },
  { name: "usage", path: () => "/usage", ready: ".canvas canvas" },
  { name: "messages", path: () => "/messages", ready: ".message-row" },
  { name: "trace", path: () => "/messages/in:412", ready: ".timeline li" },
  { name: "dead", path: () => "/dead", ready: ".letter" },
  { name: "pairing", path: () => "/pairing", ready: ".request" },
  { name: "config", path: () => "/config", ready: ".setting" },
];

const [folder = fileURLToPath(new URL("../docs/images", import.meta.url)), ...only] = process.argv.slice(2);
const home = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-screenshots-"));

const telegram = await new TelegramEmulator().start();
const discord = new DiscordEmulator();
await discord.start();
const slack = await new SlackEmulator().start();
fs.writeFileSync(
  path.join(home, "config.yaml"),
  `owners: ["telegram:481516234"]
timezone: Europe/Berlin
http: {token: "${TOKEN}"}
session_reset: {mode: both, at_hour: 4}
platforms:
  telegram: {token: "${telegram.token}", api_root: "${telegram.url}", allow_from: [481516234, 733104882]}
  discord: {token: "${discord.token}", api_url: "${discord.apiUrl}"}
  slack: {token: "${slack.botToken}", app_token: "${slack.appToken}", api_url: "${slack.apiUrl}"}
`,
  { mode: 0o600 },
);
const demo = await makeDemo(home);

const daemon = spawn(process.execPath, [HERMES, "gateway", "--port", "0"], {
  env: {
    PATH: process.env.PATH,
    HERMES_HOME: home,
    TELEGRAM_HOME_CHANNEL: "481516234",
    HERMES_LOG_LEVEL: "warn",
  },
  stdio: ["ignore", "pipe", "inherit"],
});
let browser: Browser | undefined;
try {
  const url = await readyUrl(daemon.stdout);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
  });
  if (only.length === 0 || only.includes("chat"))
    for (const file of await takeChat(browser, folder)) report(file);
  const shots = [...SHOTS, ...(await otherPages(browser, url))];
  for (const shot of shots) if (only.length === 0 || only.includes(shot.name)) await take(browser, url, shot);
} finally {
  await browser?.close();
  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("close", resolve));
  await Promise.all([telegram.close(), discord.close(), slack.close()]);
  fs.rmSync(home, { recursive: true, force: true });
}

/** Every page of the menu that has no entry of its own above. */
async function otherPages(browser: Browser, url: string): Promise<Shot[]> {
  const context = await browser.newContext({ baseURL: url });
  await context.request.post("/login", { form: { token: TOKEN }, headers: { origin: url } });
  const page = await context.newPage();
  await page.goto("/dashboard");
  await page.locator("nav a").first().waitFor();
  const links = (await page.evaluate(
    `[...document.querySelectorAll("nav a")].map((a) => a.getAttribute("href").slice("/dashboard".length) || "/")`,
  )) as string[];
  await context.close();
  const known = new Set(SHOTS.map(({ path: to }) => to(demo)));
  return links
    .filter((to) => !known.has(to))
    .map((to) => ({ name: to.slice(1), path: () => to, ready: "main:not(:has(.loading)) h1" }));
}

async function unfold(page: Page): Promise<void> {
  await page.locator("details.tool", { hasText: "read_file" }).locator("summary").click();
  await page.mouse.move(0, 0);
}

async function calm(page: Page): Promise<void> {
  await page
    .locator("#app:not(:has(.warn))")
    .waitFor({ timeout: 60_000 })
    .catch(() => undefined);
}

async function take(browser: Browser, url: string, shot: Shot): Promise<void> {
  const context = await browser.newContext({
    viewport: shot.viewport ?? DESKTOP,
    colorScheme: shot.dark ? "dark" : "light",
    ...(shot.viewport === PHONE ? { isMobile: true, hasTouch: true } : {}),
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => process.stderr.write(`${shot.name}: ${error.message}\n`));
  page.on(
    "console",
    (message) => message.type() === "error" && process.stderr.write(`${shot.name}: ${message.text()}\n`),
  );
  await page.goto(`${url}/dashboard${shot.path(demo)}`);
  await page.getByLabel("Token").fill(TOKEN);
  await page.getByLabel("Token").press("Enter");
  await page.locator(shot.ready).first().waitFor();
  await page.locator(".connection[data-state=live]").waitFor();
  await shot.prepare?.(page);
  // The next frame includes the last response.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  const file = path.join(folder, `dashboard-${shot.name}.png`);
  await page.screenshot({ path: file });
  await context.close();
  report(file);
}

function report(file: string): void {
  process.stdout.write(`${file} ${Math.round(fs.statSync(file).size / 1024)} KB\n`);
}
