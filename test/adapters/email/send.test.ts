import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { emailAdapter } from "../../../src/adapters/email/index.js";
import { probeEmail } from "../../../src/adapters/email/probe.js";
import { targetOf } from "../../../src/message.js";
import { lookUp, send } from "../../support/send.js";
import { tempDir } from "../../support/temp.js";
import { ANN, Bench, outbound, patience } from "./support.js";

let bench: Bench;

beforeEach(async () => {
  bench = await new Bench().start();
});
afterEach(() => bench.close());

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("an answer", () => {
  it("has HTML and plain text, and no program answers it", async () => {
    const adapter = await bench.connected();
    await send(adapter, outbound("**Hi** <b>&\n\n- one\n\n```\nx\ny\n```"), patience());
    const [{ email }] = bench.server.said as [(typeof bench.server.said)[0]];
    expect(email.text).toContain("Hi <b>&\n\n• one");
    expect(email.html).toContain("<b>Hi</b> &lt;b&gt;&amp;<br>");
    expect(email.html).toContain("<pre>x\ny</pre>");
    expect(email.headers.find(({ key }) => key === "auto-submitted")?.value).toBe("auto-replied");
  });

  it.each(["the same process", "another"])("continues the thread of its question, in %s", async (who) => {
    let adapter = await bench.connected();
    bench.server.say(ANN, "hello", {
      subject: "Lunch",
      messageId: "<q@people.example>",
      headers: { References: "<a@x> <b@x>", "In-Reply-To": "<b@x>" },
    });
    const question = await bench.inbox.message("[Subject: Lunch]\nhello");
    if (who === "another") {
      await adapter.disconnect();
      adapter = await bench.connected();
    }
    await send(adapter, outbound("hi", targetOf(question)), patience());
    const { email } = bench.server.said[0]!;
    expect(email.subject).toBe("Re: Lunch");
    expect(email.inReplyTo).toBe("<q@people.example>");
    expect(email.references).toBe("<a@x> <b@x> <q@people.example>");
  });

  it("carries files", async () => {
    const home = tempDir();
    fs.writeFileSync(path.join(home, "a.txt"), "content");
    const media = { home, folder: "media/in", maxBytes: 1, mayFetch: async () => true };
    const adapter = await bench.connected({ media });
    const file = { name: "notes.txt", path: "a.txt", mimeType: "text/plain", bytes: 7 };
    const gone = { ...file, name: "gone.txt", path: "gone.txt" };
    await send(adapter, outbound("here", {}, { files: [file, gone] }), patience());
    const { email } = bench.server.said[0]!;
    expect(email.attachments.map(({ filename }) => filename)).toEqual(["notes.txt"]);
    expect(email.text).toContain("gone.txt was not sent");
  });

  it("that is refused is explained without the address", async () => {
    const adapter = await bench.connected();
    bench.server.failSend({ kind: "reply", code: 550, text: `5.1.1 <${ANN}>: no such user` });
    const error = await failure(send(adapter, outbound("hi"), patience()));
    expect(error).toMatchObject({ outcome: "refused", message: expect.stringContaining("doesn't exist") });
    expect(String(error)).not.toContain(ANN);
  });
});

describe("a send in doubt", () => {
  it("has the same Message-ID again, marked, where the server keeps no copies", async () => {
    bench.server.keepsSent = false;
    const adapter = await bench.connected({ serverKeepsSent: false });
    const message = outbound("hi");
    bench.server.failSend({ kind: "cut_after" });
    expect(await failure(send(adapter, message, patience()))).toMatchObject({ outcome: "unknown" });
    expect(await lookUp(adapter, message, patience())).toBe("unknown");
    await send(adapter, { ...message, mayBeRepeat: true }, patience());
    const [first, again] = bench.server.said;
    expect(again!.id).toBe(first!.id);
    expect(again!.text).toContain("may be a repeat");
  });

  it("was never sent if the connection broke before the end of the mail", async () => {
    const adapter = await bench.connected();
    bench.server.world.faults.outage = true;
    expect(await failure(send(adapter, outbound("hi"), patience()))).toMatchObject({ outcome: "never_sent" });
  });
});

describe("the probe", () => {
  const states = async (options = {}) =>
    (await probeEmail(bench.options(options), { running: false, signal: patience() })).findings.map(
      ({ state }) => state,
    );

  it("logs in to both servers", async () => {
    expect(await states({ authservId: "mx.example.org" })).toEqual(["ok", "ok", "ok"]);
    expect(await states()).toEqual(["ok", "ok", "warn"]);
    expect(await states({ trustFrom: true })).toEqual(["ok", "ok", "warn"]);
  });

  it("finds a wrong password or address", async () => {
    expect(await states({ password: "wrong", authservId: "mx" })).toEqual(["fail", "fail", "ok"]);
    expect(await states({ address: "nonsense" })).toEqual(["fail"]);
    expect(() => emailAdapter(bench.options({ address: "nonsense" }))).toThrow(/not an email address/);
  });
});
