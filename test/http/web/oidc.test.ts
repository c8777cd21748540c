import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Me } from "../../../src/adapters/web/api.js";
import { webPersonOf } from "../../../src/policies/web-person.js";
import { CLIENT, OidcIssuer } from "../../support/oidc-issuer.js";
import { comeBack, leave, visit } from "../../support/oidc-login.js";
import { ScriptedAgent } from "../../support/scripted-agent.js";
import { Browser, startWebChat, texts } from "../../support/web-chat.js";

interface World {
  issuer: OidcIssuer;
  url: string;
  browser: Browser;
}

interface More {
  /** Keys of `web_chat` before its `oidc`. */
  chat?: string;
  rest?(issuer: string): string;
}

async function world(rules: string, { chat = "", rest = () => "" }: More = {}): Promise<World> {
  const issuer = await OidcIssuer.start();
  const { client_id, client_secret } = CLIENT;
  const keys = `issuer: "${issuer.url}", client_id: ${client_id}, client_secret: ${client_secret}, label: Enter`;
  const scopes = "scopes: [openid, profile, email, groups]";
  const agent = new ScriptedAgent([{ say: ["An answer."] }]);
  const yaml = `web_chat: {${chat} oidc: {${keys}, ${scopes}, ${rules}}}\n${rest(issuer.url)}`;
  const { url } = await startWebChat({ agent, yaml });
  issuer.register(url!);
  return { issuer, url: url!, browser: new Browser(url!) };
}

async function attempt({ browser, url }: World) {
  const { to, cookie } = await leave(browser);
  return comeBack(await visit(to, url), cookie);
}

async function enter(place: World): Promise<Me> {
  const { status, code } = await attempt(place);
  expect(status).toBe(303);
  const { body } = await place.browser.ask<Me>("POST", "login/link", { code });
  return body;
}

