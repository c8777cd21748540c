import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { interactiveOf, rowsOf } from "../../../src/adapters/whatsapp-cloud/choices.js";
import { probeWhatsApp } from "../../../src/adapters/whatsapp-cloud/probe.js";
import { send } from "../../support/send.js";
import { tempDir } from "../../support/temp.js";
import { until } from "../../support/until.js";
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
  it("has WhatsApp's own marks", async () => {
    const adapter = await bench.connected();
    const text =
      "# Hi\n\n**bold** *italic* ~~gone~~ `x` [two](https://a.example)\n\n- one\n\n```js\n1 * 2\n```";
    await send(adapter, outbound(text), patience());
    expect(bench.meta.said(ANN)[0]!.text).toBe(
      "*Hi*\n\n*bold* _italic_ ~gone~ `x` two (https://a.example)\n\n• one\n\n```\n1 * 2\n```",
    );
  });

  it.each([
    [131047, "refused", /24 hours.*templates/],
    [131026, "refused", /no WhatsApp/],
    [131031, "refused", /locked/],
    [131056, "never_sent", /wait/],
    [10, "never_sent", /whatsapp_business_messaging/],
    [99999, "refused", /error 99999/],
  ])("that Meta rejects with error %i is %s, without the number", async (code, outcome, words) => {
    const adapter = await bench.connected();
    bench.meta.refuseNext(code);
    const error = await failure(send(adapter, outbound("hi"), patience()));
    expect(error).toMatchObject({ outcome, message: expect.stringMatching(words) });
    expect(String(error)).not.toContain(ANN);
  });
});

describe("files", () => {
  const KINDS = [
    ["image/png", "image", ""],
    ["audio/ogg", "audio", ""],
    ["video/mp4", "video", ""],
    ["application/pdf", "document", "a file"],
  ] as const;

  it("go out after the text, each as what it is", async () => {
    const home = tempDir();
    const media = { home, folder: "media/in", maxBytes: 1000, mayFetch: async () => true };
    const adapter = await bench.connected({ media });
    const files = KINDS.map(([mimeType], i) => {
      fs.writeFileSync(path.join(home, `f${i}`), `content ${i}`);
      return { name: "a file", path: `f${i}`, mimeType, bytes: 9 };
    });
    await send(adapter, outbound("here", { files }), patience());
    const [text, ...sent] = bench.meta.said(ANN);
    expect(text!.text).toBe("here");
    expect(sent.map(({ file }) => [file!.type, file!.kind, file!.name])).toEqual(KINDS);
    expect(sent.map(({ file }) => file!.content.toString())).toEqual(files.map((_, i) => `content ${i}`));
  });

  it("are not in doubt if only the upload failed", async () => {
    const home = tempDir();
    fs.writeFileSync(path.join(home, "f"), "x");
    const media = { home, folder: "media/in", maxBytes: 1000, mayFetch: async () => true };
    const adapter = await bench.connected({ media });
    bench.meta.faults.next(({ url }) => url.pathname.endsWith("/media"), { kind: "cut_after" });
    const files = [{ name: "f", path: "f", mimeType: "image/png", bytes: 1 }];
    expect(await failure(send(adapter, outbound("", { files }), patience()))).toMatchObject({
      outcome: "never_sent",
    });
  });
});

describe("a question", () => {
  const choices = (...labels: string[]) => labels.map((label, i) => ({ id: `c${i}`, label }));
  const shape = (...labels: string[]) =>
    interactiveOf("Which?", rowsOf({ id: "q1", choices: choices(...labels) }));

  it("has buttons where they fit, else a list with the whole labels", () => {
    expect(shape("Yes", "No")).toEqual({
      type: "button",
      body: { text: "Which?" },
      action: {
        buttons: [
          { type: "reply", reply: { id: "q:q1:c0", title: "Yes" } },
          { type: "reply", reply: { id: "q:q1:c1", title: "No" } },
        ],
      },
    });
    const long = "Yes, and don't ask me again today";
    expect(shape(long, "No")).toMatchObject({
      type: "list",
      action: {
        sections: [
          {
            rows: [
              { id: "q:q1:c0", title: "Yes, and don't ask me a…", description: long },
              { id: "q:q1:c1", title: "No" },
            ],
          },
        ],
      },
    });
    expect(shape("a", "b", "c", "d")).toMatchObject({ type: "list" });
  });

  it("that is too long for choices below it has them in a message of their own", async () => {
    const adapter = await bench.connected();
    const question = { id: "q1", choices: choices("Yes", "No") };
    await send(adapter, outbound("x ".repeat(1000), { question }), patience());
    const [text, last] = bench.meta.said(ANN);
    expect(text!.rows).toBeUndefined();
    expect(last).toMatchObject({ text: "Please choose:", rows: [{ title: "Yes" }, { title: "No" }] });
  });
});

