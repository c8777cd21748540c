import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { webPersonOf } from "../../src/policies/web-person.js";
import { says } from "../emulators/model-server.js";
import { findFaults } from "../support/axe.js";
import { useBrowser } from "../support/browser.js";
import { Daemon } from "../support/daemon.js";
import { gate } from "../support/gate.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";
import { asked, givePassword, loginPath, openPage, useChat } from "./support/chat.js";
import { composer, live, openContext, openTab, sees, spill, write } from "./support/page.js";

/** Who sees what: several people, and one person with several devices. */
const browser = useBrowser();
const chat = useChat();

const person = (name: string) => ({ person: webPersonOf(`test:${name}`), name, owner: false });

/** A browser that has opened a login link. */
async function signedIn(name: string): Promise<Page> {
  const { daemon } = chat();
  const page = await openTab(await openContext(browser(), daemon.url), await loginPath(daemon, person(name)));
  await page.waitForURL(`${daemon.url}/`);
  await page.getByRole("button", { name }).waitFor();
  await live(page);
  return page;
}

describe("people", () => {
  it("see nothing of one another, signed in or not", async () => {
    const [ann, bob] = [await openPage(browser(), chat()), await signedIn("Bob")];
    await write(ann, "ann's secret plan");
    await sees(ann, "ann's secret plan");
    const { pathname } = new URL(ann.url());
    await bob.goto(pathname);
    await live(bob);
    await write(bob, "hello");
    await sees(bob, "hello");
    expect(await bob.locator("body").textContent()).not.toContain("secret plan");
    for (const what of [pathname.replace("/c/", "conversations/"), "conversations?q=secret", "conversations"])
      expect(await (await bob.request.get(`/api/web/${what}`)).text()).not.toContain("secret");
    expect(await (await ann.request.get("/api/web/conversations?q=secret")).text()).toContain("secret plan");
  });

  it("use several devices, which stay in step and can be signed out", async () => {
    const [laptop, phone] = [await signedIn("Dora"), await signedIn("Dora")];
    const { opened } = gate();
    chat().model.script({ ...says("The first words", "never"), gates: [{ after: 1, opened }] });
    await write(laptop, "Tell me");
    await laptop.waitForURL("**/c/*");
    await phone.getByRole("link", { name: "Tell me" }).click();
    await phone.locator(".live", { hasText: "The first words" }).waitFor();
    await phone.getByRole("button", { name: "Stop the answer" }).click();
    for (const page of [laptop, phone]) await page.locator(".tag", { hasText: "Stopped" }).waitFor();
    await laptop.getByRole("button", { name: "Dora" }).click();
    await expect.poll(() => laptop.locator(".devices li").count()).toBe(2);
    await laptop.getByRole("button", { name: "Sign out", exact: true }).click();
    await expect.poll(() => laptop.locator(".devices li").count()).toBe(1);
    await phone.getByRole("button", { name: "Sign in" }).waitFor();
    await expect.poll(() => phone.locator(".row").count()).toBe(0);
    await expect.poll(() => phone.locator(".message").count()).toBe(0);
    await expect.poll(() => laptop.locator(".row").count()).toBe(1);
  });

  it("find their conversations again after they cleared their cookies", async () => {
    const page = await signedIn("Emil");
    await write(page, "remember the marmots");
    await sees(page, "remember the marmots");
    await page.context().clearCookies();
    await page.goto("/");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.goto(await loginPath(chat().daemon, person("Emil")));
    await page.getByRole("link", { name: "remember the marmots" }).click();
    await sees(page, "remember the marmots");
  });
});

