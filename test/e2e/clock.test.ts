import { expect, it, onTestFinished } from "vitest";
import { TelegramEmulator } from "../emulators/telegram/index.js";
import { Daemon } from "../support/daemon.js";
import { ShiftedClock } from "../support/shifted-clock.js";
import { until } from "../support/until.js";

it("a clock that is set back by two hours silences no chat, now or after a restart", async () => {
  const telegram = await new TelegramEmulator().start();
  onTestFinished(() => telegram.close());
  const now = Date.now();
  const clock = new ShiftedClock(now + 2 * 3_600_000);
  const daemon = await new Daemon({
    yaml: JSON.stringify({
      allow_all: true,
      session_reset: { mode: "none" },
      streaming: { enabled: false },
      platforms: { telegram: { token: telegram.token, api_root: telegram.url } },
    }),
  }).start(clock.env);
  const ann = telegram.users.person("Ann");
  const chat = telegram.chats.privateWith(ann);
  const asked: string[] = [];
  const said = () => telegram.said(chat.id).map(({ text }) => text.split("\n").at(-1));
  const isAnswered = (text: string) => {
    telegram.users.writeDm(ann, text);
    asked.push(text);
    return until(`${text} is answered`, () => said().length === asked.length, { found: said });
  };
  // Its second answer shows that the daemon has noted the first as sent.
  await isAnswered("ahead");
  await isAnswered("still ahead");
  clock.moveTo(now);
  await isAnswered("set back");
  expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200);
  await daemon.kill();
  await daemon.start(clock.env);
  await isAnswered("restarted");
  expect(said()).toEqual(asked);
});
