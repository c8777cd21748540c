import { describe, expect, it, onTestFinished } from "vitest";
import { ModelServer, says } from "../emulators/model-server.js";
import { Daemon } from "../support/daemon.js";
import { platformsYaml, startPlatforms } from "../support/platforms.js";
import { until } from "../support/until.js";

/** The daemon dies after it has shown an unfinished answer and before it has noted where. */
async function scene(platform: "discord" | "slack") {
  const platforms = await startPlatforms();
  const model = await ModelServer.start();
  onTestFinished(() => model.close());
  const top = `model: {provider: openai-compatible, default: m, base_url: "${model.url}"}`;
  const others = new RegExp(`^  (?!${platform})(telegram|discord|slack): .*\\n`, "gm");
  const yaml = platformsYaml(platforms, { top })
    .replace("streaming: {enabled: false}", "streaming: {enabled: true}")
    .replace(others, "");
  const daemon = new Daemon({ yaml });
  await daemon.start({ HERMES_KILL_AT: "preview-shown:1" });
  model.script({ text: ["An answer that is long enough ", "to be shown, but "], stallAfter: 2 });
  model.script(says("The whole answer, at last."));
  return { ...platforms, daemon };
}

describe("an unfinished answer that a crash left behind", () => {
  it("becomes the answer on Discord", async () => {
    const { discord, daemon } = await scene("discord");
    const bob = discord.user("Bob");
    const dm = discord.dm(bob);
    discord.say(bob, dm, "question");
    await daemon.run.ended;
    expect(discord.said(dm)).toHaveLength(1);
    await daemon.start();
    await until("it is whole", () => discord.said(dm).some(({ text }) => text.includes("at last")));
    expect(discord.said(dm).map(({ text }) => text)).toEqual(["The whole answer, at last."]);
  }, 60_000);

  it("becomes the answer on Slack", async () => {
    const { slack, daemon } = await scene("slack");
    slack.say({ channel: "D1", user: "U1", text: "question" });
    await daemon.run.ended;
    const posts = () => slack.workspace.all("D1").flatMap(({ user, text }) => (user === "U1" ? [] : [text]));
    expect(posts()).toHaveLength(1);
    await daemon.start();
    await until("it is whole", () => posts().some((text) => text.includes("at last")), { found: posts });
    expect(posts()).toEqual(["The whole answer, at last."]);
  }, 60_000);
});
