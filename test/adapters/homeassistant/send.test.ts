import { describe, expect, it } from "vitest";
import { probeHomeAssistant } from "../../../src/adapters/homeassistant/probe.js";
import type { Target } from "../../../src/message.js";
import { answer, failure } from "../../contract/tell.js";
import { TOKEN } from "../../emulators/homeassistant/index.js";
import { send } from "../../support/send.js";
import { patience, setUp } from "./support.js";

const to = (chatId: string): Target => ({
  ...{ platform: "homeassistant", account: "homeassistant", chatType: "channel", chatId },
  ...{ threadId: null, userId: null, replyTo: null },
});

describe("an answer", () => {
  it("is a notification in Markdown that another attempt replaces", async () => {
    const { emulator, adapter } = await setUp();
    const message = answer(to("ha_events"), "**hi**");
    const { messageIds } = await send(adapter, message, patience());
    await send(adapter, { ...message, mayBeRepeat: true }, patience());
    expect([...emulator.notifications.values()]).toMatchObject([{ id: messageIds[0], text: "**hi**" }]);
    await send(adapter, answer(to("ha_events"), "another"), patience());
    expect(emulator.notifications.size).toBe(2);
  });

  it("replaces the one before it if that is wanted", async () => {
    const { emulator, adapter } = await setUp({ oneNotification: true });
    for (const text of ["one", "two"]) await send(adapter, answer(to("ha_events"), text), patience());
    expect([...emulator.notifications.values()].map(({ text }) => text)).toEqual(["two"]);
  });

  it("goes to a notify service as plain text, and a repeat says so", async () => {
    const { emulator, adapter } = await setUp();
    const message = answer(to("notify.mobile_app_phone"), "**hi**");
    await send(adapter, message, patience());
    await send(adapter, { ...message, mayBeRepeat: true }, patience());
    const [first, again] = emulator.notified;
    expect(first).toMatchObject({ service: "mobile_app_phone", body: { message: "hi" } });
    expect(again!.body.message).toBe("(This may be a repeat.)\nhi");
    expect(again!.body.data).toEqual(first!.body.data);
  });

  it("goes nowhere else", async () => {
    const { emulator, adapter } = await setUp();
    const before = emulator.server.calls.length;
    for (const chat of ["notify.a/../b", "light.turn_on", "notify."])
      expect((await failure(send(adapter, answer(to(chat), "hi"), patience()))).outcome).toBe("refused");
    expect(emulator.server.calls).toHaveLength(before);
  });
});

describe("doctor", () => {
  const watch = { domains: [], entities: [], ignored: [], all: false };

  it("counts what is watched, and names what is missing", async () => {
    const { emulator } = await setUp();
    const probe = async (more: object, token = TOKEN) => {
      const bot = { token, apiUrl: emulator.url, watch: { ...watch, ...more } };
      return (await probeHomeAssistant(bot, { running: false, signal: patience() })).findings;
    };
    expect(await probe({ domains: ["light"] })).toMatchObject([
      { state: "ok" },
      { state: "ok", message: "2 of 3 entities are watched" },
    ]);
    expect((await probe({}))[1]).toMatchObject({ state: "warn", fix: expect.stringContaining("watch_") });
    expect((await probe({ entities: ["light.gone", "light.lamp"] })).at(-1)).toMatchObject({
      ...{ state: "warn", message: expect.stringContaining("light.gone") },
    });
    expect((await probe({ domains: ["vacuum"] }))[1]!.state).toBe("warn");
    expect(await probe({}, "x.y.z")).toMatchObject([
      { state: "fail", fix: expect.stringContaining("HASS_TOKEN") },
    ]);
  });

  it("says that Home Assistant can't be reached", async () => {
    const bot = { token: TOKEN, apiUrl: "http://127.0.0.1:1", watch };
    const { findings } = await probeHomeAssistant(bot, { running: false, signal: patience() });
    expect(findings).toMatchObject([{ state: "fail", fix: expect.stringContaining("api_url") }]);
  });
});
