import fs from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { actionsOf, MattermostEmulator } from "../emulators/mattermost/index.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";

const PATIENCE = { timeoutMs: 30_000 };

/** The real daemon with an address for the server: a native command asks with buttons, and a press decides. */
it("asks with buttons after a native command, and takes the press", async () => {
  const emulator = await new MattermostEmulator().start();
  const ann = emulator.world.user("ann");
  const dm = emulator.dm(ann);
  const yaml = (callback: string) => `
allow_all: true
approvals: {destructive_slash_confirm: true}
platforms:
  mattermost: {token: "${emulator.token}", api_url: "${emulator.url}"${callback}}
`;
  const daemon = new Daemon({ yaml: yaml("") });
  onTestFinished(async () => {
    await daemon.stop();
    await emulator.close();
  });
  await daemon.start();
  // Only now is the port known, and it stays.
  fs.writeFileSync(daemon.file("config.yaml"), yaml(`, callback_url: "${daemon.url}"`), { mode: 0o600 });
  await daemon.restart();
  const { integrations } = emulator;
  const said = () => emulator.said(dm);
  emulator.say(dm, ann, "hello");
  await until("it answers", () => said().length === 1, PATIENCE);
  await until(
    "commands are there",
    () => integrations.commands.some(({ trigger }) => trigger === "new"),
    PATIENCE,
  );
  integrations.run(dm, ann, "new");
  const question = await until("it asks", () => said().find((post) => actionsOf(post).length > 0), PATIENCE);
  integrations.press(question, actionsOf(question)[0]!.name, ann);
  await until("the buttons are gone", () => actionsOf(question).length === 0, PATIENCE);
  expect(integrations.calls.map(({ status }) => status)).toEqual([200, 200]);
}, 120_000);
