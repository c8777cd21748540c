import fs from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import { HOSTILE, sharedChats } from "./support/dashboard-chats.js";
import { expectFit, openDashboard as open } from "./support/dashboard-page.js";

/** People and what the agent remembers of them, in a real browser, with people on an emulated Telegram. */

const browser = useBrowser();
const common = sharedChats();
const openAt = (to: string) => open(browser(), common(), to);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const row = (page: Page, name: string) => page.locator(".person", { hasText: name });
const pageOf = (person: { id: number }) => `/people/${encodeURIComponent(`telegram:${person.id}`)}`;

it("a stranger is let in, has a page, and is shut out", { timeout: 90_000 }, async () => {
  const { users, tell, saidTo, actions } = common();
  const nora = users.person(`Nora ${HOSTILE}`.slice(0, 60));
  const page = await openAt("/people");
  await page.getByText("No pending requests").waitFor();
  tell("hello?", nora);
  await page.locator(".request", { hasText: "Nora" }).waitFor();
  await expectFit(page);
  await page
    .locator(".request", { hasText: "Nora" })
    .getByRole("button", { name: /^Approve/ })
    .click();
  await row(page, "Nora").filter({ hasText: "Paired" }).waitFor();
  tell("and now?", nora);
  await expect.poll(() => saidTo(nora).join()).toContain("and now?");

  await page.goto(`/dashboard${pageOf(nora)}`);
  await page.getByText("Because they were paired.").waitFor();
  await expectFit(page);
  await page.getByRole("button", { name: /^Revoke/ }).click();
  await button(page, "Revoke now").click();
  await page.getByText("May not talk").first().waitFor();
  await expect
    .poll(() => actions().filter((action) => action === "approve" || action === "revoke"))
    .toEqual(["approve", "revoke"]);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
});

it("a person who writes for the first time is listed at once", async () => {
  const { users, tell, saidTo, get } = common();
  const page = await openAt("/people");
  await get("/people");
  const pia = users.person("Pia");
  tell("is anyone there?", pia);
  await expect.poll(() => saidTo(pia)).not.toEqual([]);
  expect((await get("/people")).text).toContain('"Pia"');
  await row(page, "Pia").waitFor();
});

it("people are listed by name with their role and where it comes from, and found", async () => {
  const { tell, heard, olga, ann, mallory, saidTo } = common();
  tell("hello from Ann");
  await heard("hello from Ann");
  tell("hello from the owner", olga);
  await expect.poll(() => saidTo(olga).join()).toContain("hello from the owner");
  tell("hello from Mallory", mallory);
  await expect.poll(() => saidTo(mallory).join()).toContain("hello from Mallory");
  const page = await openAt("/people");
  await row(page, "Olga").filter({ hasText: "Owner" }).waitFor();
  await row(page, "Ann").filter({ hasText: "Allowed" }).waitFor();
  await page.getByText(HOSTILE.slice(0, 30)).first().waitFor();
  await expectFit(page);
  await page.getByLabel("Find a person by name or id").fill("olg");
  await expect.poll(() => page.locator(".person .row-link").allTextContents()).toEqual(["Olga"]);
  await page.getByLabel("Find a person by name or id").fill("");
  await page.getByLabel("Role").selectOption("owner");
  await expect.poll(() => page.locator(".person .row-link").allTextContents()).toEqual(["Olga"]);
  await page.locator(".person .row-link").click();
  await page.getByText("Because they are among the owners.").waitFor();
  await page.getByText(`${olga.id}`, { exact: true }).waitFor();

  await page.goto(`/dashboard${pageOf(ann)}`);
  await page.getByText("Because the platform's allow_from names them.").waitFor();
  await page.goto(`/dashboard${pageOf(mallory)}`);
  await page.getByText("Stored data").waitFor();
  await expectFit(page);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
});

