import { randomUUID } from "node:crypto";
import net from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { canPreview, canType } from "../../src/adapters/adapter.js";
import { chatIdOf, newSecret } from "../../src/adapters/web/ids.js";
import { normalise } from "../../src/adapters/web/normalise.js";
import { Previews } from "../../src/adapters/web/previews.js";
import { HermesError } from "../../src/errors.js";
import { EventReader } from "../http/support/events.js";
import { ask } from "../http/support/request.js";
import { StandIn, targetOf } from "../http/support/stand-in.js";
import { send } from "../support/send.js";

/** A browser without a screen: its cookie, its requests. */
class Browser {
  readonly #base: string;
  readonly #secret = newSecret();
  readonly chatId = chatIdOf(this.#secret);
  readonly streams: EventReader[] = [];

  constructor(base: string) {
    this.#base = base;
  }

  get headers(): Record<string, string> {
    return { cookie: `hermes_web=${this.#secret}` };
  }

  press(button: unknown, headers: Record<string, string> = { "content-type": "application/json" }) {
    const body = JSON.stringify({ id: randomUUID(), button, text: "Yes, do it" });
    const all = { ...this.headers, origin: this.#base, ...headers };
    return ask(`${this.#base}/api/chat/presses`, { method: "POST", headers: all, body });
  }

  post(body: unknown) {
    const headers = { ...this.headers, "content-type": "application/json", origin: this.#base };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return ask(`${this.#base}/api/chat/messages`, { method: "POST", headers, body: text });
  }

  async get(path: string) {
    return JSON.parse((await ask(`${this.#base}/api/chat/${path}`, { headers: this.headers })).text);
  }

  async listen(query = "", headers: Record<string, string> = {}): Promise<EventReader> {
    const stream = await EventReader.open(`${this.#base}/api/chat/events${query}`, {
      ...this.headers,
      ...headers,
    });
    this.streams.push(stream);
    return stream;
  }
}

let gateway: StandIn;
let ann: Browser;
let bob: Browser;

beforeEach(async () => {
  gateway = await new StandIn({ bounds: { streamsPerChat: 3, streams: 5 } }).start();
  ann = new Browser(gateway.url);
  bob = new Browser(gateway.url);
});

afterEach(async () => {
  for (const stream of [...ann.streams, ...bob.streams]) stream.close();
  await gateway.stop();
});

const targetFor = (browser: Browser) =>
  targetOf({
    platform: "web",
    account: "web",
    origin: { platform: "web", chatType: "dm", chatId: browser.chatId, userId: browser.chatId },
  });

describe("a browser", () => {
  it("gets its cookie with its first request, and keeps it", async () => {
    const first = await ask(`${gateway.url}/api/chat/session`);
    const cookie = first.headers["set-cookie"]![0]!;
    expect(cookie).toMatch(/^hermes_web=[0-9a-f]{32}; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Strict$/);
    const second = await ask(`${gateway.url}/api/chat/session`, {
      headers: { cookie: cookie.split(";")[0]! },
    });
    expect(second.headers["set-cookie"]).toBeUndefined();
    expect(JSON.parse(second.text).chat).toBe(JSON.parse(first.text).chat);
  });

  it("gets a secure cookie behind https, and a new one for a forged one", async () => {
    const headers = { "x-forwarded-proto": "https", cookie: "hermes_web=../../x" };
    const { headers: got } = await ask(`${gateway.url}/api/chat/session`, { headers });
    expect(got["set-cookie"]![0]).toMatch(/; Secure/);
  });

  it("gets no cookie with the page, because a link from another site comes without the old one", async () => {
    const page = await ask(gateway.url);
    expect(page.status).toBe(200);
    expect(page.headers["set-cookie"]).toBeUndefined();
  });

  it("has an id that doesn't reveal its secret", async () => {
    await ann.post({ id: randomUUID(), text: "hi" });
    expect(gateway.inbox[0]!.origin.chatId).toBe(ann.chatId);
    expect(ann.headers.cookie).not.toContain(ann.chatId);
  });
});

describe("a browser without its cookie", () => {
  const session = (headers: Record<string, string>) => ask(`${gateway.url}/api/chat/session`, { headers });

  it.each([
    ["a link on another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }],
    ["a link on a neighbouring site", { "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" }],
    ["a typed address", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" }],
    [
      "a link, in a browser that doesn't say from where",
      { accept: "text/html,application/xhtml+xml,*/*;q=0.8" },
    ],
  ])("keeps the identity it has elsewhere: %s gets no new cookie", async (_, headers) => {
    const answer = await session(headers);
    expect(answer.status).toBe(403);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  it.each([
    ["our page", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", accept: "*/*" }],
    ["our page, in a browser that doesn't say from where", { accept: "*/*" }],
  ])("gets a new identity from %s", async (_, headers) => {
    const answer = await session(headers);
    expect(answer.status).toBe(200);
    expect(answer.headers["set-cookie"]).toHaveLength(1);
  });
});

describe("a message", () => {
  it("is accepted once the inbox has it", async () => {
    const id = randomUUID();
    const answer = await ann.post({ id, text: "  Hello  " });
    expect(answer.status).toBe(202);
    expect(JSON.parse(answer.text)).toEqual({ accepted: true, chat: ann.chatId });
    expect(gateway.inbox).toMatchObject([
      { platform: "web", account: "web", eventId: id, text: "Hello", authenticated: true },
    ]);
  });

  it("is not accepted when the inbox rejects it", async () => {
    gateway.inboxFault = new HermesError("unavailable", "The disk is full");
    expect((await ann.post({ id: randomUUID(), text: "Hello" })).status).toBe(503);
  });

  it("is one message, also when it is sent again", async () => {
    const id = randomUUID();
    const answers = await Promise.all([1, 2, 3].map(() => ann.post({ id, text: "Hello" })));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    await ann.post({ id: id.toUpperCase(), text: "Hello" });
    expect(gateway.inbox).toHaveLength(1);
  });

  it.each([
    ["no id", { text: "x" }],
    ["an id that is no UUID", { id: "7", text: "x" }],
    ["no text", { id: randomUUID() }],
    ["an empty text", { id: randomUUID(), text: " \n " }],
    ["too long a text", { id: randomUUID(), text: "x".repeat(100_001) }],
    ["no JSON", "{"],
    ["null", "null"],
    ["a list", "[1]"],
  ])("with %s is refused with a reason", async (_, body) => {
    const answer = await ann.post(body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error.message).toMatch(/^A message/);
    expect(gateway.inbox).toEqual([]);
  });

  it("must be JSON, which another site's form can't send", async () => {
    const answer = await ask(`${gateway.url}/api/chat/messages`, {
      method: "POST",
      headers: { ...ann.headers, "content-type": "text/plain" },
      body: JSON.stringify({ id: randomUUID(), text: "x" }),
    });
    expect(answer.status).toBe(415);
  });

  it("is normalised by a pure function", () => {
    const id = "6F9619FF-8B86-D011-B42D-00C04FC964FF";
    expect(normalise({ id, text: "hi" }, "c1", 12.5)).toMatchObject({
      message: {
        eventId: id.toLowerCase(),
        origin: { platform: "web", chatType: "dm", chatId: "c1", userId: "c1", userName: "You" },
        sentAt: 12.5,
      },
    });
  });
});

describe("an answer", () => {
  it("arrives live with its outbox id, and is in the log", async () => {
    const events = await ann.listen();
    expect((await events.next("hello")).data).toEqual({ chat: ann.chatId });
    const receipt = await gateway.say(targetFor(ann), "Hi Ann", "answer", "t1");
    expect(receipt).toEqual({ messageIds: ["out:1"] });
    const event = await events.next("message");
    expect(event.id).toBe("1");
    expect(event.data).toMatchObject({
      id: "out:1",
      from: "bot",
      kind: "answer",
      text: "Hi Ann",
      turnId: "t1",
    });
    expect((await ann.get("log")).entries).toMatchObject([{ id: "out:1", text: "Hi Ann" }]);
  });

  it("that was missed comes first after a reconnection", async () => {
    for (const text of ["one", "two", "three"]) await gateway.say(targetFor(ann), text);
    const back = await ann.listen("?after=2", { "last-event-id": "1" });
    expect((await back.next("message")).data).toMatchObject({ text: "two" });
    expect((await back.next("message")).data).toMatchObject({ text: "three" });
    await gateway.say(targetFor(ann), "four");
    expect((await back.next("message")).data).toMatchObject({ text: "four" });

    const first = await ann.listen("?after=3");
    expect((await first.next("message")).data).toMatchObject({ text: "four" });
  });

  it("isn't missed if the log doesn't have it yet", async () => {
    // Delivery settles a message after the send: a page that is opened in between must see it all the same.
    const target = targetFor(ann);
    const message = { id: 7, nonce: "n", kind: "answer", target, text: "early", turnId: null } as const;
    await send(gateway.adapter, message, new AbortController().signal);
    expect(gateway.logOf(ann.chatId)).toEqual([]);
    expect((await ann.get("log")).entries).toMatchObject([{ id: "out:7", text: "early" }]);
    expect((await (await ann.listen("?after=0")).next("message")).data).toMatchObject({ id: "out:7" });
    expect((await bob.get("log")).entries).toEqual([]);
  });

  it("ignores an invalid Last-Event-ID", async () => {
    await gateway.say(targetFor(ann), "old");
    const events = await ann.listen("", { "last-event-id": "x; drop" });
    await gateway.say(targetFor(ann), "new");
    expect((await events.next("message")).data).toMatchObject({ text: "new" });
  });

  it("is previewed while it is written", async () => {
    const { adapter } = gateway;
    if (!canPreview(adapter) || !canType(adapter)) throw new Error("The web chat shows previews");
    const events = await ann.listen();
    await events.next("hello");
    adapter.type(targetFor(ann));
    await events.next("typing");
    for (let i = 1; i <= 500; i += 1) adapter.preview(targetFor(ann), "t1", "x".repeat(i));
    expect((await events.next("preview")).data).toEqual({ turnId: "t1", text: "x" });
    expect((await events.next("preview")).data).toEqual({ turnId: "t1", text: "x".repeat(500) });
    adapter.preview(targetFor(ann), "t1", "never shown: the answer is there");
    await gateway.say(targetFor(ann), "done", "answer", "t1");
    await events.next("message");
    expect(events.events.filter(({ event }) => event === "preview")).toHaveLength(2);
  });

  it("loses its preview when no answer follows", async () => {
    const { adapter } = gateway;
    const events = await ann.listen();
    await events.next("hello");
    adapter.preview(targetFor(ann), "t1", "half");
    adapter.preview(targetFor(ann), "t1", "never shown: the turn was stopped");
    adapter.dropPreview!(targetFor(ann), "t1");
    expect((await events.next("preview")).data).toEqual({ turnId: "t1", text: "half" });
    expect((await events.next("preview")).data).toEqual({ turnId: "t1", text: "" });
  });

  it("shows tool calls when they start and end, to its own browser only", async () => {
    const { adapter } = gateway;
    const [events, others] = [await ann.listen(), await bob.listen()];
    const call = { turnId: "t1", callId: "c1", tool: "web_search", args: '{"query":"x"}' };
    adapter.showTool(targetFor(ann), { ...call, state: "running" });
    adapter.showTool(targetFor(ann), { ...call, state: "done", seconds: 1.5 });
    expect((await events.next("tool-started")).data).toEqual({ ...call, state: "running" });
    expect((await events.next("tool-ended")).data).toEqual({ ...call, state: "done", seconds: 1.5 });
    await gateway.say(targetFor(bob), "hi");
    await others.next("message");
    expect(others.events.map(({ event }) => event)).not.toContain("tool-started");
  });

  it("is previewed twenty times a second at most", () => {
    vi.useFakeTimers();
    try {
      const shown: string[] = [];
      const previews = new Previews(50, (_, { text }) => shown.push(text));
      for (let ms = 0; ms < 1000; ms += 1) {
        previews.offer("c", { turnId: "t", text: String(ms) });
        vi.advanceTimersByTime(1);
      }
      expect(shown.length).toBeLessThanOrEqual(21);
      vi.runAllTimers();
      expect(shown.at(-1)).toBe("999");
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("browsers", () => {
  it("never see each other's messages", async () => {
    const [toAnn, toBob] = [await ann.listen(), await bob.listen()];
    gateway.setSession(ann.chatId, "s-ann", "Ann's secret");
    await ann.post({ id: randomUUID(), text: "from Ann" });
    gateway.adapter.preview(targetFor(ann), "t", "for Ann");
    gateway.adapter.type(targetFor(ann));
    await gateway.say(targetFor(ann), "for Ann");
    await toAnn.next("message");
    await gateway.say(targetFor(bob), "for Bob");
    expect((await toBob.next("message")).data).toMatchObject({ text: "for Bob" });

    expect(JSON.stringify(toBob.events)).not.toContain("Ann");
    expect(JSON.stringify(await bob.get("log"))).not.toContain("Ann");
    expect(await bob.get("session")).toEqual({ chat: bob.chatId, session: null });
    expect(await bob.get("sessions")).toEqual({ sessions: [] });
    const replayed = await bob.listen("?after=0");
    expect((await replayed.next("message")).data).toMatchObject({ text: "for Bob" });
  });

  it("show messages in all tabs", async () => {
    const [tab, otherTab] = [await ann.listen(), await ann.listen()];
    const id = randomUUID();
    await ann.post({ id, text: "hi" });
    for (const each of [tab, otherTab])
      expect((await each.next("sent")).data).toMatchObject({ id, text: "hi" });
  });
});

describe("the session", () => {
  it("is announced only when it changes", async () => {
    const events = await ann.listen();
    expect((await events.next("session")).data).toEqual({ id: null, title: null });
    gateway.setSession(ann.chatId, "s1", null);
    expect((await events.next("session")).data).toMatchObject({ id: "s1", title: null });
    gateway.adapter.refreshSession(ann.chatId);
    gateway.setSession(ann.chatId, "s1", "Trip to Rome");
    expect((await events.next("session")).data).toMatchObject({ id: "s1", title: "Trip to Rome" });
    expect(await ann.get("session")).toMatchObject({ session: { id: "s1", title: "Trip to Rome" } });
    expect(await ann.get("sessions")).toMatchObject({ sessions: [{ id: "s1", title: "Trip to Rome" }] });
  });

  it("offers the commands", async () => {
    const { commands } = await ann.get("commands");
    expect(commands[1]).toEqual({ name: "new", usage: "[title]", description: "Starts a new session" });
    expect(commands[0]).toEqual({ name: "help", usage: "", description: "What I understand" });
  });
});

describe("event streams", () => {
  it("are bounded per browser and in all, and freed when a tab goes", async () => {
    const tabs = await Promise.all([ann.listen(), ann.listen(), ann.listen()]);
    expect((await ann.listen()).status).toBe(503);
    expect((await bob.listen()).status).toBe(200);
    expect((await bob.listen()).status).toBe(200);
    expect((await bob.listen()).status).toBe(503);
    tabs[0]!.close();
    await vi.waitFor(async () => expect((await ann.listen()).status).toBe(200), { timeout: 5000 });
  });

  it("are bounded per address, with any identity", async () => {
    await gateway.stop();
    gateway = await new StandIn({ bounds: { streamsPerAddress: 2 } }).start();
    const from = async (address: string) => {
      const browser = new Browser(gateway.url);
      const stream = await browser.listen("", { "x-forwarded-for": address });
      ann.streams.push(stream);
      return stream.status;
    };
    expect([await from("192.0.2.1"), await from("192.0.2.1"), await from("192.0.2.1")]).toEqual([
      200, 200, 503,
    ]);
    expect(await from("192.0.2.2")).toBe(200);
    ann.streams[0]!.close();
    await vi.waitFor(async () => expect(await from("192.0.2.1")).toBe(200), { timeout: 5000 });
  });

  it("end when the adapter stops, and no message is accepted then", async () => {
    const events = await ann.listen();
    await gateway.adapter.disconnect();
    await events.over();
    expect((await ann.post({ id: randomUUID(), text: "late" })).status).toBe(503);
    expect(gateway.adapter.health().state).toBe("down");
  });

  it("send heartbeats", async () => {
    await gateway.stop();
    gateway = await new StandIn({ bounds: { heartbeatMs: 20 } }).start();
    ann = new Browser(gateway.url);
    const events = await ann.listen();
    await events.next("heartbeat");
    await events.next("heartbeat");
  });

  it("are closed if the tab doesn't read", async () => {
    const socket = net.connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(`GET /api/chat/events HTTP/1.1\r\nHost: localhost\r\nCookie: ${ann.headers.cookie}\r\n\r\n`);
    await new Promise((resolve) => socket.once("readable", resolve));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const text = "x".repeat(1_000_000);
    for (let i = 0; i < 30; i += 1) await gateway.say(targetFor(ann), text);
    // Reading on finds the end: the server has cut it.
    socket.resume();
    await closed;
  });
});

describe("a question", () => {
  const question = { id: "q1", choices: [{ id: "yes", label: "Yes, do it", style: "primary" as const }] };
  const buttons = [{ data: "q:q1:yes", label: "Yes, do it", style: "primary" }];

  async function asked() {
    const target = targetFor(ann);
    const message = { id: 7, nonce: "n", kind: "notice", target, text: "May I?", turnId: null } as const;
    await send(gateway.adapter, { ...message, question }, AbortSignal.timeout(5000));
    return target;
  }

  it("is in the log with its buttons, and with the decision afterwards", async () => {
    const target = await asked();
    expect((await ann.get("log")).entries).toMatchObject([{ id: "out:7", text: "May I?", buttons }]);
    await gateway.adapter.settleQuestion(target, ["out:7"], "May I? No.", AbortSignal.timeout(5000));
    const [entry] = (await ann.get("log")).entries;
    expect(entry).toMatchObject({ id: "out:7", text: "May I? No." });
    expect(entry).not.toHaveProperty("buttons");
    // The store may be late.
    gateway.logOf(ann.chatId).push({ ...entry, text: "May I?", buttons });
    expect((await ann.get("log")).entries).toEqual([entry]);
    expect((await bob.get("log")).entries).toEqual([]);
  });

  it("is answered by a press, which other tabs don't show as a message", async () => {
    await asked();
    const tab = await ann.listen();
    expect((await ann.press("q:q1:yes")).status).toBe(202);
    expect(gateway.inbox).toMatchObject([
      { text: "Yes, do it", choice: { questionId: "q1", choiceId: "yes" }, authenticated: true },
    ]);
    expect(gateway.inbox[0]!.origin).toMatchObject({ chatId: ann.chatId, userId: ann.chatId });
    await ann.post({ id: randomUUID(), text: "hello" });
    expect((await tab.next("sent")).data).toMatchObject({ text: "hello" });
    await bob.press("q:q1:yes");
    expect(gateway.inbox.at(-1)!.origin.userId).toBe(bob.chatId);
  });

  it("isn't answered by another site or by nonsense", async () => {
    await asked();
    expect((await ann.press("q:q1:yes", { "content-type": "text/plain" })).status).toBe(415);
    const foreign = { "content-type": "application/json", origin: "https://evil.example" };
    expect((await ann.press("q:q1:yes", foreign)).status).toBe(403);
    for (const button of ["menu", "q:Q1:yes", `q:q1:${"x".repeat(100)}`, 7, null])
      expect((await ann.press(button)).status).toBe(400);
    expect(gateway.inbox).toEqual([]);
  });
});
