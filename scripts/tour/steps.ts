/** The tour: what people do, and what they see. */
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../../test/support/until.js";
import type { Acting, Place } from "./acting.js";
import { APPROVE } from "./approving.js";
import type { Stage } from "./stage.js";
import { sunset } from "./sunset.js";
import type { Step } from "./tour.js";

const PATIENCE = { timeoutMs: 60_000 };
/** Between what people do, at normal speed. */
const BREATH_MS = 1500;
const CODE = /approve telegram ([A-Z0-9]{8})/;

type PlaceName = "telegram" | "discord" | "channel" | "team" | "web";

export function tourOf(stage: Stage, acting: Acting, speed: number): Step[] {
  const places: Record<PlaceName, Place> = {
    telegram: { client: "telegram", chat: stage.chats.telegram },
    discord: { client: "discord", chat: stage.chats.discord },
    channel: { client: "discord", chat: stage.chats.channel },
    team: { client: "slack", chat: stage.chats.team },
    web: { client: "web", chat: stage.chats.web },
  };
  const breath = () => pause(BREATH_MS / speed);

  return [
    {
      title: "Pairing",
      text: "Ann is a stranger on Telegram. The bot gives her a code, and the owner approves it on the command line.",
      run: async (told) => {
        await acting.say(places.telegram, "Ann", "Hello!");
        const { id, text } = await acting.answer(places.telegram, CODE);
        await breath();
        told(`hermes pairing approve telegram ${CODE.exec(text)![1]!}`);
        await acting.press(places.telegram, "Ann", id, APPROVE);
        await breath();
        await acting.ask(places.telegram, "Ann", "Hello again!", /one agent on every chat/);
        told("Now Ann gets an answer.");
      },
    },
    {
      title: "A question in a channel",
      text: "In Slack's #launch the bot stays silent until it is mentioned. It answers in a thread.",
      run: async (told) => {
        await acting.say(places.team, "Cleo", "Morning! Is the launch date final?");
        told("No mention: no answer.");
        await breath();
        const answer = await acting.ask(places.team, "Ann", "@hermes when is the launch?", /Thursday/);
        told(answer.thread ? "The answer is in Ann's thread." : "The answer is in the channel.");
      },
    },
    {
      title: "A picture and a live answer",
      text: "Ben shows a picture in Discord's #workshop, then asks for a plan. The answer grows while the model writes it.",
      run: async (told) => {
        const shown = "@hermes what do you see?";
        await acting.ask(places.channel, "Ben", shown, /first page/, { picture: sunset() });
        await breath();
        const from = await acting.say(places.channel, "Ben", "@hermes a plan for the weekend, please");
        await acting.begun(places.channel, /plan/, from);
        told("The answer has begun.");
        await acting.answer(places.channel, /cp\.pt/, from);
        told("It is complete.");
      },
    },
    {
      title: "A crash in mid-answer",
      text: "While the bot tells Ann a story, the gateway is killed with kill -9. It starts again and answers exactly once.",
      run: async (told) => {
        const from = await acting.say(places.telegram, "Ann", "Tell me a story");
        await acting.beingWritten(places.telegram, /night train/, from);
        const { pid } = stage.daemon;
        const deaths = stage.deaths();
        await stage.daemon.kill("SIGKILL");
        told(`kill -9 ${pid}`);
        await until("it is started again", () => stage.deaths() > deaths, PATIENCE);
        await stage.daemon.run.ready;
        told(`It runs again: pid ${stage.daemon.pid}`);
        await acting.answer(places.telegram, /good spirits/, from);
        const messages = (await acting.messages(places.telegram)).slice(from);
        const answers = messages.filter(({ isBot, text }) => isBot && /night train/.test(text));
        if (answers.length !== 1) throw new Error(`There are ${answers.length} answers`);
        told("One question, one answer.");
      },
    },
    {
      title: "A schedule",
      text: "The owner schedules a reminder for the team. It comes by itself, with no one asking.",
      run: async (told) => {
        acting.focus = places.team;
        const from = (await acting.messages(places.team)).length;
        const args = [
          "cron",
          "add",
          "in 2s",
          "Write the stand-up reminder",
          "--to",
          `slack:${places.team.chat}`,
        ];
        told(`hermes ${args.map((arg) => (arg.includes(" ") ? `"${arg}"` : arg)).join(" ")}`);
        await stage.hermes(...args, "--name", "stand-up");
        await acting.answer(places.team, /Stand-up/, from);
        told("The reminder is in #launch.");
      },
    },
    {
      title: "An approval with buttons",
      text: "Cleo asks on Discord for a message to the team on Slack. The tool asks her first.",
      run: async (told) => {
        const before = (await acting.messages(places.team)).length;
        const from = await acting.say(
          places.discord,
          "Cleo",
          "Please tell the team that the cake is in the kitchen",
        );
        const question = await acting.answer(places.discord, /send_message/, from);
        told("The tool waits for Cleo.");
        await breath();
        await acting.press(places.discord, "Cleo", question.id, "Allow once");
        await acting.answer(places.discord, /the team knows/, from);
        acting.focus = places.team;
        await acting.answer(places.team, /cake is in the kitchen/, before);
        told("Allowed once, sent once.");
      },
    },
    {
      title: "Your turn",
      text: "The web chat needs no platform at all. From here on, write as anyone, in any client.",
      run: async (told) => {
        await acting.ask(places.web, "Ann", "Compare a tent and a cabin in a table", /cabin in October/);
        told("All clients are yours now.");
        told('Ask for a "plan", a "story" or a "table", send a picture, or try /help.');
        told('On Discord, tell Cleo\'s bot to "tell the team …": it asks first.');
        acting.focus = {};
      },
    },
  ];
}
