import fs from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { webPersonOf } from "../../src/policies/web-person.js";
import { says } from "../emulators/model-server.js";
import { useBrowser } from "../support/browser.js";
import { Daemon } from "../support/daemon.js";
import { gate } from "../support/gate.js";
import { until } from "../support/until.js";
import { givePassword, loginPath, openPage, startChat } from "./support/chat.js";
import { answers, questions, sees, write } from "./support/page.js";

/** kill -9 of the daemon, seen from a browser whose person does nothing about it. */
const browser = useBrowser();
const ANN = { person: webPersonOf("telegram:1"), name: "Ann", owner: false };
const PASSWORD = "a rather long one";

const bubbles = (page: Page) => questions(page).locator(".bubble").allInnerTexts();

describe("kill -9", { timeout: 60_000 }, () => {
  it("during a stream: the answer comes after the restart, and everything is shown once", async () => {
    const chat = await startChat();
    const { opened } = gate();
    chat.model.script(
      { ...says("Half of ", "never"), gates: [{ after: 1, opened }] },
      says("Half of it, and the rest"),
    );
    const page = await openPage(browser(), chat);
    await write(page, "Tell me");
    await page.locator(".live", { hasText: "Half of" }).waitFor();
    await chat.daemon.kill();
    await page.getByText("Reconnecting…").waitFor();
    await write(page, "And then?");
    await page.locator(".unsent", { hasText: "And then?" }).waitFor();
    await chat.daemon.start();
    await sees(page, "Half of it, and the rest");
    await sees(page, "You said: And then?");
    await page.locator(".live").waitFor({ state: "detached" });
    const check = async () => {
      await expect.poll(() => bubbles(page)).toEqual(["Tell me", "And then?"]);
      await expect.poll(() => answers(page).count()).toBe(2);
      await expect.poll(() => page.locator(".unsent, .queued").count()).toBe(0);
    };
    await check();
    await page.reload();
    await check();
  });

  it("during an upload: the file is sent again by itself, and is there once", async () => {
    const daemon = await new Daemon().start();
    const page = await openPage(browser(), { daemon });
    const slow = await page.context().newCDPSession(page);
    const speed = (uploadThroughput: number) =>
      slow.send("Network.emulateNetworkConditions", {
        ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput },
      });
    await slow.send("Network.enable");
    await speed(100_000);
    const buffer = Buffer.alloc(3_000_000, "a");
    await page
      .getByLabel("Files", { exact: true })
      .setInputFiles([{ name: "large.txt", mimeType: "text/plain", buffer }]);
    const folder = daemon.file("media", "in");
    await until("it is being written", () => fs.existsSync(folder) && fs.readdirSync(folder).length > 0);
    await daemon.kill();
    await page.locator(".attachment[data-state=failed]", { hasText: "The connection was lost" }).waitFor();
    await speed(-1);
    await daemon.start();
    await page.locator(".attachment[data-state=done]").waitFor();
    await write(page, "read this");
    await sees(page, "read this");
    const card = questions(page).getByRole("link", { name: /large.txt/ });
    await expect.poll(() => card.count()).toBe(1);
    const saved = await page.request.get((await card.getAttribute("href"))!);
    expect((await saved.body()).equals(buffer)).toBe(true);
  });

  it("during a login with a link: it signs in after the restart, once, with the browser's conversations", async () => {
    const daemon = await new Daemon().start();
    const page = await openPage(browser(), { daemon });
    await write(page, "before the login");
    await sees(page, "before the login");
    await daemon.kill();
    await daemon.start({ HERMES_KILL_AT: "login-moved" });
    await page.goto(await loginPath(daemon, ANN));
    await page.getByText("The gateway can't be reached. Trying again").waitFor();
    await daemon.run.ended;
    await daemon.start();
    await page.waitForURL(`${daemon.url}/`);
    await page.getByRole("link", { name: "before the login" }).click();
    await sees(page, "before the login");
    await page.getByRole("button", { name: "Ann" }).click();
    await page.getByText("This device").waitFor();
    await expect.poll(() => page.locator(".devices li").count()).toBe(1);
  });

  it("during a login with a password: it goes on after the restart", async () => {
    const daemon = await new Daemon().start();
    await givePassword(daemon, "ann", PASSWORD);
    await daemon.restart({ HERMES_KILL_AT: "login-moved" });
    const page = await openPage(browser(), { daemon });
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Name").fill("ann");
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
    await daemon.run.ended;
    await daemon.start();
    await page.getByRole("button", { name: "ann", exact: true }).waitFor();
  });
});
