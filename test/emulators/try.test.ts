import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { useBrowser } from "../support/browser.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";
import { EMULATED_NAMES } from "./all.js";

const browser = useBrowser();
const PROGRAM = new URL("try.ts", import.meta.url).pathname;

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, ...args], {
    env: { ...process.env, EMULATORS_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill();
    await ended;
  });
  return { child, ended };
}

/** Gives its address and the configuration that it prints. */
async function startPage(
  names: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<{ url: string; config: string }> {
  const { child } = start(names, env);
  child.stderr.pipe(process.stderr);
  let url: string | undefined;
  let config = "";
  for await (const line of createInterface(child.stdout)) {
    if (url === undefined) url = /http:\S+/.exec(line)?.[0];
    else if (line.startsWith("allow_all") || config !== "") config += `${line}\n`;
    if (url !== undefined && config !== "" && line === "") return { url, config };
  }
  throw new Error("The emulators ended before they said where they are");
}

const write = (url: string, name: string, words: string) =>
  fetch(`${url}/say`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client: name, chat: "ann", person: "Ann", text: words }),
  });

it("the emulators' page shows each platform's chat under its own name, also when it refreshes", async () => {
  const { url, config } = await startPage();
  expect(Object.keys(parse(config).platforms)).toEqual(EMULATED_NAMES);
  for (const name of EMULATED_NAMES) await write(url, name, `first on ${name}`);
  const page = await browser().newPage();
  await page.goto(url);
  // What comes now is seen when the page has refreshed itself.
  await write(url, "telegram", "second on telegram");
  await page.getByText("second on telegram").waitFor();
  const shown = await page
    .locator("section")
    .evaluateAll((sections) =>
      sections.map((section) => [
        section.querySelector("h2")?.textContent,
        ...[...section.querySelectorAll(".bubble")].map((bubble) => bubble.textContent),
      ]),
    );
  expect(shown).toEqual(
    EMULATED_NAMES.map((name) => [
      name,
      `Annfirst on ${name}`,
      ...(name === "telegram" ? ["Annsecond on telegram"] : []),
    ]),
  );
});

it("only the named platforms start, and a gateway with the printed configuration answers on the page", async () => {
  const daemon = new Daemon({ yaml: "allow_all: true\n" });
  await daemon.start();
  const { url, config } = await startPage(["matrix", "sms"], { EMULATORS_GATEWAY: daemon.url });
  expect(Object.keys(parse(config).platforms)).toEqual(["matrix", "sms"]);
  await daemon.stop();
  daemon.configure(config);
  await daemon.start();
  await until("it is ready", () => daemon.isReady());
  const page = await browser().newPage();
  await page.goto(url);
  for (const name of ["matrix", "sms"]) {
    await page.getByLabel(`Message on ${name}`).fill(`hello ${name}`);
    await page.getByLabel(`Message on ${name}`).press("Enter");
    await page.locator("li.bot", { hasText: `hello ${name}` }).waitFor();
  }
}, 60_000);

it("a name that it doesn't know is an error with the list of names", async () => {
  const { child, ended } = start(["matrix", "pigeon"]);
  const said = await text(child.stderr);
  expect(await ended).toEqual([2, null]);
  expect(said).toContain("There is no emulator of 'pigeon'.");
  expect(said).toContain(EMULATED_NAMES.join(", "));
});
