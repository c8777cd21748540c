import { describe, expect, it } from "vitest";
import { NO_MODEL } from "../../src/agents/echo.js";
import { says } from "../emulators/model-server.js";
import type { PlatformName } from "../support/platforms.js";
import { until } from "../support/until.js";
import { HALF, modelScene, scene, WHOLE } from "./support/previews.js";

describe("an unfinished answer that a crash left behind before its id was known", () => {
  /** The daemon dies when it has shown it; after the restart all is said. */
  async function crash(platform: PlatformName) {
    const { model, chats, daemon, connected } = await modelScene("", [platform]);
    await daemon.start({ HERMES_KILL_AT: "preview-shown:1" });
    await connected();
    model.script({ text: [HALF], stallAfter: 1 });
    model.script(says(WHOLE));
    const { say, seen } = chats[platform];
    say("question");
    await daemon.run.ended;
    expect(seen()).toEqual([`${HALF} ▉`]);
    await daemon.start();
    await until("it is whole", () => seen().some((text) => text.includes(WHOLE)), { found: seen });
    return seen();
  }

  it.each(["discord", "slack"] as const)(
    "becomes the answer: %s",
    async (platform) => {
      expect(await crash(platform)).toEqual([WHOLE]);
    },
    60_000,
  );

  it("stays where Telegram can't be asked for it, and the answer says that it may be a repeat", async () => {
    expect(await crash("telegram")).toEqual([`${HALF} ▉`, `(This may be a repeat.)\n${WHOLE}`]);
  }, 60_000);
});

describe("a preview whose delivery is uncertain", () => {
  const TEXT = "one two three four five six seven eight nine ten eleven twelve";

  /** The connection is cut when the platform has taken it. */
  async function cut(platform: PlatformName) {
    const { chats, daemon, connected } = await scene("streaming: {edit_interval: 0.05}", [platform]);
    await daemon.start();
    await connected();
    const { say, seen, cut } = chats[platform];
    say("hello");
    await until("the echo is known", () => seen().length === 1);
    cut();
    say(`!drip 150 ${TEXT}`);
    await until("it is whole", () => seen().some((text) => text.endsWith("twelve")), { found: seen });
    expect(seen()[0]).toContain(NO_MODEL.slice(0, 20));
    return seen().slice(1);
  }

  it.each(["discord", "slack"] as const)(
    "becomes the answer: %s",
    async (platform) => {
      expect(await cut(platform)).toEqual([TEXT]);
    },
    60_000,
  );

  it("stays where Telegram can't be asked for it, and the answer says that it may be a repeat", async () => {
    expect(await cut("telegram")).toEqual([
      expect.stringMatching(/^one .*▉$/),
      `(This may be a repeat.)\n${TEXT}`,
    ]);
  }, 60_000);
});

describe("an unfinished answer", () => {
  it("is not shown before earlier replies have arrived", async () => {
    const { slack, chats, daemon, connected } = await scene("streaming: {edit_interval: 0.05}", ["slack"]);
    await daemon.start();
    await connected();
    const { say, seen } = chats.slack;
    slack.faults.next("chat.postMessage", { kind: "delay", ms: 1500 });
    say("first");
    await until("its answer is on its way", () => slack.faults.armed === 0);
    say("!drip 150 this is the second, which is written while the first is still on its way");
    await until("both are there", () => seen().some((text) => text.endsWith("its way")), { found: seen });
    expect(seen()).toEqual([expect.stringContaining("first"), expect.stringMatching(/^this is the second/)]);
  }, 60_000);
});
