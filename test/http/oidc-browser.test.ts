import type { BrowserContext } from "playwright-core";
import { expect, it } from "vitest";
import { useBrowser } from "../support/browser.js";
import { CLIENT, OidcIssuer } from "../support/oidc-issuer.js";
import { startWebChat } from "../support/web-chat.js";

/** What only a real browser shows: which cookies it sends on the way back from another site. */
const browser = useBrowser();

/** As the page's button does it: from a page of ours. */
async function signIn(context: BrowserContext, url: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  await page.evaluate(`void setTimeout(() => location.assign("/api/web/login/oidc"))`);
  // By way of the issuer to the chat.
  await page.waitForURL(`${url}/`);
  await page.close();
}

it("signs in at an issuer on another site, and knows the browser afterwards", async () => {
  const issuer = await OidcIssuer.start("localhost");
  const oidc = { ...CLIENT, issuer: issuer.url, allowed_domains: ["example.org"] };
  const yaml = `web_chat: ${JSON.stringify({ oidc })}\nhttp: {token: a-token-for-the-server}\n`;
  const { url } = await startWebChat({ yaml });
  issuer.register(url!);
  const context = await browser().newContext();
  try {
    const ask = async (what: string) => (await context.request.get(`${url}/api/web/${what}`)).json();
    expect(await ask("me")).toMatchObject({ error: { code: "refused" } });
    await signIn(context, url!);
    expect(await ask("me")).toMatchObject({ person: { name: "Ann", signedIn: true } });
    // Signing in again replaces the device: the browser's own cookie came along, although it is Strict.
    await signIn(context, url!);
    expect(await ask("devices")).toMatchObject({ devices: [{ current: true }] });
    const cookies = await context.cookies(url!);
    expect(cookies.find(({ name }) => name === "hermes_web")).toMatchObject({ sameSite: "Strict" });
    issuer.person.email = "ann@evil.test";
    const page = await context.newPage();
    await page.goto(`${url}/api/web/login/oidc`);
    expect(await page.getByRole("alert").textContent()).toContain("your domain");
  } finally {
    await context.close();
  }
}, 90_000);
