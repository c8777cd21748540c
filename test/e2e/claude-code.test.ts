import fs from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { calls, ModelServer, type RecordedRequest, says } from "../emulators/model-server.js";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { CLAUDE_CODE, cachedPackage } from "../support/cached-package.js";
import { Daemon } from "../support/daemon.js";
import { tempDir } from "../support/temp.js";
import { until } from "../support/until.js";

/** Claude Code answers in Telegram. It isn't a dependency: `npm run try-claude-code` installs it into the user's cache. */

const PACKAGE = cachedPackage(...CLAUDE_CODE);
const PATIENCE = { timeoutMs: 90_000 };

/** Titles and the like are asked of the model, too, without tools. */
const isTurn = ({ body }: RecordedRequest) => (body.tools?.length ?? 0) > 0;

async function scene(env: Record<string, string> = {}) {
  const model = await ModelServer.start({ isScripted: isTurn, otherwise: () => says("Hm.") });
  onTestFinished(() => model.close());
  const telegram = await new TelegramEmulator().start();
  onTestFinished(() => telegram.close());
  const [folder, ann] = [tempDir(), telegram.users.person("Ann")];
  const acp = {
    command: process.execPath,
    args: [path.join(PACKAGE!, "dist/index.js")],
    cwd: path.join(folder, "work"),
    env: {
      HOME: folder,
      ANTHROPIC_BASE_URL: new URL(model.url).origin,
      ANTHROPIC_API_KEY: "sk-ant-loopback",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  };
  const yaml = `
allow_all: true
owners: ["telegram:${ann.id}"]
agent: {backend: acp}
acp: ${JSON.stringify(acp)}
platforms:
  telegram: {token: "${telegram.token}", api_root: "${telegram.url}"}
`;
  const daemon = await new Daemon({ yaml }).start(env);
  const chat = telegram.chats.privateWith(ann);
  const said = (words: string) =>
    until(`it says ${words}`, () => telegram.said(chat.id).find(({ text }) => text.includes(words)), {
      ...PATIENCE,
      found: () => telegram.said(chat.id).map(({ text }) => text),
    });
  const say = (text: string) => telegram.users.write(chat, { from: ann, text });
  return { model, telegram, daemon, ann, say, said, work: acp.cwd };
}

it.skipIf(PACKAGE === undefined)(
  "Claude Code answers in a chat, asks with buttons, and remembers the conversation after a restart",
  { timeout: 300_000 },
  async () => {
    const { model, telegram, daemon, ann, say, said, work } = await scene();
    const file = path.join(work, "lamp.txt");
    model.script(calls("Write", { file_path: file, content: "on" }, "toolu_1"), says("The lamp is on."));
    say("Switch the lamp on.");
    const question = await said("wants to do this");
    expect(question.text).toContain("lamp.txt");
    expect(fs.existsSync(file)).toBe(false);
    telegram.users.press(question, "Allow", ann);
    await said("The lamp is on.");
    expect(fs.readFileSync(file, "utf8")).toBe("on");

    await daemon.stop();
    await daemon.start();
    model.script(says("It was about the lamp."));
    say("What did I ask?");
    await said("It was about the lamp.");
    const turns = model.requests.filter(isTurn);
    expect(turns).toHaveLength(3);
    expect(JSON.stringify(turns[2]!.body.messages)).toContain("Switch the lamp on.");
  },
);

it.skipIf(PACKAGE === undefined)(
  "Claude Code gets a message that a crash kept from it",
  { timeout: 300_000 },
  async () => {
    const { model, daemon, say, said } = await scene({ HERMES_KILL_AT: "prompt-recorded:2" });
    model.script(says("Hello Ann."));
    say("I am Ann.");
    await said("Hello Ann.");
    say("Who am I?");
    await daemon.run.ended;
    model.script(says("You are Ann."));
    await daemon.start();
    await said("You are Ann.");
    const turns = model.requests.filter(isTurn);
    expect(turns).toHaveLength(2);
    const last = JSON.stringify(turns[1]!.body.messages);
    expect(last).toContain("I am Ann.");
    expect(last.split("Who am I?")).toHaveLength(2);
    expect(last).not.toContain("was interrupted");
  },
);
