import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { Counter } from "../../chaos/tools/counter.js";
import { TelegramEmulator } from "../../emulators/telegram/index.js";
import { atEnd, forSeveral } from "../../support/at-end.js";
import { Daemon } from "../../support/daemon.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import { TOKEN } from "./dashboard.js";
import { ask } from "./request.js";

/** The real daemon on an emulated Telegram, with tools that count what they do. */

const PROGRAM = fileURLToPath(new URL("../../support/counting-tools.mjs", import.meta.url));
const LONG = "x".repeat(500);
/** Names and words come from anywhere. */
export const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
export const POST = '!tool post {"token": "m1", "call": 0}';
const PATIENCE = { timeoutMs: 30_000 };

export type Chats = Awaited<ReturnType<typeof startChats>>;

export function sharedChats(): () => Chats {
  let shared: { made: Chats; end(): Promise<void> };
  beforeAll(async () => {
    shared = await forSeveral(startChats);
  }, 60_000);
  afterAll(() => shared?.end());
  return () => shared.made;
}

async function startChats() {
  const emulator = await new TelegramEmulator().start();
  atEnd(() => emulator.close());
  const counter = await Counter.start();
  atEnd(() => counter.close());
  const { users, chats } = emulator;
  const ann = users.person("Ann");
  const olga = users.person("Olga");
  const mallory = users.person(`Mallory ${HOSTILE} ${LONG}`.slice(0, 250));
  const home = path.join(tempDir(), "home");
  fs.mkdirSync(home, { mode: 0o700 });
  const yaml = `
http: {token: ${TOKEN}}
owners: ["telegram:${olga.id}"]
tools: {post: {ask: once}}
unauthorized_dm_behavior: pair
approvals: {destructive_slash_confirm: true}
platforms:
  telegram: {token: "${emulator.token}", api_root: "${emulator.url}", allow_from: ["${ann.id}", "${mallory.id}"], unauthorized_dm_behavior: pair}
`;
  fs.writeFileSync(path.join(home, "config.yaml"), yaml, { mode: 0o600 });
  const daemon = await new Daemon({ home, program: [PROGRAM] }).start({ COUNT_URL: counter.url });
  const chat = chats.privateWith(ann);
  const said = (id = chat.id) => emulator.said(id).map(({ text }) => text);
  return {
    ...{ emulator, counter, users, chats, ann, olga, mallory, chat, daemon, said },
    tell: (text: string, from = ann) => void users.writeDm(from, text),
    saidTo: (person: { id: number }) => said(chats.privateWith(person as typeof ann).id),
    heard: (what: string | RegExp, id = chat.id) =>
      until(`the chat shows ${what}`, () => said(id).find((text) => text.match(what)), {
        ...PATIENCE,
        found: () => said(id),
      }),
    post: (what: string, body: object, headers: Record<string, string> = {}) =>
      ask(`${daemon.url}/api/dashboard${what}`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    get: (what: string, headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` }) =>
      ask(`${daemon.url}/api/dashboard${what}`, { headers }),
    /** What operators did, as it was logged. */
    actions: () => daemon.run.logged("operator").map(({ action }) => action),
  };
}
