import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { says } from "../emulators/model-server.js";
import type { Daemon } from "../support/daemon.js";
import { PLATFORMS, type PlatformName } from "../support/platforms.js";
import { until } from "../support/until.js";
import { HALF, modelScene, WHOLE } from "./support/previews.js";

const UNFINISHED = `${HALF} ▉`;

/** A daemon in whose chats answers are shown that don't go on. One speaks to all platforms. */
async function started({ top = "", killAt = "", only = PLATFORMS } = {}) {
  const { model, chats, daemon, connected } = await modelScene(top, only);
  await daemon.start(killAt === "" ? {} : { HERMES_KILL_AT: killAt });
  await connected();
  const chatOn = (platform: PlatformName) => {
    const chat = chats[platform];
    const about = { found: () => [platform, ...chat.seen()] };
    return {
      ...chat,
      askHalf: async () => {
        const before = chat.seen().length;
        model.script({ text: [HALF], stallAfter: 1 });
        chat.say("question");
        await until("it is shown", () => chat.seen().length > before, about);
        expect(chat.seen().at(-1), platform).toBe(UNFINISHED);
      },
      has: (count: number) =>
        until(`${count} messages are there`, () => chat.seen().length === count && chat.seen(), about),
      ends: (words: string) =>
        until(`it ends with ${words}`, () => chat.seen().at(-1)?.includes(words), about),
      /** Finally the chat holds its words, followed by the other messages, and nothing else. */
      becomes: (...others: string[]) =>
        until("the chat looks as it should", () => isLeft(chat.seen(), others), about),
    };
  };
  return { model, daemon, chatOn, chats: PLATFORMS.map(chatOn), connected };
}

function isLeft([first, ...rest]: readonly string[], others: readonly string[]): boolean {
  return (
    first === HALF && rest.length === others.length && others.every((text, i) => rest[i]!.includes(text))
  );
}

const restartSoon = "agent: {restart_drain_timeout: 0.1}";
const interrupting = "display: {busy_input_mode: interrupt}";

describe("an answer that never comes, on each platform,", () => {
  it("keeps its words when it is stopped, before the stop is answered", async () => {
    for (const chat of (await started()).chats)
      for (const [i, command] of ["/stop", "/new"].entries()) {
        await chat.askHalf();
        chat.say(command);
        expect((await chat.has(2 * i + 2))[2 * i]).toBe(HALF);
        expect(chat.calls().slice(-2)).toEqual(["edit", "post"]);
      }
  }, 60_000);

  it("is answered again by /retry, in a new message", async () => {
    const { model, chats } = await started();
    for (const chat of chats) {
      await chat.askHalf();
      chat.say("/stop");
      await chat.has(2);
      model.script(says(WHOLE));
      chat.say("/retry");
      await chat.ends(WHOLE);
      expect(chat.seen()).toEqual([HALF, expect.stringContaining("Stopped."), WHOLE]);
    }
  }, 60_000);

  it("keeps its words when another message interrupts it", async () => {
    for (const chat of (await started({ top: interrupting })).chats) {
      await chat.askHalf();
      chat.say("another");
      await chat.becomes("another");
    }
  }, 60_000);

  it("keeps its words when its turn fails", async () => {
    for (const chat of (await started({ top: "agent: {gateway_timeout: 1}" })).chats) {
      await chat.askHalf();
      await chat.becomes("That took too long: there was no progress for 1 s");
    }
  }, 60_000);

  it("is deleted after a restart if it has no text", async () => {
    const { model, daemon, chats, connected } = await started({ top: restartSoon });
    for (const chat of chats) await chat.askHalf();
    await daemon.stop();
    for (const chat of chats) expect(chat.seen()).toEqual([UNFINISHED]);
    for (const _ of chats) model.script({ text: [HALF], firstWordAfterMs: 60_000 });
    const asked = model.requests.length;
    await daemon.start();
    await connected();
    await model.received(asked + chats.length);
    for (const chat of chats) {
      chat.say("/stop");
      await chat.ends("Stopped.");
      expect(chat.seen()).toHaveLength(1);
      expect(chat.calls().slice(-2)).toEqual(["delete", "post"]);
    }
  }, 60_000);

  it("stays as it is if the platform rejects the edit, and blocks nothing", async () => {
    for (const chat of (await started()).chats) {
      await chat.askHalf();
      chat.refuseEdits();
      chat.say("/stop");
      expect(await chat.has(2)).toEqual([UNFINISHED, expect.stringContaining("Stopped.")]);
      chat.say("hello");
      expect((await chat.has(3))[2]).toContain("hello");
    }
  }, 60_000);

  it.each(PLATFORMS)(
    "keeps its words after a crash at the end of its turn on %s",
    async (platform) => {
      const { daemon, chatOn } = await started({
        ...{ top: interrupting, killAt: "turn-committed:1" },
        only: [platform],
      });
      const chat = chatOn(platform);
      await chat.askHalf();
      chat.say("another");
      await daemon.run.ended;
      expect(chat.seen()).toEqual([UNFINISHED]);
      await daemon.start();
      await chat.becomes("another");
    },
    60_000,
  );

  it("is found where its id was lost and the platform can be asked", async () => {
    const { chatOn } = await started({ only: ["discord", "slack"] });
    for (const chat of [chatOn("discord"), chatOn("slack")]) {
      chat.cut();
      await chat.askHalf();
      chat.say("/stop");
      await chat.becomes("Stopped.");
    }
  }, 60_000);
});

describe("a command on Discord that is stopped before a word", () => {
  async function silentModel() {
    const { model, discord, daemon, connected } = await modelScene("", ["discord"]);
    await daemon.start();
    await connected();
    const ada = discord.user("Ada");
    model.script({ text: [HALF], firstWordAfterMs: 60_000 });
    return { model, daemon, discord, ada, dm: discord.dm(ada) };
  }

  function isWaiting(daemon: Daemon): boolean {
    const db = new Database(daemon.file("state.db"), { readonly: true, timeout: 5000 });
    try {
      return db.prepare("SELECT 1 FROM gw_inbox WHERE state = 'waiting'").get() !== undefined;
    } finally {
      db.close();
    }
  }

  it("no longer shows 'is thinking'", async () => {
    const { model, discord, ada, dm } = await silentModel();
    discord.command(ada, dm, "queue", "a question");
    await model.received(1);
    expect(discord.said(dm)).toMatchObject([{ loading: true }]);
    discord.say(ada, dm, "/stop");
    await until("it has stopped thinking", () => discord.said(dm).every(({ loading }) => !loading));
    await until("the stop is answered", () => discord.said(dm).at(-1)?.text.includes("Stopped."));
    expect(discord.said(dm)).toHaveLength(1);
  }, 60_000);

  it.each(["/stop", "/new"])(
    "stops thinking where %s drops it from the line",
    async (command) => {
      const { model, daemon, discord, ada, dm } = await silentModel();
      discord.say(ada, dm, "a question");
      await model.received(1);
      discord.command(ada, dm, "retry");
      await until("it waits", () => isWaiting(daemon));
      expect(discord.said(dm)).toMatchObject([{ loading: true }]);
      discord.say(ada, dm, command);
      await until("it has stopped thinking", () => discord.said(dm).every(({ loading }) => !loading));
      await until("the command is answered", () => discord.said(dm).length > 0);
      expect(discord.said(dm)).toMatchObject([{ text: expect.stringContaining("1 waiting message") }]);
    },
    60_000,
  );
});
