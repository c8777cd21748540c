import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { DiscordEmulator } from "./discord/index.js";
import { buttonsIn, SlackEmulator, visibleText } from "./slack/index.js";
import { TelegramEmulator } from "./telegram/index.js";

/**
 * `npm run emulators`: all three platforms on this machine, and a page to type in as a person. Whoever has no account
 * can try the whole gateway so.
 */

/** One direct chat on a platform, as its person sees it. */
interface Chat {
  platform: string;
  say(text: string): void;
  lines(): Line[];
  press(messageId: string, button: string): void;
}

interface Line {
  id: string;
  from: string;
  text: string;
  buttons: string[];
}

const PORT = Number(process.env.EMULATORS_PORT ?? 8788);
const HOST = process.env.EMULATORS_HOST ?? "127.0.0.1";
/** Where the gateway's `config.yaml` goes; nowhere: it is shown. */
const CONFIG = process.env.EMULATORS_CONFIG;

const telegram = await new TelegramEmulator().start();
const discord = new DiscordEmulator();
await discord.start();
const slack = await new SlackEmulator().start();

const chats: Chat[] = [telegramChat(), discordChat(), slackChat()];

function telegramChat(): Chat {
  const ann = telegram.users.person("Ann");
  const chat = telegram.chats.privateWith(ann);
  return {
    platform: "telegram",
    say: (text) => void telegram.users.writeDm(ann, text),
    lines: () =>
      telegram.seen(chat.id).map(({ id, from, text, keyboard = [] }) => ({
        ...{ id: String(id), from: from === "bot" ? "bot" : "Ann", text },
        buttons: keyboard.flat().map((button) => button.text),
      })),
    press: (id, button) => void telegram.users.press(telegram.chats.find(chat.id, id)!, button, ann),
  };
}

function discordChat(): Chat {
  const ann = discord.user("Ann");
  const dm = discord.dm(ann);
  return {
    platform: "discord",
    say: (text) => void discord.say(ann, dm, text),
    lines: () =>
      discord
        .chat(dm)
        .map(({ id, from, text, buttons }) => ({ id, from: from === ann.id ? "Ann" : from, text, buttons })),
    press: (id, button) => void discord.press(ann, dm, id, button),
  };
}

function slackChat(): Chat {
  slack.workspace.addPerson("U1", "Ann");
  slack.room("D1", "im", ["U1"]);
  return {
    platform: "slack",
    say: (text) => void slack.say({ channel: "D1", user: "U1", text }),
    lines: () =>
      slack.workspace.all("D1").map((message) => ({
        ...{ id: message.ts, from: message.user === "U1" ? "Ann" : "bot", text: visibleText(message) },
        buttons: buttonsIn(message).map(({ text }) => text.text),
      })),
    press: (id, button) => void slack.press("D1", id, button, "U1"),
  };
}

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

function item({ id, from, text, buttons }: Line, chat: number): string {
  const forms = buttons.map(
    (
      label,
    ) => `<form method="post" action="/${chat}"><input type="hidden" name="message" value="${escaped(id)}">
      <button name="button" value="${escaped(label)}">${escaped(label)}</button></form>`,
  );
  const who = from === "Ann" ? "ann" : "bot";
  return `<li class="${who}"><b>${escaped(from)}</b> ${escaped(text)}${forms.join("")}</li>`;
}

function page(): string {
  const columns = chats.map(
    ({ platform, lines }, i) => `<section><h2>${platform}</h2>
      <ol>${lines()
        .map((line) => item(line, i))
        .join("")}</ol>
      <form method="post" action="/${i}"><input name="text" aria-label="Message on ${platform}" autocomplete="off" placeholder="Write as Ann"></form>
    </section>`,
  );
  return `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Emulated platforms</title>
<style>body{font:15px system-ui;margin:1rem;display:flex;gap:1rem;flex-wrap:wrap}section{flex:1;min-width:260px}
ol{list-style:none;padding:0}li{padding:.4rem;margin:.3rem 0;border-radius:.4rem;background:#eee;color:#111;white-space:pre-wrap}
.ann{background:#d9efe8}input{width:100%;padding:.5rem;box-sizing:border-box}</style>
${columns.join("")}
<script>setInterval(async()=>{if(document.activeElement?.value)return;const t=await(await fetch("/")).text();
const fresh=[...new DOMParser().parseFromString(t,"text/html").querySelectorAll("ol")];document.querySelectorAll("ol").forEach((o,i)=>o.replaceWith(fresh[i]))},1000)</script>`;
}

const server = http.createServer(async (request, response) => {
  if (request.method === "POST") {
    let body = "";
    for await (const piece of request) body += piece;
    const chat = chats[Number(request.url?.slice(1))];
    const form = new URLSearchParams(body);
    const text = form.get("text")?.trim();
    if (text) chat?.say(text);
    const label = form.get("button");
    const message = chat?.lines().find(({ id }) => id === form.get("message"));
    if (message && label && message.buttons.includes(label)) chat?.press(message.id, label);
    response.writeHead(303, { location: "/" }).end();
    return;
  }
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page());
});

const config = `allow_all: true
platforms:
  telegram: {token: "${telegram.token}", api_root: "${telegram.url}"}
  discord: {token: "${discord.token}", api_url: "${discord.apiUrl}"}
  slack: {token: "${slack.botToken}", app_token: "${slack.appToken}", api_url: "${slack.apiUrl}"}
`;

if (CONFIG) fs.writeFileSync(CONFIG, config, { mode: 0o600 });
server.listen(PORT, HOST, () => {
  const { port } = server.address() as AddressInfo;
  console.log(`Write as Ann on http://127.0.0.1:${port}

${CONFIG ? `Start a gateway with ${CONFIG}` : "Start a gateway on them with this config.yaml"}:

${config}`);
});
