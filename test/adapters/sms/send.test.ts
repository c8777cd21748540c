import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { probeSms } from "../../../src/adapters/sms/probe.js";
import { lookUp, send } from "../../support/send.js";
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
  it("has no markup, and plain quotes and dashes", async () => {
    const adapter = await bench.connected();
    await send(
      adapter,
      outbound("# Hi\n\n**It’s** – “fine” …\n\n- one\n- [two](https://a.example)"),
      patience(),
    );
    expect(bench.twilio.said(ANN)[0]!.body).toBe(
      'Hi\n\nIt\'s - "fine" ...\n\n- one\n- two (https://a.example)',
    );
  });

  it("goes out through the messaging service if there is one", async () => {
    const adapter = await bench.connected({ messagingServiceSid: "MG1" });
    await send(adapter, outbound("hi"), patience());
    expect(bench.twilio.said(ANN)).toHaveLength(1);
  });

  it.each([
    [21610, "refused", /STOP/],
    [21408, "refused", /country/],
    [30001, "never_sent", /wait/],
    [21999, "refused", /error 21999/],
  ])("that Twilio rejects with error %i is %s, without the number", async (code, outcome, words) => {
    const adapter = await bench.connected();
    bench.twilio.refuseNext(code);
    const error = await failure(send(adapter, outbound("hi"), patience()));
    expect(error).toMatchObject({ outcome, message: expect.stringMatching(words) });
    expect(String(error)).not.toContain("+1555");
  });
});

describe("a send in doubt", () => {
  it("is settled by a status callback, also if the list can't be read", async () => {
    const adapter = await bench.connected({ pollSeconds: 3600 });
    const message = outbound("hi");
    bench.twilio.failSend({ kind: "cut_after" });
    await failure(send(adapter, message, patience()));
    const [sent] = bench.twilio.said(ANN);
    await until("Twilio reported it", () =>
      bench.twilio.webhooks.all.some(({ state }) => state === "accepted"),
    );
    expect(await lookUp(adapter, message, patience())).toEqual([sent!.sid]);
  });

  it("isn't confused with the same text to another question", async () => {
    const adapter = await bench.connected({ webhookUrl: undefined, pollSeconds: 3600 });
    const question = bench.twilio.say(ANN, "a question");
    const first = outbound("yes", { replyTo: question.sid });
    await send(adapter, first, patience());
    expect(await lookUp(adapter, outbound("yes", { replyTo: question.sid }), patience())).toBe("missing");
  });

  it("is unknown if it answers nothing and the text was sent before", async () => {
    const adapter = await bench.connected({ webhookUrl: undefined });
    await send(adapter, outbound("a reminder"), patience());
    await adapter.disconnect();
    const next = await bench.connected({ webhookUrl: undefined });
    expect(await lookUp(next, outbound("a reminder"), patience())).toBe("unknown");
    expect(await lookUp(next, outbound("another"), patience())).toBe("missing");
  });

  it("that can't be looked up now is tried again later", async () => {
    const adapter = await bench.connected({ pollSeconds: 3600 });
    bench.twilio.faults.outage = true;
    expect(await failure(lookUp(adapter, outbound("hi"), patience()))).toMatchObject({
      outcome: "never_sent",
    });
  });
});

describe("a report of Twilio's", () => {
  it("of a failed delivery is explained in the log, or to the operator", async () => {
    const adapter = await bench.connected();
    await send(adapter, outbound("hi"), patience());
    const [sent] = bench.twilio.said(ANN);
    bench.twilio.report(sent!, "undelivered", 30005);
    await until("it is logged", () => bench.log.some((line) => line.includes("doesn't exist")));
    bench.twilio.report(sent!, "failed", 30034);
    await until("it is an issue", () => adapter.health().detail?.includes("10DLC") === true);
    bench.twilio.report(sent!, "delivered");
    await until("it is over", () => adapter.health().detail === undefined);
    expect(bench.log.join("\n")).not.toContain("+1555");
  });
});

describe("the probe", () => {
  const probe = (options = {}, running = false) => {
    const { accountSid, authToken, number: phoneNumber, webhookUrl, url: apiUrl } = bench.twilio;
    const bot = { accountSid, authToken, phoneNumber, webhookUrl, apiUrl, ...options };
    return probeSms(bot, { running, signal: patience() });
  };
  const states = async (work: ReturnType<typeof probe>) => (await work).findings.map(({ state }) => state);

  it("knows the number and its webhook", async () => {
    expect((await probe()).bot).toEqual({ id: bench.twilio.number, name: bench.twilio.number });
    expect(await states(probe())).toEqual(["ok", "ok"]);
  });

  it("finds a wrong token, number or address", async () => {
    expect(await states(probe({ authToken: "wrong" }))).toEqual(["fail"]);
    expect(await states(probe({ phoneNumber: "+15557770000" }))).toEqual(["ok", "fail"]);
    expect(await states(probe({ webhookUrl: "https://elsewhere.example/x" }))).toEqual(["ok", "fail"]);
    expect(await states(probe({ webhookUrl: undefined }))).toEqual(["ok", "warn"]);
    expect(await states(probe({ apiUrl: "http://127.0.0.1:1" }))).toEqual(["fail"]);
  });
});
