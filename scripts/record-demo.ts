/** `npx tsx scripts/record-demo.ts [file]`: plays the demo's tour in a real browser and records it as an animated PNG. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { animated, type Frame } from "./tour/apng.js";

const DEMO = fileURLToPath(new URL("demo.ts", import.meta.url));
const VIEWPORT = { width: 1240, height: 580 };
const LOOK_EVERY_MS = 400;
const STEP_MS = 2500;
const MOVING_MS = 1200;
const LAST_MS = 5000;

const [file = fileURLToPath(new URL("../docs/images/demo.png", import.meta.url))] = process.argv.slice(2);

const demo = spawn(
  process.execPath,
  ["--import", "tsx", DEMO, "--json", "--port", "0", "--gateway-port", "0", "--speed", "2"],
  { stdio: ["ignore", "pipe", "inherit"] },
);
const ended = once(demo, "exit");
try {
  const [line] = (await once(createInterface(demo.stdout), "line")) as [string];
  const frames = await record((JSON.parse(line) as { page: string }).page);
  const picture = animated(frames);
  fs.writeFileSync(file, picture);
  process.stdout.write(`${file}: ${frames.length} frames, ${Math.round(picture.length / 1024)} KB\n`);
} finally {
  demo.kill("SIGINT");
  await ended;
}

async function record(url: string): Promise<Frame[]> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
  });
  try {
    const page = await browser.newPage({ viewport: VIEWPORT, reducedMotion: "reduce" });
    await page.goto(url);
    await page.getByRole("button", { name: "Play" }).click();
    return await follow(page);
  } finally {
    await browser.close();
  }
}

/** The middle and the end of each step: more would make the file too large. */
async function follow(page: Page): Promise<Frame[]> {
  const frames: Frame[] = [];
  const steps = await page.locator(".step").count();
  for (let step = 0; step < steps; step += 1) {
    const moments: Buffer[] = [];
    const now = page.locator(".step").nth(step);
    const isDone = async () => /done|failed/.test((await now.getAttribute("data-state")) ?? "");
    while (!(await isDone())) {
      moments.push(await page.screenshot());
      await page.waitForTimeout(LOOK_EVERY_MS);
    }
    const middle = moments[Math.floor(moments.length / 2)];
    if (middle) frames.push({ png: middle, ms: MOVING_MS });
    frames.push({ png: await page.screenshot(), ms: step === steps - 1 ? LAST_MS : STEP_MS });
  }
  return frames;
}
