import { expect, it } from "vitest";
import { expectFilesAgree, expectNothingOpen, rows } from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { allConnected, platformsYaml, startPlatforms } from "../support/platforms.js";
import { until } from "../support/until.js";
import { type Chat, makeChats } from "./support/chats.js";

/** The real daemon with Telegram, Discord and Slack at once: what hundreds of people write at the same time. */

const CHATS = 300;
const MESSAGES = 3;

/** Says where it belongs, so that an answer in a wrong place or session shows. */
interface Said {
  chat: number;
  /** `3/person 1`: messages with the same one belong into one session. */
  conversation: string;
  token: string;
}

const TOKEN = /\bc\d+p\d+m\d+\b/g;

function everybodyWrites(chats: readonly Chat[]): Said[] {
  const said: Said[] = [];
  for (let message = 0; message < MESSAGES; message++) {
    for (const [chat, { people, say, conversation }] of chats.entries()) {
      for (let person = 0; person < people; person++) {
        const token = `c${chat}p${person}m${message}`;
        say(person, token);
        said.push({ chat, conversation: `${chat}/${conversation(person, message)}`, token });
      }
    }
  }
  return said;
}

const tokensIn = (texts: readonly string[]) => texts.flatMap((text) => text.match(TOKEN) ?? []);

it("answers 300 chats of every kind in order, in their place, in sessions of their own", {
  timeout: 240_000,
}, async () => {
  const slack = "dm_top_level_threads_as_sessions: true";
  const platforms = await startPlatforms();
  const daemon = await new Daemon({ yaml: platformsYaml(platforms, { slack }) }).start();
  await allConnected(platforms);
  const chats = makeChats(platforms, CHATS / 3);
  expect(chats).toHaveLength(CHATS);

  const said = everybodyWrites(chats);
  const open = [...chats];
  const isAnswered = ({ people, said }: Chat) => tokensIn(said()).length >= people * MESSAGES;
  await until(
    "everything is answered",
    () => {
      while (open[0] && isAnswered(open[0])) open.shift();
      return open.length === 0;
    },
    { timeoutMs: 200_000, found: () => `${open.length} chats that wait, first a ${open[0]?.kind}` },
  );
  expect(await daemon.stop()).toBe(0);

  const places = chats.map((chat) => tokensIn(chat.said()));
  for (const [chat, { kind }] of chats.entries()) {
    const mine = said.filter((one) => one.chat === chat);
    expect(places[chat]!.toSorted(), kind).toEqual(mine.map(({ token }) => token).toSorted());
    for (const conversation of new Set(mine.map((one) => one.conversation))) {
      const asked = mine.filter((one) => one.conversation === conversation).map(({ token }) => token);
      expect(
        places[chat]!.filter((token) => asked.includes(token)),
        kind,
      ).toEqual(asked);
    }
  }
  expectSessionsApart(daemon.home, said);
  expectNothingOpen(daemon.home);
  expectFilesAgree(daemon.home);
});

/** One session for each conversation, with all of it and nothing else. */
function expectSessionsApart(home: string, said: readonly Said[]): void {
  const messages = rows<{ session_id: string; content: string }>(
    home,
    "SELECT session_id, content FROM messages WHERE role = 'user' ORDER BY id",
  );
  const found = together(messages.map(({ session_id, content }) => [session_id, content]));
  const wanted = together(said.map(({ conversation, token }) => [conversation, token]));
  expect(found).toEqual(wanted);
}

/** Name and text → the tokens under one name, in order. */
function together(texts: readonly [name: string, text: string][]): string[] {
  const byName = new Map<string, string[]>();
  for (const [name, text] of texts) byName.set(name, [...(byName.get(name) ?? []), ...tokensIn([text])]);
  return [...byName.values()].map((tokens) => tokens.join(" ")).toSorted();
}