describe("signing in with OpenID Connect", () => {
  it("makes a person of the issuer's, who has the browser's conversations and those of other devices", async () => {
    const place = await world("allowed_domains: [Example.org], allowed_groups: [staff, others]");
    const { browser, issuer, url } = place;
    expect(await browser.get("me")).toMatchObject({
      logins: { oidc: { label: "Enter", path: "/api/web/login/oidc" } },
    });
    const id = randomUUID();
    await browser.send(id, "before the login");
    await browser.settled(id);
    const person = { id: webPersonOf(`oidc:${issuer.url}#4711`), name: "Ann", signedIn: true, owner: false };
    expect((await enter(place)).person).toMatchObject(person);
    expect(texts(await browser.open(id))).toEqual(["user: before the login", "agent: An answer."]);
    const phone = new Browser(url);
    expect((await enter({ ...place, browser: phone })).person).toMatchObject(person);
    expect((await phone.conversations()).map((one) => one.id)).toEqual([id]);
    issuer.person = { ...issuer.person, sub: "4712" };
    const other = new Browser(url);
    expect((await enter({ ...place, browser: other })).person.id).not.toBe(person.id);
    expect(await other.conversations()).toEqual([]);
  });

  it("works behind a token, and knows owners", async () => {
    const place = await world("allow_all: true", {
      rest: (issuer) => `http: {token: a-token-for-the-server}\nowners: ["oidc:${issuer}#4711"]\n`,
    });
    expect(await (await fetch(`${place.url}/login`)).text()).toContain(
      'href="/api/web/login/oidc">Enter</a>',
    );
    const owner = new Browser(place.url, "");
    expect((await enter({ ...place, browser: owner })).person).toMatchObject({ signedIn: true, owner: true });
    expect((await owner.ask("GET", "conversations")).status).toBe(200);
    place.issuer.person.sub = "4712";
    const guest = new Browser(place.url, "");
    expect((await enter({ ...place, browser: guest })).person).toMatchObject({ owner: false });
  });

  it("returns to web_chat.url, as a proxy in front makes it known", async () => {
    const { issuer, browser } = await world("allow_all: true", { chat: 'url: "https://chat.example.org/",' });
    const { headers } = await browser.ask("GET", "login/oidc", undefined, { "x-forwarded-proto": "https" });
    const to = new URL(headers.get("location")!);
    expect([to.origin, to.searchParams.get("redirect_uri")]).toEqual([
      issuer.url,
      "https://chat.example.org/api/web/login/oidc/callback",
    ]);
    expect(headers.getSetCookie().join()).toMatch(/hermes_oidc=.*HttpOnly; Secure; SameSite=Lax/);
  });

  it.each([
    ["another domain", { email: "ann@example.org.evil.test" }, "your domain"],
    ["an address that isn't verified", { email_verified: false }, "verified"],
    ["no address", { email: undefined }, "verified"],
    ["no group", { groups: [] }, "group"],
    ["another group", { groups: ["staff2", "Staff"] }, "group"],
  ])("refuses %s", async (_, changed, words) => {
    const place = await world("allowed_domains: [example.org], allowed_groups: [staff]");
    Object.assign(place.issuer.person, changed);
    const { status, text, code } = await attempt(place);
    expect([status, code]).toEqual([403, null]);
    expect(text).toContain(words);
    expect(text).toContain('href="/api/web/login/oidc"');
  });

  it("takes an answer once, from the browser that asked, as the issuer gave it", async () => {
    const place = await world("allow_all: true");
    const { to, cookie } = await leave(place.browser);
    const back = await visit(to, place.url);
    const stranger = await leave(new Browser(place.url));
    expect((await comeBack(back, stranger.cookie)).status).toBe(403);
    expect((await comeBack(back, "")).status).toBe(403);
    const forged = new URL(back);
    forged.searchParams.set("state", "x".repeat(43));
    expect((await comeBack(forged, cookie)).status).toBe(403);
    expect((await comeBack(back, cookie)).status).toBe(303);
    const replayed = await comeBack(back, cookie);
    expect([replayed.status, replayed.code]).toEqual([403, null]);
    expect(replayed.text).toContain("finished already");
  });

  it.each([
    ["nonce", "doesn't belong to this sign-in"],
    ["code_challenge", "rejected this gateway's request"],
  ])("refuses an answer to another request: %s", async (name, words) => {
    const place = await world("allow_all: true");
    const { to, cookie } = await leave(place.browser);
    to.searchParams.set(name, "A".repeat(43));
    const { status, code, text } = await comeBack(await visit(to, place.url), cookie);
    expect([status, code]).toEqual([403, null]);
    expect(text).toContain(words);
  });

  it("says so when the person changed their mind", async () => {
    const place = await world("allow_all: true");
    const { to, cookie } = await leave(place.browser);
    const query = new URLSearchParams({
      ...{ error: "access_denied", error_description: "<script>", iss: place.issuer.url },
      state: to.searchParams.get("state")!,
    });
    const { status, text } = await comeBack(
      new URL(`${place.url}/api/web/login/oidc/callback?${query}`),
      cookie,
    );
    expect(status).toBe(403);
    expect(text).toContain("cancelled or refused");
    expect(text).not.toContain("<script>");
  });

  it("says so when the issuer is down, before and after the person was there", async () => {
    const place = await world("allow_all: true");
    const { to, cookie } = await leave(place.browser);
    const back = await visit(to, place.url);
    await place.issuer.stop();
    const late = await comeBack(back, cookie);
    expect([late.status, late.code]).toEqual([503, null]);
    expect(late.text).toContain("can't be reached");
    const other = await world("allow_all: true");
    await other.issuer.stop();
    const { status, body } = await other.browser.ask<string>("GET", "login/oidc");
    expect([status, body]).toEqual([503, expect.stringContaining("can't be reached")]);
  });

  it("slows down attempts", async () => {
    const { browser } = await world("allow_all: true");
    for (let tries = 0; tries < 10; tries += 1) await leave(browser);
    const { status, body } = await browser.ask<string>("GET", "login/oidc");
    expect([status, body]).toEqual([403, expect.stringContaining("Too many")]);
  });

  it("isn't there without an issuer", async () => {
    const { url } = await startWebChat();
    const browser = new Browser(url!);
    expect(await browser.get("me")).toMatchObject({ logins: { oidc: null } });
    expect((await browser.ask("GET", "login/oidc")).status).toBe(404);
    expect(await (await fetch(`${url}/login`)).text()).not.toMatch(/oidc|\{\{other/);
  });
});
