import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { useBrowser } from "../support/browser.js";

const browser = useBrowser();
const PROGRAM = new URL("try.ts", import.meta.url).pathname;

/** Gives its address. */
async function startPage(): Promise<string> {
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM], {
    env: { ...process.env, EMULATORS_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill();
    await ended;
  });
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("The emulators ended before they said where they are");
}

it("the emulators' page shows each platform's chat under its own name, also when it refreshes", async () => {
  const url = await startPage();
  const names = ["telegram", "discord", "slack"];
  for (const [i, name] of names.entries())
    await fetch(`${url}/${i}`, { method: "POST", body: new URLSearchParams({ text: `first on ${name}` }) });
  const page = await browser().newPage();
  await page.goto(url);
  // What comes now is seen when the page has refreshed itself.
  await fetch(`${url}/0`, { method: "POST", body: new URLSearchParams({ text: "second on telegram" }) });
  await page.getByText("second on telegram").waitFor();
  const sections = await page.locator("section").allInnerTexts();
  expect(
    sections.map((text) =>
      text
        .toLowerCase()
        .split(/\n+/)
        .filter((line) => line !== ""),
    ),
  ).toEqual([
    ["telegram", "ann first on telegram", "ann second on telegram"],
    ["discord", "ann first on discord"],
    ["slack", "ann first on slack"],
  ]);
});
