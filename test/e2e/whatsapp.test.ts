import { expect, it, onTestFinished } from "vitest";
import { LIBRARY, WhatsAppEmulator } from "../emulators/whatsapp/index.js";
import { rows } from "../support/agreement.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";

const PATIENCE = { timeoutMs: 30_000 };

/** The real daemon, from a new account to answers: linked with a code, people paired, one session for each. */
it("links an account, pairs a stranger, and answers once across a crash", async () => {
  const emulator = await new WhatsAppEmulator().start();
  const daemon = new Daemon({
    yaml: `
platforms:
  whatsapp: {phone_number: "+15550000001", mode: bot, library: "${LIBRARY}", api_url: "${emulator.url}", allow_from: ["+1 555 000 0099"], unauthorized_dm_behavior: pair}
`,
  });
  onTestFinished(async () => {
    await daemon.stop();
    await emulator.close();
  });
  await daemon.start();
  await until("the code is in the log", () => daemon.run.stderr.includes("ABCD-EFGH"), PATIENCE);
  emulator.link();
  const ann = emulator.person("Ann");
  const chat = { with: ann };
  const seen = () => emulator.said(chat).map(({ text }) => text);
  emulator.say(chat, ann, "hello");
  await until("the stranger gets a code", () => seen().join().includes("hermes pairing"), PATIENCE);

  const friend = { ...emulator.person("Ben"), number: "15550000099" };
  const friendly = () => emulator.said({ with: friend }).map(({ text }) => text);
  emulator.say({ with: friend }, friend, "first");
  await until("the listed person is answered", () => friendly().length === 1, PATIENCE);
  // Killed before, it would send the answer again, marked.
  const unsettled = () => rows(daemon.home, "SELECT 1 FROM gw_outbox WHERE state <> 'sent'");
  await until("the answer is settled", () => unsettled().length === 0, PATIENCE);
  await daemon.kill();
  emulator.say({ with: friend }, friend, "second");
  await daemon.start();
  await until("what came meanwhile is answered", () => friendly().length === 2, PATIENCE);
  expect(friendly()).toEqual([expect.stringContaining("first"), expect.stringContaining("second")]);
  expect(emulator.codes).toHaveLength(1);
  const keys = rows<{ session_key: string }>(daemon.home, "SELECT DISTINCT session_key FROM gw_routes");
  expect(keys).toContainEqual({ session_key: "agent:main:whatsapp:dm:15550000099" });
}, 120_000);
