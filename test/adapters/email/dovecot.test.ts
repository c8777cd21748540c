import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmailAdapter } from "../../../src/adapters/email/index.js";
import { Dovecot, dovecotMissing } from "../../emulators/email/dovecot.js";
import { forSeveral } from "../../support/at-end.js";
import { lookUp, send } from "../../support/send.js";
import { until } from "../../support/until.js";
import { ANN, Bench, outbound, patience } from "./support.js";

/** The adapter against a real IMAP server; SMTP is npm's smtp-server, as everywhere. */

const missing = dovecotMissing();
if (missing) console.warn(`Skipped: email against dovecot ${missing}`);

describe.skipIf(missing)("email with dovecot", () => {
  let bench: Bench;
  let dovecot: Dovecot;
  let end: () => Promise<void>;

  beforeEach(async () => {
    bench = await new Bench().start();
    const login = { user: bench.server.address, password: bench.server.world.password };
    const started = await forSeveral(() => Dovecot.start(login));
    ({ made: dovecot, end } = started);
    dovecot.mirror(bench.server.inbox, "INBOX");
    dovecot.mirror(bench.server.sent, "Sent");
  });
  afterEach(async () => {
    await bench.close();
    await end();
  });

  const imap = () => ({ host: "127.0.0.1", port: dovecot.port, security: "plain", verify: true }) as const;
  const connected = (): Promise<EmailAdapter> => bench.connected({ imap: imap() });

  it("receives new and missed mail, and marks nothing as read", async () => {
    const first = await connected();
    bench.server.say(ANN, "one");
    bench.server.say(ANN, "zwei, mit Grüßen 🌍");
    await bench.inbox.message("zwei, mit Grüßen 🌍");
    await first.disconnect();
    bench.server.say(ANN, "three");
    await connected();
    bench.server.say(ANN, "four");
    await bench.inbox.message("four");
    expect(bench.inbox.texts).toEqual(["one", "zwei, mit Grüßen 🌍", "three", "four"]);
    expect((await dovecot.flags("INBOX")).flat()).not.toContain("\\Seen");
  });

  it("comes back when the server does", async () => {
    const adapter = await connected();
    await dovecot.stop();
    await until("it noticed", () => adapter.health().state !== "ok");
    await dovecot.launch();
    await until("it is back", () => adapter.health().state === "ok");
    bench.server.say(ANN, "still there?");
    await bench.inbox.message("still there?");
  });

  it("explains what to do if the password is wrong", async () => {
    const wrong = bench.connected({ imap: imap(), password: "another" });
    await expect(wrong).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("refuses"),
    });
  });

  it("answers in the thread of a mail that it finds in the mailbox", async () => {
    const headers = { References: "<a@people.example> <b@people.example>" };
    await connected();
    bench.server.say(ANN, "hello", { subject: "Lunch", headers, messageId: "<c@people.example>" });
    await bench.inbox.message("[Subject: Lunch]\nhello");
    // Without what the first one remembers.
    const adapter = await connected();
    await send(adapter, outbound("yes", { replyTo: "<c@people.example>" }), patience());
    const [mail] = bench.server.saidTo(ANN);
    expect(mail!.email).toMatchObject({ subject: "Re: Lunch", inReplyTo: "<c@people.example>" });
    expect(mail!.email.references).toBe("<a@people.example> <b@people.example> <c@people.example>");
  });

  it("finds in Sent what was sent, and nothing else", async () => {
    const adapter = await connected();
    const message = outbound("done");
    expect(await lookUp(adapter, message, patience())).toBe("missing");
    const { messageIds } = await send(adapter, message, patience());
    const isFound = async () => isDeepStrictEqual(await lookUp(adapter, message, patience()), messageIds);
    await until("the copy is found", isFound);
  });
});