describe("signing in", () => {
  it("works with a password, takes the browser's conversations along, and ends here or everywhere", async () => {
    const { daemon } = chat();
    await givePassword(daemon, "ann", "a rather long one");
    const context = await openContext(browser(), daemon.url);
    await asked(context, "before the login");
    const page = await openTab(context);
    await page.getByRole("button", { name: "Sign in" }).click();
    const enter = async (password: string) => {
      await page.getByLabel("Name").fill("ann");
      await page.getByLabel("Password").fill(password);
      await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
    };
    await enter("wrong");
    await page.getByText("The name or the password is wrong").waitFor();
    expect(await findFaults(page)).toEqual([]);
    await enter("a rather long one");
    await page.getByRole("link", { name: "before the login" }).waitFor();
    await page.getByRole("button", { name: "ann", exact: true }).click();
    await page.getByText("This device").waitFor();
    await page.getByRole("button", { name: "Sign out here" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await expect.poll(() => page.locator(".row").count()).toBe(0);
  });

  it("opens in the operator's browser at the start, as the owner, in the dashboard, too", async () => {
    const bin = tempDir();
    const opened = path.join(bin, "opened");
    fs.writeFileSync(path.join(bin, "xdg-open"), `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 });
    const daemon = new Daemon({ args: ["--open"] });
    await daemon.start({ PATH: `${bin}:${process.env.PATH}` });
    const link = await until(
      "it is opened",
      () => fs.existsSync(opened) && fs.readFileSync(opened, "utf8").trim(),
    );
    const page = await openTab(await openContext(browser(), daemon.url), link);
    await page.waitForURL(`${daemon.url}/`);
    await live(page);
    expect(await (await page.request.get("/api/web/me")).json()).toMatchObject({
      person: { owner: true, signedIn: true },
    });
    await page.goto("/dashboard/");
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/dashboard/");
    // Once: another browser that finds the link gets nothing.
    const other = await openTab(await openContext(browser(), daemon.url), link);
    await other.getByText("This link was already used, or has expired").waitFor();
  });

  it("works with a password on the page that asks for the token, too", async () => {
    const daemon = await new Daemon({ yaml: "http: {token: a-token-of-some-length}\n" }).start();
    const page = await openTab(await openContext(browser(), daemon.url, { width: 320, height: 640 }));
    await page.waitForURL("**/login");
    await expect.poll(() => page.getByLabel("Password").count()).toBe(0);
    await givePassword(daemon, "ann", "a rather long one");
    await page.goto("/c/some-conversation");
    const enter = async (password: string) => {
      await page.getByLabel("Name").fill("ann");
      await page.getByLabel("Password").fill(password);
      await page.getByRole("button", { name: "Sign in" }).click();
    };
    await enter("wrong");
    await page.getByText("The name or the password is wrong.").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findFaults(page)).toEqual([]);
    }
    expect(await spill(page)).toBe(0);
    await enter("a rather long one");
    await page.waitForURL("**/c/some-conversation");
    await write(page, "hello");
    await sees(page, "hello");
    // The rest of the port stays the owner's, and offers no password.
    await page.goto("/dashboard/");
    await page.waitForURL("**/login?next=*");
    await expect.poll(() => page.getByLabel("Password").count()).toBe(0);
  });
});

describe("sharing", () => {
  it("makes a link to read, which can be revoked", async () => {
    const { daemon, model } = chat();
    model.script(says("An **answer**"));
    const context = await openContext(browser(), daemon.url);
    const id = await asked(context, "About marmots");
    const page = await openTab(context, `/c/${id}`);
    await page.locator(".row").hover();
    await page.getByRole("button", { name: "Actions for About marmots" }).click();
    await page.getByRole("menuitem", { name: "Share" }).click();
    await page.getByRole("button", { name: "Create a link" }).click();
    const link = await page.getByLabel("Link", { exact: true }).inputValue();
    const reader = await openTab(await openContext(browser(), daemon.url), new URL(link).pathname);
    await reader.locator("strong", { hasText: "answer" }).waitFor();
    expect(await findFaults(reader)).toEqual([]);
    await expect.poll(() => composer(reader).count()).toBe(0);
    const served = await reader.request.get(link);
    expect(served.headers()["x-robots-tag"]).toBe("noindex");
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByLabel("Link", { exact: true }).waitFor({ state: "detached" });
    await reader.reload();
    await reader.getByText("This link has expired or was revoked.").waitFor();
  });
});
