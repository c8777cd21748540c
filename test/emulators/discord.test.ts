import { expect, it, onTestFinished } from "vitest";
import { DiscordEmulator } from "./discord/index.js";

/** What Discord's OpenAPI says that the answer always has. */
const USER = "avatar discriminator flags global_name id primary_guild public_flags username".split(" ");
const MESSAGE =
  "attachments author channel_id components content edited_timestamp embeds flags id mention_everyone mention_roles mentions pinned timestamp tts type".split(
    " ",
  );

it("Discord's answers have the fields that its own specification requires", async () => {
  const discord = new DiscordEmulator();
  await discord.start();
  onTestFinished(() => discord.close());
  const ann = discord.user("Ann");
  const response = await fetch(`${discord.apiUrl}/v10/channels/${discord.dm(ann).id}/messages`, {
    method: "POST",
    headers: { authorization: `Bot ${discord.token}`, "content-type": "application/json" },
    body: JSON.stringify({ content: `hello <@${ann.id}>` }),
  });
  const message = (await response.json()) as { author: object; mentions: object[] };
  const lacks = (found: object, wanted: string[]) => wanted.filter((field) => !(field in found));
  expect(lacks(message, MESSAGE)).toEqual([]);
  expect(lacks(message.author, USER)).toEqual([]);
  expect(message.mentions.map((user) => lacks(user, USER))).toEqual([[]]);
});
