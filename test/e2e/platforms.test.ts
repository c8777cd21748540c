import { describe, expect, it } from "vitest";
import type { SlackEmulator } from "../emulators/slack/index.js";
import { rows } from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { platformsYaml, startPlatforms } from "../support/platforms.js";
import { until } from "../support/until.js";

/** The real daemon with real SDKs on the emulated platforms: what people write, what they see. */

const slackAnswers = (slack: SlackEmulator) =>
  slack.workspace
    .all("D1")
    .filter((message) => message.user !== "U1")
    .map((message) => message.text);

describe("Telegram, Discord and Slack at once", () => {
  it("looks up interrupted sends on Discord and Slack, so that nothing has to be held", async () => {
    const platforms = await startPlatforms();
    const { discord, slack } = platforms;
    const bob = discord.user("Bob");
    const yaml = `${platformsYaml(platforms, { telegram: "enabled: false" })}\ndelivery: {unknown: hold}\n`;
    const daemon = new Daemon({ yaml });
    const states = () => rows<{ state: string }>(daemon.home, "SELECT state FROM gw_outbox");
    const answered = () => states().every(({ state }) => state === "sent");
    await daemon.start({ HERMES_KILL_AT: "sent:1" });
    discord.say(bob, discord.dm(bob), "hello");
    await daemon.run.ended;
    await daemon.start({ HERMES_KILL_AT: "before-send:1" });
    await until("Discord was asked", answered, { found: states });
    slack.say({ channel: "D1", user: "U1", text: "hello" });
    await daemon.run.ended;
    await daemon.start();
    await until("Slack was asked", answered, { found: states });
    expect(discord.said(discord.dm(bob))).toMatchObject([{ text: expect.stringContaining("hello") }]);
    expect(slackAnswers(slack)).toEqual([expect.stringContaining("hello")]);
  }, 120_000);

  it("answers every message once and in order, even if the daemon is killed repeatedly", async () => {
    const platforms = await startPlatforms();
    const { telegram, discord, slack } = platforms;
    const ann = telegram.users.person("Ann");
    const chat = telegram.chats.privateWith(ann);
    const bob = discord.user("Bob");
    const dm = discord.dm(bob);
    const daemon = await new Daemon({ yaml: platformsYaml(platforms) }).start();
    discord.say(bob, dm, "first");
    await until("Discord knows the chat", () =>
      discord.said(dm).find((message) => message.text.includes("first")),
    );
    const numbers = Array.from({ length: 12 }, (_, i) => `n${i}`);
    for (const [i, text] of numbers.entries()) {
      telegram.users.write(chat, { from: ann, text });
      discord.say(bob, dm, text);
      slack.say({ channel: "D1", user: "U1", text });
      if (i % 4 === 3) {
        await daemon.kill();
        await daemon.restart();
      }
    }
    const words = (texts: string[]) => texts.flatMap((text) => text.match(/\bn\d+\b/g) ?? []);
    const onTelegram = () => words(telegram.said(chat.id).map((message) => message.text));
    const onDiscord = () => words(discord.said(dm).map((message) => message.text));
    const onSlack = () => words(slackAnswers(slack));
    const all = () => [onTelegram(), onDiscord(), onSlack()];
    await until("everything is answered", () => all().every((answers) => answers.length >= numbers.length), {
      found: all,
      timeoutMs: 60_000,
    });
    expect(onDiscord()).toEqual(numbers);
    expect(onSlack()).toEqual(numbers);
    // Telegram can't be asked whether a send arrived: a repeat is possible there, a loss or a change of order isn't.
    expect([...new Set(onTelegram())]).toEqual(numbers);
  }, 120_000);
});