it("notes are read, added, changed and deleted; one that changed meanwhile isn't overwritten", {
  timeout: 90_000,
}, async () => {
  const { tell, heard, ann, daemon, post } = common();
  const remember = (content: string) => tell(`!tool memory ${JSON.stringify({ action: "add", content })}`);
  remember(`likes tea ${HOSTILE}`);
  await heard("Saved");
  const page = await openAt(pageOf(ann));
  const notes = page.locator(".notes li");
  await notes.filter({ hasText: "likes tea" }).filter({ hasText: HOSTILE }).waitFor();
  await button(page, "Edit note 1").click();
  await page.getByLabel("Note", { exact: true }).fill("likes coffee");
  await button(page, "Save the note").click();
  await notes.filter({ hasText: "likes coffee" }).waitFor();
  await button(page, "Add a note").click();
  await page.getByLabel("Note", { exact: true }).fill("lives in Ulm\n§\nspeaks German");
  await button(page, "Save the note").click();
  await notes.filter({ hasText: "lives in Ulm" }).filter({ hasText: "speaks German" }).waitFor();
  await expect.poll(() => notes.count()).toBe(2);
  await expectFit(page);

  await button(page, "Edit note 1").click();
  remember("has a cat");
  const person = { platform: "telegram", userId: String(ann.id) };
  await expect.poll(() => fileOf(daemon.home)).toContain("has a cat");
  await page.getByLabel("Note", { exact: true }).fill("likes nothing");
  await button(page, "Save the note").click();
  await page.getByText("These notes have changed since you opened them.").waitFor();
  await notes.filter({ hasText: "has a cat" }).waitFor();
  expect(fileOf(daemon.home)).toContain("likes coffee");
  await button(page, "Cancel").click();
  await button(page, "Delete note 2").click();
  await button(page, "Delete now").click();
  await expect.poll(() => notes.allTextContents()).toHaveLength(2);
  expect(fileOf(daemon.home)).not.toContain("Ulm");

  const old = { person, entries: ["x"], version: "old" };
  expect((await post("/memory/save", old)).status).toBe(409);
  const { text } = await common().get(`/memory?platform=telegram&userId=${ann.id}`);
  const { version } = JSON.parse(text) as { version: string };
  const long = { person, entries: ["y".repeat(9000)], version };
  expect(JSON.parse((await post("/memory/save", long)).text).error.message).toContain("the limit is 8000");

  await page.goto("/dashboard/memory");
  await row(page, "Ann").waitFor();
  await button(page, "Add a note").click();
  await page.getByLabel("Note", { exact: true }).fill(`we are a team ${HOSTILE}`);
  await button(page, "Save the note").click();
  await notes.filter({ hasText: HOSTILE }).waitFor();
  expect(fs.readFileSync(daemon.file("memories/MEMORY.md"), "utf8")).toContain("we are a team");
  await expectFit(page);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
});

/** All notes about people. */
function fileOf(home: string): string {
  const folder = `${home}/memories/people`;
  const files = fs.readdirSync(folder, { recursive: true }).map(String);
  return files
    .filter((file) => file.endsWith(".md"))
    .map((file) => fs.readFileSync(`${folder}/${file}`, "utf8"))
    .join();
}

