import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { DiscordEmulator } from "./discord/index.js";
import { SlackEmulator } from "./slack/index.js";
import { TelegramEmulator } from "./telegram/index.js";

/**
 * `npm run emulators`: all three platforms on this machine, and a page to type in as a person. Whoever has no account
 * can try the whole gateway so.
 */

/** One direct chat on a platform, as its person sees it. */
interface Chat {
  platform: string;
  say(text: string): void;
  lines(): { from: string; text: string }[];
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
      telegram.seen(chat.id).map(({ from, text }) => ({ from: from === "bot" ? "bot" : "Ann", text })),
  };
}

function discordChat(): Chat {
  const ann = discord.user("Ann");
  const dm = discord.dm(ann);
  return {
    platform: "discord",
    say: (text) => void discord.say(ann, dm, text),
    lines: () => discord.chat(dm).map(({ from, text }) => ({ from: from === ann.id ? "Ann" : from, text })),
  };
}

function slackChat(): Chat {
  slack.workspace.addPerson("U1", "Ann");
  slack.room("D1", "im", ["U1"]);
  return {
    platform: "slack",
    say: (text) => void slack.say({ channel: "D1", user: "U1", text }),
    lines: () =>
      slack.workspace.all("D1").map(({ user, text }) => ({ from: user === "U1" ? "Ann" : "bot", text })),
  };
}

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);

function page(): string {
  const columns = chats.map(
    ({ platform, lines }, i) => `<section><h2>${platform}</h2>
      <ol>${lines()
        .map(
          ({ from, text }) =>
            `<li class="${from === "Ann" ? "ann" : "bot"}"><b>${escaped(from)}</b> ${escaped(text)}</li>`,
        )
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
    const text = new URLSearchParams(body).get("text")?.trim();
    if (text) chats[Number(request.url?.slice(1))]?.say(text);
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
