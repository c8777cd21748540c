import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { htmlToText } from "../../../src/adapters/email/html-text.js";
import { ownWords } from "../../../src/adapters/email/quotes.js";
import { trustIn } from "../../../src/adapters/email/trust.js";
import { sessionKeyOf } from "../../support/session-key-of.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
import { ANN, Bench } from "./support.js";

let bench: Bench;

beforeEach(async () => {
  bench = await new Bench().start();
});
afterEach(() => bench.close());

describe("a mail", () => {
  it("has a session key of the address in lower case, whatever its thread", async () => {
    await bench.connected();
    bench.server.say("Ann@People.Example", "one", { headers: { References: "<a@b> <c@d>" } });
    expect(sessionKeyOf(await bench.inbox.message("one"))).toBe("agent:main:email:dm:ann@people.example");
  });

  it("names its subject, except in answers and commands", async () => {
    await bench.connected();
    bench.server.say(ANN, "hello", { subject: "Lunch" });
    bench.server.say(ANN, "yes", { subject: "Re: Lunch" });
    bench.server.say(ANN, "/status", { subject: "Lunch" });
    await bench.inbox.message("/status");
    expect(bench.inbox.texts).toEqual(["[Subject: Lunch]\nhello", "yes", "/status"]);
  });

  it("has the text that it answers as a quote", async () => {
    await bench.connected();
    bench.server.say(ANN, "Sure.\n\nOn Monday, Hermes wrote:\n> Shall I?\n> Really?\n", {
      headers: { "In-Reply-To": "<x@example.org>" },
    });
    const { quoted } = await bench.inbox.message("Sure.");
    expect(quoted).toEqual({ text: "Shall I?\nReally?", messageId: "<x@example.org>" });
  });

  it.each([
    [{ "Auto-Submitted": "auto-replied" }, "automatic reply"],
    [{ Precedence: "bulk" }, "bulk"],
    [{ "List-Unsubscribe": "<mailto:x@y>" }, "list"],
    [{ "Return-Path": "<>" }, "bounce"],
  ])("with %j gets no answer", async (headers, reason) => {
    await bench.connected();
    bench.server.say(ANN, "automatic", { headers });
    bench.server.say(ANN, "a person");
    await bench.inbox.message("a person");
    expect(bench.inbox.texts).toEqual(["a person"]);
    expect(bench.log.join("\n")).toContain(reason);
    expect(bench.log.join("\n")).not.toContain(ANN);
  });

  it("is only believed if our server has checked its sender", async () => {
    await bench.connected({ authservId: "mx.example.org" });
    bench.server.say(ANN, "forged", { results: "mx.example.org; dmarc=fail" });
    bench.server.say(ANN, "another server", {
      results: "evil.example; dmarc=pass header.from=people.example",
    });
    bench.server.say(ANN, "unchecked", { results: null });
    bench.server.say(ANN, "real");
    await bench.inbox.message("real");
    expect(bench.inbox.texts).toEqual(["real"]);
  });

  it("with files brings them", async () => {
    const home = tempDir();
    const media = { home, folder: "media/in", maxBytes: 10_000, mayFetch: async () => true };
    await bench.connected({ media });
    const body = [
      "--b",
      "Content-Type: text/plain",
      "",
      "look",
      "--b",
      'Content-Type: text/csv; name="a.csv"',
      'Content-Disposition: attachment; filename="a.csv"',
      "",
      "a,b",
      "--b--",
    ].join("\n");
    bench.server.say(ANN, body, { headers: { "Content-Type": "multipart/mixed; boundary=b" } });
    const { attachments } = await bench.inbox.message("look");
    expect(attachments).toMatchObject([{ name: "a.csv" }]);
    expect(fs.readFileSync(path.join(home, attachments[0]!.path!), "utf8").trim()).toBe("a,b");
  });
});

describe("the cursor", () => {
  it("skips what was there before the first start", async () => {
    bench.server.say(ANN, "long ago");
    await bench.connected();
    bench.server.say(ANN, "now");
    await bench.inbox.message("now");
    expect(bench.inbox.texts).toEqual(["now"]);
  });

  it("starts again, and says so, when the server has new numbers", async () => {
    const adapter = await bench.connected();
    bench.server.say(ANN, "before");
    await bench.inbox.message("before");
    await adapter.disconnect();
    bench.server.inbox.renumber();
    await bench.connected();
    bench.server.say(ANN, "after");
    await bench.inbox.message("after");
    expect(bench.inbox.offered).toHaveLength(2);
    expect(bench.log.join("\n")).toContain("renumbered its mail");
  });

  it("stays when the inbox fails", async () => {
    const adapter = await bench.connected();
    bench.inbox.failures = 1;
    bench.server.say(ANN, "hello");
    await bench.inbox.message("hello");
    await until("it is well again", () => adapter.health().state === "ok");
  });
});

describe("Authentication-Results", () => {
  it.each([
    ["mx; dmarc=pass header.from=a.example", "passed"],
    ["mx; spf=pass smtp.mailfrom=x@a.example", "passed"],
    ["mx; dkim=pass header.d=example", "failed"],
    ["mx; dkim=pass header.i=@a.example; spf=fail", "passed"],
    ["mx; spf=pass smtp.mailfrom=evil.example; dkim=pass header.d=evil.example", "failed"],
    ["mx; none (dmarc=pass header.from=a.example)", "failed"],
    ["mx; dmarc=fail; x=(; dmarc=pass header.from=a.example)", "failed"],
    ["mx; dmarc=pass header.from=evil.example", "failed"],
  ])("%s: %s", (value, trust) => {
    expect(trustIn([value], "ann@a.example", null)).toBe(trust);
  });

  it("count only at the top, or of the named server", () => {
    const pass = "mx.example; dmarc=pass header.from=a.example";
    expect(trustIn(["mx.example; dmarc=fail", pass], "ann@a.example", null)).toBe("failed");
    expect(trustIn(["other; dmarc=fail", pass], "ann@a.example", "mx.example")).toBe("passed");
    expect(trustIn([], "ann@a.example", null)).toBe("unchecked");
  });
});

describe("a person's own words", () => {
  it.each([
    ["Hi\n-- \nAnn\nPhone 1", "Hi"],
    ["Hi\n\nSent from my iPhone", "Hi"],
    ["Hi\n\nOn Mon, Jan 1, 2026 at 10:00 AM Hermes\n<h@x.example> wrote:\n\n> old\n", "Hi"],
    ["Hi\n\nAm 1. Januar schrieb Hermes:\n> alt", "Hi"],
    ["Hi\n-----Original Message-----\nFrom: x", "Hi"],
    ["Hi\n________________________________\nFrom: H <h@x>\nSent: Monday\n\nold", "Hi"],
    ["> question\nan answer below", "> question\nan answer below"],
    ["> only a quote", "> only a quote"],
  ])("%j", (body, text) => {
    expect(ownWords(body).text).toBe(text);
  });

  it("are read from HTML where there is no text", () => {
    const html =
      "<style>p{}</style><p>Hello&nbsp;<b>you</b></p><div>and<br>me</div><script>x</script><!-- <p>no</p> -->";
    expect(htmlToText(html)).toBe("Hello\u00a0you\n\nand\nme");
  });
});
