import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { McpAnswer } from "../../src/http/dashboard/operations-types.js";
import { scripted } from "../mcp/support/servers.js";
import { useBrowser } from "../support/browser.js";
import { tempDir } from "../support/temp.js";
import { startDashboard, TOKEN } from "./support/dashboard.js";
import { expectFit, openDashboard } from "./support/dashboard-page.js";

/** MCP servers in the dashboard, in a real browser, with real servers of the real daemon. */

const browser = useBrowser();
const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> ${"x".repeat(400)}`;

const card = (page: Page, name: string) => page.locator(`[data-mcp=${name}]`);
const state = (page: Page, name: string, text: string) =>
  card(page, name).locator(".badge").getByText(text, { exact: true }).waitFor();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const yamlOf = (servers: object) => `http: {token: ${TOKEN}}\nmcp_servers: ${JSON.stringify(servers)}\n`;

it("servers are shown with their tools, reconnected one by one, and reloaded", async () => {
  const broken = path.join(tempDir(), "broken");
  fs.writeFileSync(broken, "");
  const files = scripted(["--says", HOSTILE], {
    trust: "untrusted",
    allow: ["owner"],
    env: { KEY: "hidden-value" },
  });
  const weather = scripted(["--fail-if", broken]);
  const off = scripted([], { enabled: false });
  const shown = await startDashboard({ days: 0, traffic: 0, yaml: yamlOf({ files, weather, off }) });
  const page = await openDashboard(browser(), shown, "/mcp");
  await state(page, "files", "Ready");
  await state(page, "files", "Untrusted");
  await state(page, "off", "Off");
  await state(page, "weather", "Failing");
  await card(page, "weather").getByText("I can't find my files").waitFor();
  await card(page, "files").getByText("10 tools").click();
  await card(page, "files").getByText("mcp__files__read").waitFor();
  await card(page, "files").locator("dd", { hasText: "onerror=" }).waitFor();
  await expectFit(page);
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  expect(JSON.stringify(await shown.get<McpAnswer>("/mcp"))).not.toContain("hidden-value");

  fs.rmSync(broken);
  await button(page, "Reconnect weather").click();
  await page.getByText("weather is connected.").waitFor();
  await state(page, "weather", "Ready");
  await card(page, "weather").getByText("Last error").waitFor();

  const more = scripted();
  fs.writeFileSync(shown.daemon.file("config.yaml"), yamlOf({ files, more }), { mode: 0o600 });
  await button(page, "Reload").click();
  await button(page, "Cancel").click();
  await button(page, "Reload").click();
  await button(page, "Reload now").click();
  await page.getByText("2 of 2 servers ready").waitFor();
  await state(page, "more", "Ready");
  await expect.poll(() => card(page, "weather").count()).toBe(0);
  const done = shown.daemon.run.logged("operator").map(({ action }) => action);
  expect(done).toEqual(["reconnect-mcp", "reload-mcp"]);

  // A configuration that can't be read changes nothing.
  fs.writeFileSync(shown.daemon.file("config.yaml"), "mcp_servers: [\n", { mode: 0o600 });
  await button(page, "Reload").click();
  await button(page, "Reload now").click();
  await page.locator(".notice.failed").waitFor();
  await state(page, "files", "Ready");
}, 120_000);
