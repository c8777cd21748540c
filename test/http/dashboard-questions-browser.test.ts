import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import { HOSTILE, POST, sharedChats } from "./support/dashboard-chats.js";
import { expectFit, openDashboard } from "./support/dashboard-page.js";

/** Open questions, tools and remembered approvals, in a real browser, with people on an emulated Telegram. */

const browser = useBrowser();
const common = sharedChats();
const openAt = (to: string) => openDashboard(browser(), common(), to);
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const question = (page: Page) => page.locator(".question");

it("an approval is given from the dashboard, once, and the chat shows who decided", {
  timeout: 90_000,
}, async () => {
  const { tell, heard, counter, ann, get, actions } = common();
  const [page, other] = [await openAt("/questions"), await openAt("/questions")];
  await page.getByText("No open questions").waitFor();
  tell(POST);
  await question(page).filter({ hasText: "Allow post" }).filter({ hasText: "Ann" }).waitFor();
  await question(page).getByText("left").waitFor();
  await page.getByRole("link", { name: "Questions 1 open" }).waitFor();
  await expectFit(page);
  await button(other, "Allow once").waitFor();
  // The second operator's page is as it was before the first one decided.
  await other.route("**/api/dashboard/questions", (route) => route.abort());
  await other.route("**/api/dashboard/live", (route) => route.abort());
  await button(page, "Allow once").click();
  await page.getByText("Allow once: decided.").waitFor();
  await heard("done post");
  await heard(/Allow once \(Operator\)/);
  await page.getByText("No open questions").waitFor();
  await button(other, "Deny").click();
  await other.getByText("Operator has decided this already: Allow once").waitFor();
  expect(counter.effects).toHaveLength(1);
  const calls = JSON.parse((await get(`/audit?user=${ann.id}`)).text) as { calls: { decidedBy: string }[] };
  expect(calls.calls[0]!.decidedBy).toBe("dashboard:owner");
  await expect.poll(actions).toContain("questions/answer");
  const audit = (await get("/audit/actions")).text;
  expect(audit).toContain('"outcome":"conflict"');
});

it("an approval is denied, and a question answered with a choice or in other words", {
  timeout: 90_000,
}, async () => {
  const { tell, heard, counter, post } = common();
  const page = await openAt("/questions");
  const before = counter.effects.length;
  tell(POST);
  await button(page, "Deny").click();
  await heard(/Deny \(Operator\)/);
  expect(counter.effects).toHaveLength(before);
  await page.getByText("No open questions").waitFor();

  const clarify = {
    question: `Which one? ${HOSTILE} ${"y".repeat(300)}`,
    choices: ["Red", HOSTILE.slice(0, 50)],
  };
  tell(`!tool clarify ${JSON.stringify(clarify)}`);
  await question(page).filter({ hasText: "Which one?" }).waitFor();
  await expectFit(page);
  await button(page, "Red").click();
  await heard(/user_response[^}]*Red/);
  tell(`!tool clarify ${JSON.stringify({ question: "And how many?" })}`);
  await question(page).filter({ hasText: "how many" }).waitFor();
  await page.getByLabel("Another answer").fill("a dozen");
  await button(page, "Answer").click();
  await heard(/a dozen/);
  await page.getByText("No open questions").waitFor();
  expect(await page.evaluate("window.hacked")).toBeUndefined();

  expect((await post("/questions/answer", { id: "nothing", choice: "once" })).status).toBe(404);
  tell("/new");
  await question(page).filter({ hasText: "Start a new session?" }).waitFor();
  const id = (await question(page).getAttribute("aria-label"))!.split(" ").at(-1)!;
  expect((await post("/questions/answer", { id, choice: "1" })).status).toBe(400);
  await button(page, `Withdraw ${id}`).click();
  await button(page, "Withdraw now").click();
  await heard(/Withdrawn/);
  await page.getByText("No open questions").waitFor();
});

it("a remembered approval is listed and revoked: then the tool asks again", { timeout: 90_000 }, async () => {
  const { tell, heard, said, counter } = common();
  const page = await openAt("/questions");
  tell(POST);
  await button(page, "Always allow").click();
  await heard(/Always allow \(Operator\)/);
  await page.getByText("No open questions").waitFor();
  const before = counter.effects.length;
  tell(POST);
  await expect.poll(() => counter.effects.length, { timeout: 20_000 }).toBeGreaterThan(before);
  await page.goto("/dashboard/tools");
  const grant = page.locator(".person", { hasText: "post" });
  await grant.filter({ hasText: "Ann" }).filter({ hasText: "Always" }).waitFor();
  await expectFit(page);
  await button(page, "Revoke post").click();
  await button(page, "Revoke now").click();
  await page.getByText("“Always allow” and /yolo are remembered here").waitFor();
  const asked = said().filter((text) => text.includes("Allow post")).length;
  tell(POST);
  await expect.poll(() => said().filter((text) => text.includes("Allow post")).length).toBe(asked + 1);
  await page.goto("/dashboard/questions");
  await button(page, "Deny").click();
  await page.getByText("No open questions").waitFor();
});

it("every tool is listed with its source and rules, and what a person may use is explained", {
  timeout: 60_000,
}, async () => {
  const { ann, olga, post, get } = common();
  const page = await openAt("/tools");
  const tool = (name: string) => page.locator(`.tool-row[data-tool="${name}"]`);
  await tool("post").filter({ hasText: "From the embedding program" }).waitFor();
  await tool("post").filter({ hasText: "tools.post" }).filter({ hasText: "asks once per person" }).waitFor();
  await tool("memory")
    .filter({ hasText: "Built in" })
    .filter({ hasText: "By default: paired people" })
    .waitFor();
  await expectFit(page);
  await page.getByLabel(/^Person/).fill(`telegram:${ann.id}`);
  await button(page, "Explain").click();
  const explained = (name: string) => page.locator(`.explained [data-tool="${name}"]`);
  await explained("post")
    .filter({ hasText: "Offered" })
    .filter({ hasText: "Asks: Once per person" })
    .waitFor();
  await explained("cronjob").filter({ hasText: "Not offered" }).waitFor();
  await expectFit(page);
  await page.getByLabel(/^Room/).fill("telegram:-100");
  await button(page, "Explain").click();
  await page.getByText("in the room telegram:-100").waitFor();
  await page.goto(`/dashboard/tools?person=${encodeURIComponent(`telegram:${olga.id}`)}`);
  await page.getByText("is an owner").waitFor();
  await page.goto(`/dashboard/tools?person=${encodeURIComponent("telegram:99")}`);
  await page.getByText("may not talk to the bot: no list names them").waitFor();
  expect(await explained("post").textContent()).toContain("Not offered");

  for (const body of [{ tool: "post" }, { tool: "post", sessionId: "nothing" }])
    expect((await post("/tools/grants/revoke", body)).status).toBeGreaterThanOrEqual(400);
  expect((await get("/tools/explain?platform=telegram")).status).toBe(400);
});
