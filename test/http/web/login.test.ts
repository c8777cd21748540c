import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Device, Me } from "../../../src/adapters/web/api.js";
import { webPersonOf } from "../../../src/policies/web-person.js";
import { newLoginCode } from "../../../src/sessions/web-login.js";
import { ScriptedAgent } from "../../support/scripted-agent.js";
import { Browser, startWebChat, texts } from "../../support/web-chat.js";

const agent = () => new ScriptedAgent([{ say: ["An answer."] }]);
const ANN = { person: webPersonOf("telegram:4711"), name: "Ann", owner: false };

const enter = (browser: Browser, code: string) => browser.ask<Me>("POST", "login/link", { code });

const dashboardCookie = (headers: Headers) =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("hermes_login="))!
    .split(";", 1)[0]!;

const dashboardStatus = async (url: string, cookie: string) =>
  (await fetch(`${url}/api/dashboard/overview`, { headers: { cookie } })).status;

async function talk(browser: Browser, text: string): Promise<string> {
  const id = randomUUID();
  await browser.send(id, text);
  await browser.settled(id);
  return id;
}

describe("signing in to the web chat", () => {
  it("makes the browser a device of a person, whose conversations are on all devices", async () => {
    const { url, store } = await startWebChat({ agent: agent() });
    const [laptop, phone] = [new Browser(url!), new Browser(url!)];
    const before = await talk(laptop, "before the login");
    const cookie = laptop.cookie;
    const { status, body } = await enter(laptop, await newLoginCode(store, ANN));
    expect([status, body.person]).toMatchObject([
      200,
      { id: ANN.person, name: "Ann", signedIn: true, owner: false },
    ]);
    expect(laptop.cookie).not.toBe(cookie);
    expect(texts(await laptop.open(before))).toEqual(["user: before the login", "agent: An answer."]);
    const onPhone = await talk(phone, "on the phone");
    await enter(phone, await newLoginCode(store, ANN));
    for (const one of [laptop, phone])
      expect((await one.conversations()).map(({ id }) => id)).toEqual([onPhone, before]);
    // It goes on where it was.
    await phone.send(before, "and on");
    expect(texts(await phone.settled(before))).toHaveLength(4);
    // The old cookie is worth nothing, and a lost one loses nothing.
    expect(await new Browser(url!, cookie).conversations()).toEqual([]);
    const fresh = new Browser(url!);
    await enter(fresh, await newLoginCode(store, ANN));
    expect(await fresh.conversations()).toHaveLength(2);
  });

  it("works once per link", async () => {
    const { url, store } = await startWebChat({ agent: agent() });
    const code = await newLoginCode(store, ANN);
    expect((await enter(new Browser(url!), code)).status).toBe(200);
    const second = await enter(new Browser(url!), code);
    expect([second.status, second.body]).toMatchObject([403, { error: { code: "refused" } }]);
  });

  it("lists devices, and signs them out", async () => {
    const { url, store } = await startWebChat({ agent: agent() });
    const [laptop, phone, bob] = [new Browser(url!), new Browser(url!), new Browser(url!)];
    for (const one of [laptop, phone]) await enter(one, await newLoginCode(store, ANN));
    const id = await talk(laptop, "private");
    const stream = await phone.events();
    await stream.next("hello");
    const { devices } = await laptop.get<{ devices: Device[] }>("devices");
    const other = devices.find(({ current }) => !current)!;
    expect(devices).toHaveLength(2);
    expect((await bob.ask("DELETE", `devices/${other.id}`)).status).toBe(404);
    expect((await laptop.ask("DELETE", `devices/${other.id}`)).status).toBe(204);
    await stream.over();
    expect(await phone.conversations()).toEqual([]);
    expect(await phone.open(id)).toMatchObject({ conversation: null, messages: [] });
    expect((await laptop.ask("POST", "logout")).status).toBe(204);
    expect(await laptop.get("me")).toMatchObject({ person: { signedIn: false } });
  });

  it("lets the operator in with the link of the start, to the dashboard, too", async () => {
    const { url, operatorLink } = await startWebChat({ agent: agent() });
    const owner = new Browser(url!);
    const link = new URL((await operatorLink())!);
    expect((await fetch(`${link.origin}${link.pathname}`)).status).toBe(200);
    const { body, headers } = await enter(owner, link.hash.slice(1));
    expect(body.person).toMatchObject({ owner: true, signedIn: true });
    expect(await dashboardStatus(url!, dashboardCookie(headers))).toBe(200);
    await owner.send("main", "/whoami");
    expect(texts(await owner.open("main")).length).toBeGreaterThan(0);
  });

  it("closes the dashboard on a device that is signed out", async () => {
    const { url, operatorLink } = await startWebChat({ agent: agent() });
    const [laptop, phone] = [new Browser(url!), new Browser(url!)];
    const enterAsOwner = async (browser: Browser) =>
      dashboardCookie((await enter(browser, new URL((await operatorLink())!).hash.slice(1))).headers);
    const [onLaptop, onPhone] = [await enterAsOwner(laptop), await enterAsOwner(phone)];
    expect(await dashboardStatus(url!, onPhone)).toBe(200);
    const { devices } = await laptop.get<{ devices: Device[] }>("devices");
    await laptop.ask("DELETE", `devices/${devices.find(({ current }) => !current)!.id}`);
    expect(await dashboardStatus(url!, onPhone)).toBe(401);
    // The device is part of what is signed.
    expect(await dashboardStatus(url!, onPhone.split(".").slice(0, 2).join("."))).toBe(401);
    expect(await dashboardStatus(url!, onLaptop)).toBe(200);
  });

  it("ends on all devices when the password is changed or removed", async () => {
    const { url, operatorLink } = await startWebChat({ agent: agent() });
    const [owner, ann] = [new Browser(url!), new Browser(url!)];
    await enter(owner, new URL((await operatorLink())!).hash.slice(1));
    const isIn = async () => (await ann.ask<Me>("GET", "me")).body.person.signedIn;
    for (const password of ["the first password", "the second password"]) {
      await owner.ask("PUT", "passwords/Ann", { password });
      expect(await isIn()).toBe(false);
      await ann.ask("POST", "login/password", { name: "ann", password });
      expect(await isIn()).toBe(true);
    }
    await owner.ask("DELETE", "passwords/Ann");
    expect(await isIn()).toBe(false);
    expect((await owner.ask<Me>("GET", "me")).body.person.signedIn).toBe(true);
  });

  it("takes passwords that the owner has set, and slows down guesses", async () => {
    const { url, operatorLink } = await startWebChat({ agent: agent() });
    const [owner, eve] = [new Browser(url!), new Browser(url!)];
    const password = "a long password";
    expect((await eve.ask("PUT", "passwords/ann", { password })).status).toBe(403);
    await enter(owner, new URL((await operatorLink())!).hash.slice(1));
    expect((await owner.ask("PUT", "passwords/Ann", { password: "short" })).status).toBe(400);
    expect((await owner.ask("PUT", "passwords/Ann", { password })).status).toBe(204);
    expect(await owner.get("passwords")).toEqual({ names: ["Ann"] });
    const login = (given: string) => eve.ask<Me>("POST", "login/password", { name: "ann", password: given });
    expect((await login(password)).body.person).toMatchObject({ name: "Ann", signedIn: true });
    expect(await eve.get("me")).toMatchObject({ logins: { password: true } });
    for (let tries = 0; tries < 10; tries += 1) expect((await login("wrong password")).status).toBe(403);
    const refused = await login(password);
    expect(refused.body).toMatchObject({ error: { message: expect.stringContaining("Too many") } });
  });

  it("opens the web chat, and nothing else, of a server with a token", async () => {
    const { url, store } = await startWebChat({ yaml: "http: {token: a-token-for-the-server}\n" });
    const ann = new Browser(url!, "");
    expect((await ann.ask("GET", "conversations")).status).toBe(401);
    expect((await enter(ann, await newLoginCode(store, ANN))).status).toBe(200);
    expect((await ann.ask("GET", "conversations")).status).toBe(200);
    const cookie = ann.cookie!;
    expect((await fetch(`${url}/`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${url}/api/dashboard/overview`, { headers: { cookie } })).status).toBe(401);
    expect((await fetch(`${url}/api/send/1`, { headers: { cookie } })).status).toBe(401);
  });

  it("waits until no answer is being written", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = new ScriptedAgent([{ wait: () => held }, { say: ["At last."] }]);
    const { url, store } = await startWebChat({ agent: slow });
    const ann = new Browser(url!);
    const tab = await ann.events();
    const id = randomUUID();
    await ann.send(id, "think");
    await tab.next("turn-started");
    const code = await newLoginCode(store, ANN);
    expect((await enter(ann, code)).status).toBe(409);
    release();
    await ann.settled(id);
    expect((await enter(ann, code)).status).toBe(200);
    expect(texts(await ann.open(id))).toEqual(["user: think", "agent: At last."]);
  });
});
