import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { Counter } from "../chaos/tools/counter.js";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { rows } from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { Supervisor } from "../support/supervisor.js";
import { until } from "../support/until.js";

/** The real daemon with tools whose effects are counted outside of it, asked and answered with Telegram's buttons. */

const PROGRAM = fileURLToPath(new URL("../support/counting-tools.mjs", import.meta.url));
const POST = '!tool post {"token": "m1x0", "call": 0}';
const PATIENCE = { timeoutMs: 30_000 };

async function scene(more = "", deadly: Record<string, string> = {}) {
  const emulator = await new TelegramEmulator().start();
  onTestFinished(() => emulator.close());
  const counter = await Counter.start();
  onTestFinished(() => counter.close());
  const { users, chats } = emulator;
  const [ann, olga] = [users.person("Ann"), users.person("Olga")];
  const home = chats.make("supergroup", { title: "Home" });
  const yaml = `
allow_all: true
owners: ["telegram:${olga.id}"]
tools: {post: {ask: always}}
platforms:
  telegram: {token: "${emulator.token}", api_root: "${emulator.url}", home_channel: "${home.id}"}
${more}
`;
  const daemon = new Daemon({ yaml, program: [PROGRAM] });
  const env = { COUNT_URL: counter.url };
  const supervisor = new Supervisor(daemon, [{ ...env, ...deadly }, env]);
  await until("the gateway runs", () => daemon.run.ready.then(Boolean, () => false), PATIENCE);
  const chat = chats.privateWith(ann);
  const said = (id = chat.id) => emulator.said(id);
  const question = async (id = chat.id) =>
    until("the question is shown", () => said(id).find(({ text }) => text.includes("Allow post")), PATIENCE);
  const answers = () => said().filter(({ text }) => /done post|Error: /.test(text));
  return {
    ...{ emulator, counter, users, ann, olga, home, chat, daemon, supervisor },
    question,
    answers,
    said,
  };
}

it.each([
  "calls-recorded",
  "question-asked",
  "question-decided",
  "call-started",
  "tool-ran",
  "result-recorded",
])(
  "killed at %s, a pressed button has at most one effect, and the message one answer",
  { timeout: 90_000 },
  async (point) => {
    const { users, chat, ann, supervisor, counter, question, answers, daemon } = await scene("", {
      HERMES_KILL_AT: point,
    });
    users.write(chat, { from: ann, text: POST });
    users.press(await question(), "Allow once", ann);
    await until("it is answered", () => answers().length > 0, PATIENCE);
    const open = `SELECT id FROM gw_inbox WHERE state IN ('waiting', 'running')
    UNION ALL SELECT id FROM gw_outbox WHERE state IN ('pending', 'sending')`;
    await until("nothing is under way", () => rows(daemon.home, open).length === 0, PATIENCE);
    expect(supervisor.endings).toEqual([{ code: null, signal: "SIGKILL" }]);
    const [answer, ...others] = answers().map(({ text }) => text);
    expect(others).toEqual([]);
    const wasCut = point === "call-started" || point === "tool-ran";
    expect(answer).toContain(wasCut ? "its outcome is unknown" : "done post");
    expect(counter.effects).toHaveLength(point === "call-started" ? 0 : 1);
    expect(rows(daemon.home, "SELECT state FROM gw_tool_calls")).toEqual([
      { state: wasCut ? "unknown" : "done" },
    ]);
    await supervisor.leave();
  },
);

it("asks owners in the home channel, where a number answers too, and the message shows who decided", {
  timeout: 60_000,
}, async () => {
  const { users, chat, ann, olga, home, counter, question, answers, said, supervisor } =
    await scene("approvals: {ask_in: home}");
  users.write(home, { from: olga, text: "@hermes_bot hello" });
  await until("the home channel is known", () => said(home.id).length > 0, PATIENCE);
  users.write(chat, { from: ann, text: POST });
  const asked = await question(home.id);
  users.press(asked, "Allow once", ann);
  users.write(home, { from: olga, text: "1" });
  await until("it is answered", () => answers().length > 0, PATIENCE);
  expect(counter.effects).toHaveLength(1);
  const shown = () => said(home.id).find(({ id }) => id === asked.id)?.text ?? "";
  await until("it shows who decided", () => shown().includes("(Olga)"), PATIENCE);
  await supervisor.leave();
});
