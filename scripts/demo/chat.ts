/** Screenshots of the web chat: real questions to a gateway whose model answers as scripts/demo/conversations.ts says. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { ModelServer, type RecordedRequest, says } from "../../test/emulators/model-server.js";
import { TALKS } from "./conversations.js";

const HERMES = fileURLToPath(new URL("../../dist/cli/hermes.js", import.meta.url));
const DESKTOP = { width: 1240, height: 820 };
const PHONE = { width: 390, height: 844 };
/** The last one is shown. */
const SHOWN = 5;

const asked = TALKS.flatMap(({ title, lines }) =>
  lines.flatMap((line, i) => {
    const answer = lines.slice(i + 1).find(({ who, text }) => who === "bot" && text !== "");
    return line.who === "user" && answer ? [{ title, question: line.text, answer: answer.text }] : [];
  }),
);

/** A title is asked for with the question in its prompt. */
function respond({ body }: RecordedRequest) {
  const last = JSON.stringify(body.messages.at(-1)?.content ?? "");
  const found = asked.findLast(({ question }) => last.includes(JSON.stringify(question).slice(1, -1)));
  const isTitle = JSON.stringify(body.messages).includes("You name conversations");
  return says((isTitle ? found?.title : found?.answer) ?? "I don't know.");
}

export async function takeChat(browser: Browser, folder: string): Promise<string[]> {
  const server = await ModelServer.start({ otherwise: respond });
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-chat-"));
  fs.writeFileSync(
    path.join(home, "config.yaml"),
    `timezone: Europe/Berlin
model: {provider: openai-compatible, base_url: "${server.url}", default: hermes-4, api_key: k, choices: [hermes-4, hermes-4-small]}
`,
    { mode: 0o600 },
  );
  const daemon = spawn(process.execPath, [HERMES, "gateway", "--port", "0"], {
    env: { PATH: process.env.PATH, HERMES_HOME: home, HERMES_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    return await shoot(browser, await readyUrl(daemon.stdout), folder);
  } finally {
    daemon.kill("SIGTERM");
    await new Promise((resolve) => daemon.once("close", resolve));
    await server.close();
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/** Where a gateway that was just started answers. */
export async function readyUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const found = /running: (\S+)/.exec(line)?.[1];
    if (found) return found;
  }
  throw new Error("The gateway exited before it was ready");
}

async function shoot(browser: Browser, url: string, folder: string): Promise<string[]> {
  const context = await browser.newContext({
    ...{ viewport: DESKTOP, baseURL: url, colorScheme: "light", reducedMotion: "reduce" },
    ...{ locale: "en-GB", timezoneId: "Europe/Berlin" },
  });
  const page = await context.newPage();
  for (const talk of TALKS.slice(0, SHOWN).toReversed()) await hold(page, talk.title);
  await page.locator(".row.here").waitFor();
  const files = ["web-chat", "web-chat-dark", "web-chat-phone"].map((name) =>
    path.join(folder, `${name}.png`),
  );
  await settled(page, files[0]!);
  await page.emulateMedia({ colorScheme: "dark" });
  await settled(page, files[1]!);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(PHONE);
  await settled(page, files[2]!);
  await context.close();
  return files;
}

async function hold(page: Page, title: string): Promise<void> {
  await page.goto("/");
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  const questions = asked.filter((one) => one.title === title);
  for (const [i, { question }] of questions.entries()) {
    await box.fill(question);
    await box.press("Enter");
    await page.locator(".message.agent:not(.live) .actions").nth(i).waitFor();
  }
  await page.locator(".row-title", { hasText: title }).waitFor();
}

async function settled(page: Page, file: string): Promise<void> {
  await page.mouse.move(0, 0);
  // Colours of code come after the text.
  await page
    .locator(".code code:not(:has(span))")
    .first()
    .waitFor({ state: "detached", timeout: 3000 })
    .catch(() => undefined);
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await page.screenshot({ path: file });
}