describe("a send in doubt", () => {
  const repeat = { index: 0, count: 1, sent: [], mayBeRepeat: true };
  const again = async (
    adapter: Awaited<ReturnType<Bench["connected"]>>,
    message: ReturnType<typeof outbound>,
  ) => adapter.sendPart(message, adapter.render(message)[0]!, repeat, patience());

  async function inDoubt() {
    const adapter = await bench.connected();
    const message = outbound("hi");
    bench.meta.failSend({ kind: "cut_after" });
    expect(await failure(send(adapter, message, patience()))).toMatchObject({ outcome: "unknown" });
    return { adapter, message };
  }

  it("is proved by its status, also one that came before a restart", async () => {
    const { adapter, message } = await inDoubt();
    const [{ id } = { id: "" }] = bench.meta.said(ANN);
    await until("the status is stored", async () => (await bench.inbox.cursor("arrived"))?.includes(id));
    expect(await again(adapter, message)).toEqual([id]);
    await adapter.disconnect();
    bench.meta.gatewayUrl = undefined;
    expect(await again(await bench.connected(), message)).toEqual([id]);
    expect(bench.meta.said(ANN)).toHaveLength(1);
  });

  it("is sent again without one, marked", async () => {
    bench.meta.gatewayUrl = undefined;
    const { adapter, message } = await inDoubt();
    await again(adapter, message);
    expect(bench.meta.said(ANN).map(({ text }) => text)).toEqual(["hi", "(This may be a repeat.)\nhi"]);
  });
});

describe("a note about a repeat", () => {
  it("in a message of its own isn't taken for the answer", async () => {
    const adapter = await bench.connected();
    const message = outbound("x".repeat(4090));
    const [part] = adapter.render(message);
    const context = { index: 0, count: 1, sent: [], mayBeRepeat: true };
    const isText = ({ body }: { body: Buffer }) => body.includes("xxx");
    bench.meta.faults.next(isText, { kind: "cut_before" });
    await failure(adapter.sendPart(message, part!, context, patience()));
    expect(bench.meta.said(ANN)).toHaveLength(1);
    await until("its status is stored", async () => (await bench.inbox.cursor("arrived"))?.includes("note"));
    await adapter.sendPart(message, part!, context, patience());
    expect(bench.meta.said(ANN).at(-1)!.text).toBe(message.text);
  });
});

describe("a status", () => {
  it("of a failed delivery is explained in the log, or to the operator", async () => {
    const adapter = await bench.connected();
    await send(adapter, outbound("hi"), patience());
    const [sent] = bench.meta.said(ANN);
    bench.meta.report(sent!, "failed", 131047);
    await until("it is logged", () => bench.log.some((line) => line.includes("24 hours")));
    bench.meta.report(sent!, "failed", 131042);
    await until("it is an issue", () => adapter.health().detail?.includes("payment") === true);
    bench.meta.report(sent!, "delivered");
    await until("it is over", () => adapter.health().detail === undefined);
    expect(bench.log.join("\n")).not.toContain(ANN);
  });
});

describe("the typing indicator", () => {
  it("is shown once in a while for a message, with the read mark", async () => {
    const adapter = await bench.connected();
    bench.meta.say(ANN, "hello");
    const { origin } = await bench.inbox.message("hello");
    const { target } = outbound("", {}, { replyTo: origin.messageId! });
    for (let i = 0; i < 5; i++) adapter.type(target);
    await until("it is shown", () => bench.meta.typing > 0);
    await adapter.react(target, "working", patience());
    expect(bench.meta.typing).toBe(1);
    expect([...bench.meta.reactions]).toEqual([[origin.messageId, "👀"]]);
  });
});

describe("the probe", () => {
  const states = async (options = {}) => {
    const bot = { ...bench.options, businessId: "77", ...options };
    return (await probeWhatsApp(bot, { running: false, signal: patience() })).findings.map(
      ({ state }) => state,
    );
  };

  it("knows the number and the subscription", async () => {
    expect(await states()).toEqual(["ok", "ok"]);
    bench.meta.subscribedApps = 0;
    expect(await states()).toEqual(["ok", "fail"]);
    expect(await states({ businessId: undefined, verifyToken: undefined })).toEqual(["ok", "warn"]);
  });

  it("finds a wrong token or address", async () => {
    expect(await states({ accessToken: "wrong" })).toEqual(["fail"]);
    expect(await states({ apiUrl: "http://127.0.0.1:1" })).toEqual(["fail"]);
  });
});
