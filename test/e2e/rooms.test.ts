import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { runHermes } from "../cli/support/run.js";
import { rows } from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { platformsYaml, startPlatforms } from "../support/platforms.js";
import { until } from "../support/until.js";

/** Who is heard in rooms, through the real daemon: by the settings' own names. */

describe("rooms of the real daemon", () => {
  it("are answered according to the settings, and every ignored message has a reason", async () => {
    const platforms = await startPlatforms();
    const { telegram, discord } = platforms;
    const ann = telegram.users.person("Ann");
    const free = telegram.chats.make("group", { title: "Free" });
    const quiet = telegram.chats.make("group", { title: "Quiet" });
    const guild = discord.guild("Server");
    const channel = discord.channel(guild, "general");
    const yaml = platformsYaml(platforms, {
      telegram: `require_mention: true, free_response_chats: ["${free.id}"], mention_patterns: ["^hermes\\\\b"]`,
      discord: `allowed_roles: ["42"], allow_bots: mentions`,
    }).replace("allow_all: true", `allow_from: ["telegram:${ann.id}"]`);
    const daemon = await new Daemon({ yaml }).start();

    telegram.users.write(free, { from: ann, text: "free speech" });
    telegram.users.write(free, { from: ann, text: "@other_bot not for you" });
    telegram.users.write(quiet, { from: ann, text: "to the others" });
    telegram.users.write(quiet, { from: ann, text: "Hermes, by a pattern" });
    const member = discord.user("Member", { roles: ["41", "42"] });
    const stranger = discord.user("Stranger", { roles: ["41"] });
    const robot = discord.user("Robot", { bot: true });
    const name = `<@${discord.core.bot.id}>`;
    discord.say(stranger, channel, `${name} no role`);
    discord.say(robot, channel, "no mention");
    discord.say(robot, channel, `${name} from a bot`);
    discord.say(member, channel, `${name} by a role`);

    const said = (chat: { id: number }) => telegram.said(chat.id).map(({ text }) => text);
    const onDiscord = () => discord.said(channel).map(({ text }) => text);
    const has = (texts: string[], words: string) => texts.some((text) => text.includes(words));
    await until("what was meant for the bot is answered", () =>
      [
        has(said(free), "free speech"),
        has(said(quiet), "by a pattern"),
        has(onDiscord(), "from a bot"),
        has(onDiscord(), "by a role"),
      ].every(Boolean),
    );
    expect([said(free).length, said(quiet).length, onDiscord().length]).toEqual([1, 1, 2]);
    const reasons = async (message: { id: string }) =>
      JSON.parse((await runHermes(daemon.home, ["trace", message.id, "--json"])).stdout)[0].reason;
    const [first, second] = discord.chat(channel);
    expect([await reasons(first!), await reasons(second!)]).toEqual(["not_listed", "bot"]);
  });

  it("that share a session list what belongs to them, and a direct message lists everything", async () => {
    const platforms = await startPlatforms();
    const { telegram } = platforms;
    const ann = telegram.users.person("Ann");
    const team = telegram.chats.make("supergroup", { title: "Team" });
    const dm = telegram.chats.privateWith(ann);
    const yaml = platformsYaml(platforms, { telegram: "require_mention: false" });
    const daemon = await new Daemon({ yaml: `${yaml}\ngroup_sessions_per_user: false\n` }).start();
    const ask = async (chat: { id: number }, text: string) => {
      const before = telegram.said(chat.id).length;
      if (chat === team) telegram.users.write(team, { from: ann, text });
      else telegram.users.writeDm(ann, text);
      await until(`${text} is answered`, () => telegram.said(chat.id).length > before);
      return telegram.said(chat.id).at(-1)!.text;
    };

    await ask(dm, "my walrus is ill");
    await ask(dm, "/title Diary");
    await ask(dm, '!tool memory {"action":"add","content":"Has a walrus"}');
    await ask(team, "a walrus for the team");
    await ask(team, "/title Sprint");
    expect(await ask(team, "/sessions")).toMatch(/^(?!.*Diary)[\s\S]*Sprint/);
    expect(await ask(team, "/resume Diary")).toContain("Resume it in a direct message");
    await ask(team, "/new");
    const search = '!tool session_search {"query":"walrus"}';
    expect(await ask(team, search)).toMatch(/^(?![\s\S]*is ill)[\s\S]*for the team/);
    expect(await ask(team, '!tool memory {"action":"read"}')).not.toContain("Has a walrus");
    const prompts = rows<{ system_prompt: string }>(daemon.home, "SELECT system_prompt FROM sessions");
    expect(prompts.filter(({ system_prompt }) => system_prompt.includes("Has a walrus"))).toEqual([]);
    expect(await ask(dm, "/sessions")).toMatch(/Diary[\s\S]*Sprint|Sprint[\s\S]*Diary/);
    await ask(dm, "/new");
    // A question whose answer fits into one message.
    expect(await ask(dm, '!tool session_search {"query":"ill"}')).toContain("my walrus is");
  });

  it("get as many messages per minute as the platform allows; the rest waits and isn't lost", async () => {
    const platforms = await startPlatforms();
    const { telegram } = platforms;
    const group = telegram.chats.make("supergroup", { title: "Busy" });
    const daemon = await new Daemon({
      yaml: platformsYaml(platforms, { telegram: "group_messages_per_minute: 5" }),
    }).start();
    for (let i = 0; i < 8; i++)
      telegram.users.write(group, { from: telegram.users.person(`P${i}`), text: `question ${i}` });
    const rows = () => {
      const db = new Database(daemon.file("state.db"), { readonly: true });
      const all = db.prepare("SELECT state, error FROM gw_outbox ORDER BY id").all();
      db.close();
      return all as { state: string; error: string | null }[];
    };
    const count = (wanted: string) => rows().filter(({ state }) => state === wanted).length;
    await until("some are sent, the rest waits", () => count("sent") === 5 && count("pending") === 3, {
      found: rows,
    });
    expect(telegram.said(group.id)).toHaveLength(5);
    // Another chat waits for nobody.
    const ann = telegram.users.person("Ann");
    const dm = telegram.chats.privateWith(ann);
    telegram.users.write(dm, { from: ann, text: "meanwhile" });
    await until("it is answered", () => telegram.said(dm.id).length === 1);
    expect(telegram.said(group.id)).toHaveLength(5);
  });
});
