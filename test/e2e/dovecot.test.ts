import { expect, it, onTestFinished } from "vitest";
import { Dovecot, dovecotMissing } from "../emulators/email/dovecot.js";
import { EmailEmulator } from "../emulators/email/index.js";
import { sectionOf } from "../emulators/emulated.js";
import { Daemon } from "../support/daemon.js";
import { until } from "../support/until.js";

const ANN = "ann@people.example";
const PATIENCE = { timeoutMs: 60_000 };

it.skipIf(dovecotMissing())(
  "a real daemon on a real IMAP server answers each mail once, also those that came while it was dead",
  async () => {
    const server = await new EmailEmulator().start();
    onTestFinished(() => server.close());
    const dovecot = await Dovecot.start({ user: server.address, password: server.world.password });
    dovecot.mirror(server.inbox, "INBOX");
    dovecot.mirror(server.sent, "Sent");
    const settings = { ...server.settings, imap_port: dovecot.port };
    const daemon = new Daemon({ yaml: `allow_all: true\nplatforms:\n  ${sectionOf("email", settings)}\n` });
    const answers = () => server.saidTo(ANN).flatMap(({ text }) => text.match(/\bmail-\d\b/g) ?? []);
    const answered = (count: number) =>
      until(`${count} mails are answered`, () => answers().length >= count, { ...PATIENCE, found: answers });

    await daemon.start({ HERMES_KILL_AT: "sent:2" });
    await until("it is ready", () => daemon.isReady(), PATIENCE);
    server.say(ANN, "mail-1");
    await answered(1);
    server.say(ANN, "mail-2");
    expect(await daemon.run.ended).toMatchObject({ signal: "SIGKILL" });
    server.say(ANN, "mail-3");
    await dovecot.settled();
    await daemon.start();
    await answered(3);
    server.say(ANN, "mail-4");
    await answered(4);
    expect(answers()).toEqual(["mail-1", "mail-2", "mail-3", "mail-4"]);
    expect(await daemon.stop()).toBe(0);
  },
  240_000,
);