it("a login link and a password sign in to the web chat, and a device is signed out", {
  timeout: 90_000,
}, async () => {
  const { daemon, ann, tell, heard, actions, get } = common();
  tell("hello again");
  await heard("hello again");
  const page = await openAt(pageOf(ann));
  await page.getByText("No device is signed in.").waitFor();
  await button(page, "Make a login link for them").click();
  const link = await page.getByLabel("The first person who opens it is signed in").inputValue();
  expect(link.startsWith(`${daemon.url}/login/link#`)).toBe(true);
  await expectFit(page);
  const anns = await browser().newContext();
  const chat = await anns.newPage();
  await chat.goto(link);
  await chat.waitForURL(`${daemon.url}/`);
  await page.reload();
  await page.getByText("signed in").first().waitFor();
  await expectFit(page);
  const me = async () => {
    const answer = await chat.request.get(`${daemon.url}/api/web/me`);
    return answer.ok() && ((await answer.json()) as { person: { name: string; signedIn: boolean } }).person;
  };
  expect(await me()).toMatchObject({ name: "Ann", signedIn: true, owner: false });
  // The link of a person who is no owner doesn't open the dashboard.
  expect((await chat.request.get(`${daemon.url}/api/dashboard/people`)).status()).toBe(401);
  await page.getByRole("button", { name: /^Sign out/ }).click();
  await button(page, "Sign out now").click();
  await page.getByText("No device is signed in.").waitFor();
  expect(await me()).toBe(false);
  await anns.close();

  await page.goto("/dashboard/people");
  await page.getByLabel(/^Name:/).fill("carol");
  await page.getByLabel(/^Password/).fill("correct horse battery");
  await button(page, "Set the password").click();
  await page.locator(".person", { hasText: "carol" }).waitFor();
  expect(daemon.run.stderr).not.toContain("correct horse");
  expect((await get("/audit/actions")).text).not.toContain("correct horse");
  await button(page, "Remove the password carol").click();
  await button(page, "Remove the password now").click();
  await expect.poll(() => page.locator(".person", { hasText: "carol" }).count()).toBe(0);
  await button(page, "Make a link for me").click();
  const mine = await page.getByLabel("The first person who opens it is signed in").inputValue();
  const again = await browser().newContext();
  const dashboard = await again.newPage();
  await dashboard.goto(mine);
  await dashboard.waitForURL(`${daemon.url}/`);
  expect((await dashboard.request.get(`${daemon.url}/api/dashboard/people`)).status()).toBe(200);
  await again.close();
  expect(actions()).toEqual(
    expect.arrayContaining([
      ...["people/login-link", "people/devices/revoke"],
      ...["people/password", "people/password/remove"],
    ]),
  );
});

it("a person's data is downloaded, then erased after saying what goes", { timeout: 90_000 }, async () => {
  const { users, tell, saidTo, daemon, post, get } = common();
  const zoe = users.person("Zoe");
  tell("let me in", zoe);
  const people = await openAt("/people");
  await button(people, "Approve Zoe").click();
  await row(people, "Zoe").waitFor();
  tell("the secret word is heliotrope", zoe);
  await expect.poll(() => saidTo(zoe).join()).toContain("heliotrope");
  tell('!tool memory {"action": "add", "content": "grows heliotrope"}', zoe);
  await expect.poll(() => saidTo(zoe).join()).toContain("Saved");

  const page = await openAt(pageOf(zoe));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^telegram-\d+-.*\.tar\.gz$/);
  const bytes = fs.readFileSync(await download.path());
  expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
  expect(fs.readdirSync(daemon.home).filter((name) => name.startsWith(".export"))).toEqual([]);

  await button(page, "Erase…").click();
  const plan = page.getByRole("region", { name: "What is erased" });
  await plan.getByText("1 session with").waitFor();
  await plan.getByText("the agent’s notes about them").waitFor();
  await plan.getByText("their pairing").waitFor();
  await expectFit(page);
  await button(page, "Keep everything").click();
  await button(page, "Erase…").click();
  await button(page, "Erase Zoe").click();
  await button(page, "Erase now").click();
  await page.getByText("Zoe was erased.").waitFor({ timeout: 40_000 });
  await page.getByRole("heading", { level: 1, name: "People" }).waitFor();
  await row(page, "Ann").or(page.locator(".empty")).first().waitFor();
  await expect.poll(() => row(page, "Zoe").count()).toBe(0);

  const gone = `platform=telegram&userId=${zoe.id}`;
  for (const what of ["one", "erasure", "export"])
    expect((await get(`/people/${what}?${gone}`)).status, what).toBe(404);
  const again = { platform: "telegram", userId: String(zoe.id) };
  expect((await post("/people/erase", again)).status).toBe(404);
  // The audit says that someone was erased, not who.
  const audit = (await get("/audit/actions?limit=200")).text;
  expect(audit).toContain("people/erase");
  expect(audit).not.toContain(String(zoe.id));
  expect(fs.readdirSync(daemon.home, { recursive: true }).map(String).join()).not.toContain(`${zoe.id}-`);
  // An erased person is a stranger again.
  tell("hello, me again", zoe);
  await expect.poll(() => saidTo(zoe).at(-1)).toMatch(/code/i);
});
