import { describe, expect, it } from "vitest";
import { CHANNEL } from "../emulators/discord/index.js";
import { visibleText } from "../emulators/slack/index.js";
import { rows } from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { allConnected, type Platforms, platformsYaml, startPlatforms } from "../support/platforms.js";
import { until } from "../support/until.js";
import { vectors } from "../support/vectors.js";

/** Messages of the vectors' shapes, written on the platforms themselves: each gets the session key that Hermes gives it. */

interface Source {
  platform: keyof Platforms;
  chat_type: string;
  chat_id: string;
  user_id?: string;
  thread_id?: string;
  parent_chat_id?: string;
}

interface Vector {
  note: string;
  source: Source;
  config: { group_sessions_per_user: boolean; thread_sessions_per_user: boolean };
  key: string;
}

const platformVectors = vectors<Vector[]>("session-key-vectors").filter(({ source }) =>
  ["telegram", "discord", "slack"].includes(source.platform),
);

const NUMBERED = "Telegram's chats always have a number; `test/sessions/key.test.ts` has it";

/** No message on the platform looks like this. */
const IMPOSSIBLE: Record<string, string> = {
  "dm no chat_id, user + thread": NUMBERED,
  "dm no chat_id no user, thread only": NUMBERED,
  "dm chat_id None": NUMBERED,
  "telegram group, user_id empty string": "an id is a number or isn't there",
  "telegram forum topic, adapter type 'forum'": "Hermes has it in a check of buttons, never for messages",
  "discord guild channel, chat_type channel": "channels of servers are groups on Discord",
  "handoff destination thread": "nobody is handed over to a platform",
  "telegram observe-mode shared source (user stripped)": "there is no mode that only observes",
};

/** These need a home of their own: other settings, or a key that a vector before them has taken. */
const APART = new Set([
  "slack channel no thread (reply_in_thread false)",
  "slack native slash in DM carries no thread",
  "collision: thread_id equal to user id of other",
]);

interface Place {
  say(text: string): void;
  said(): string[];
}

/** As people make it come about. */
function placeOf({ telegram, discord, slack }: Platforms, source: Source): Place {
  const { chat_id: chatId, chat_type: type, user_id: userId, thread_id: thread } = source;

  function onTelegram(): Place {
    const { users, chats } = telegram;
    const ann = userId === undefined ? null : users.person("Ann", { id: Number(userId) });
    // The emulator numbers supergroups and channels from here on.
    const id = -Number(chatId) - 1e12;
    const chat =
      type === "dm"
        ? chats.privateWith(ann!)
        : chats.make(type === "channel" ? "channel" : "supergroup", { id, forum: thread !== undefined });
    const topic = thread === undefined ? {} : { topic: chats.topic(chat.id, Number(thread)) };
    const from = type === "channel" ? null : ann;
    return {
      say: (text) => void users.write(chat, { from, text: `@hermes_bot ${text}`, ...topic }),
      said: () =>
        telegram
          .said(chat.id)
          .filter(({ threadId }) => threadId === topic.topic)
          .map(({ text }) => text),
    };
  }

  function onDiscord(): Place {
    const { world } = discord.core;
    const ann = world.addUser("Ann", { id: userId! });
    const inGuild = () => ({ guildId: discord.guild("Server").id });
    const parent = () => world.addChannel({ ...inGuild(), type: CHANNEL.text, id: source.parent_chat_id! });
    const channel =
      type === "dm"
        ? world.addChannel({ type: CHANNEL.dm, id: chatId, recipientId: ann.id })
        : type === "thread"
          ? discord.thread(parent(), "a thread", ann, chatId)
          : world.addChannel({ ...inGuild(), type: CHANNEL.text, id: chatId });
    return {
      say: (text) => void discord.say(ann, channel, `<@${discord.botId}> ${text}`),
      said: () => discord.said(channel).map(({ text }) => text),
    };
  }

  function onSlack(): Place {
    const channel = slack.room(chatId, type === "dm" ? "im" : "channel", [userId!]).id;
    const said = () => slack.workspace.seen(channel).filter(({ threadTs }) => threadTs === thread);
    const words = { said: () => said().map(visibleText) };
    if (type === "dm" && thread === undefined)
      return { ...words, say: (text) => void slack.command(channel, userId!, "/hermes", `new ${text}`) };
    const post = { channel, user: userId! };
    if (type === "dm") return { ...words, say: (text) => void slack.say({ ...post, text, ts: thread! }) };
    if (thread) slack.say({ ...post, text: "a topic", ts: thread, silently: true });
    const where = thread ? { threadTs: thread } : {};
    return { ...words, say: (text) => void slack.say({ ...post, text: `<@U0BOT> ${text}`, ...where }) };
  }

  return { telegram: onTelegram, discord: onDiscord, slack: onSlack }[source.platform]();
}

const possible = platformVectors.filter(({ note }) => !(note in IMPOSSIBLE));
const homeOf = ({ note, config }: Vector) =>
  `${JSON.stringify(config)}${APART.has(note) ? " with threads off in Slack's channels" : ""}`;

describe("session keys of messages on the platforms", () => {
  it("leaves out no vector without a reason", () => {
    const notes = new Set(platformVectors.map(({ note }) => note));
    expect(Object.keys(IMPOSSIBLE).filter((note) => !notes.has(note))).toEqual([]);
    expect([...APART].filter((note) => !notes.has(note))).toEqual([]);
    expect(possible.length).toBeGreaterThan(15);
  });

  it.each([...new Set(possible.map(homeOf))])("under %s", { timeout: 120_000 }, async (home) => {
    const here = possible.filter((vector) => homeOf(vector) === home);
    const platforms = await startPlatforms();
    const yaml = platformsYaml(platforms, {
      // Otherwise people without a name on Telegram get no answer.
      telegram: `allow_all: true, group_allowed_chats: ["-1001234"]`,
      slack: `dm_top_level_threads_as_sessions: true, reply_in_thread: ${!APART.has(here[0]!.note)}, catch_up_max_age: ${TEN_YEARS}`,
      top: Object.entries(here[0]!.config)
        .map(([flag, on]) => `${flag}: ${on}`)
        .join("\n"),
    });
    const daemon = await new Daemon({ yaml }).start();
    await allConnected(platforms);
    for (const [i, { note, source, key }] of here.entries()) {
      const place = placeOf(platforms, source);
      place.say(`vector-${i}`);
      await until(
        `"${note}" is answered in its place`,
        () => place.said().some((text) => text.includes(`vector-${i}`)),
        { timeoutMs: 30_000 },
      );
      expect({ note, ...routeOf(daemon.home, key) }).toMatchObject({ note, ...wanted(source) });
    }
    const keys = rows<{ key: string }>(daemon.home, "SELECT session_key AS key FROM gw_routes");
    expect(keys.map(({ key }) => key).toSorted()).toEqual(here.map(({ key }) => key).toSorted());
  });
});

/** The vectors' messages on Slack are of 2024. */
const TEN_YEARS = 315_360_000;

function routeOf(home: string, key: string): object {
  const [route] = rows<{ origin: string }>(home, "SELECT origin FROM gw_routes WHERE session_key = ?", key);
  return route ? (JSON.parse(route.origin) as object) : { missing: key };
}

function wanted({ platform, chat_type, chat_id, thread_id, user_id }: Source): object {
  return {
    platform,
    chatType: chat_type,
    chatId: chat_id,
    threadId: thread_id ?? null,
    userId: user_id ?? null,
  };
}
