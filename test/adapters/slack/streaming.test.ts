import { afterEach, describe, expect, it } from "vitest";
import { type Bench, bench, outbound, patient } from "./harness.js";

let b: Bench;
afterEach(() => b.close());

function threadIn(channel: string) {
  const { ts } = b.slack.say({ channel, user: "U1", text: "question", silently: true });
  return { chatId: channel, threadId: ts, chatType: channel === "D1" ? "dm" : "group" };
}

describe("an answer while it is written", () => {
  it("is streamed in a thread, and ends as one edited message", async () => {
    b = await bench();
    const { target } = outbound(threadIn("C1"), "");
    let shown = await b.adapter.show(target, null, "One ▉", patient());
    shown = await b.adapter.show(target, shown, "One **two** ▉", patient());
    shown = await b.adapter.show(target, shown, "One **two** three", patient());
    expect(b.slack.workspace.seen("C1")).toMatchObject([{ text: "One **two** three", streaming: true }]);
    expect(b.slack.callsOf("chat.startStream")[0]!.args).toMatchObject({
      recipient_user_id: "U1",
      recipient_team_id: "T0EMU",
      thread_ts: target.threadId,
    });
    await b.adapter.send({ ...outbound({}, "One **two** three."), target, replaces: shown! }, patient());
    expect(b.slack.workspace.seen("C1")).toMatchObject([{ text: "One *two* three.", streaming: false }]);
  });

  it("pings nobody whom a model happens to name", async () => {
    b = await bench();
    const { target } = outbound(threadIn("C1"), "");
    let shown: string | null = null;
    for (const text of ["Ask <", "Ask <!chan", "Ask <!channel> or <@U2> ▉"])
      shown = await b.adapter.show(target, shown, text, patient());
    expect(b.slack.workspace.seen("C1")).toMatchObject([
      { text: "Ask <\u200b!channel> or <\u200b@U2>", streaming: true },
    ]);
  });

  it.each(["native", "edit"] as const)("is closed for good when no answer comes (%s)", async (streaming) => {
    b = await bench({ adapter: { streaming } });
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "q", silently: true });
    const { target } = outbound({ chatId: "D1", threadId: ts, chatType: "dm", replyTo: ts }, "");
    const shown = await b.adapter.show(target, null, "One ▉", patient());
    await b.adapter.breakOff(target, shown!, "One **two**", patient());
    const text = streaming === "native" ? "One **two**" : "One *two*";
    expect(b.slack.workspace.seen("D1")).toMatchObject([{ text, streaming: false }]);
    expect(await b.adapter.findPreview(target, patient())).toBeNull();
  });

  it("keeps all the words of a long stream when no answer comes", async () => {
    b = await bench();
    const { target } = outbound(threadIn("D1"), "");
    const long = "word ".repeat(1200).trim();
    const shown = await b.adapter.show(target, null, `${long} ▉`, patient());
    await b.adapter.breakOff(target, shown!, `${long} and more`, patient());
    expect(b.slack.workspace.texts("D1")).toEqual([`${long} and more`]);
  });

  it("is finished by another process after a crash in mid-stream", async () => {
    b = await bench();
    const { target } = outbound(threadIn("D1"), "");
    const shown = await b.adapter.show(target, null, "half an ans", patient());
    const other = await bench({ slack: b.slack });
    const more = await other.adapter.show(target, shown, "a new try", patient());
    await other.adapter.send({ ...outbound({}, "a new answer"), target, replaces: more! }, patient());
    await other.close();
    expect(b.slack.workspace.texts("D1")).toEqual(["a new answer"]);
  });

  it("goes on with edits when Slack has closed the stream", async () => {
    b = await bench();
    const { target } = outbound(threadIn("D1"), "");
    const shown = await b.adapter.show(target, null, "one", patient());
    b.slack.workspace.seen("D1")[0]!.streaming = false;
    const next = await b.adapter.show(target, shown, "one two", patient());
    await b.adapter.show(target, next, "one two three", patient());
    expect(b.slack.workspace.texts("D1")).toEqual(["one two three"]);
  });

  it("never says the same twice after an append with unknown outcome", async () => {
    b = await bench({ adapter: { times: { callMs: 300 } } });
    const { target } = outbound(threadIn("D1"), "");
    const shown = await b.adapter.show(target, null, "one", patient());
    b.slack.faults.next("chat.appendStream", { kind: "cut_after" });
    await expect(b.adapter.show(target, shown, "one two", patient())).rejects.toMatchObject({
      outcome: "unknown",
    });
    await b.adapter.show(target, shown, "one two three", patient());
    expect(b.slack.workspace.texts("D1")).toEqual(["one two three"]);
  });

  it("is edited where the app may not stream, and where there is no thread", async () => {
    b = await bench();
    b.slack.faults.next("chat.startStream", { kind: "error", error: "unknown_method" });
    for (const where of [threadIn("C1"), { chatId: "D1" }]) {
      const { target } = outbound(where, "");
      const shown = await b.adapter.show(target, null, "*one*", patient());
      expect(await b.adapter.show(target, shown, "**one** two", patient())).toBe(shown);
      expect(b.slack.workspace.texts(target.chatId!)).toEqual(["*one* two"]);
    }
    expect(b.slack.callsOf("chat.startStream")).toHaveLength(1);
  });
});

describe("typing", () => {
  it("shows a status under the thread, not more often than it should", async () => {
    b = await bench({ adapter: { times: { typingMs: 60_000 } } });
    const { target } = outbound(threadIn("C1"), "");
    b.adapter.type(target);
    b.adapter.type(target);
    b.adapter.type({ ...target, threadId: null });
    await b.slack.until(() => b.slack.workspace.statuses.length > 0);
    expect(b.slack.workspace.statuses).toEqual([
      { channel: "C1", threadTs: target.threadId, status: "is thinking…" },
    ]);
    expect(b.slack.callsOf("assistant.threads.setStatus")).toHaveLength(1);
  });

  it("is silent where the app may not", async () => {
    b = await bench();
    b.slack.faults.next("assistant.threads.setStatus", { kind: "error", error: "missing_scope" });
    const { target } = outbound(threadIn("C1"), "");
    b.adapter.type(target);
    await b.slack.until(() => b.slack.callsOf("assistant.threads.setStatus").length === 1);
    await b.adapter.send(outbound({}, "still works"), patient());
    b.adapter.type({ ...target, chatId: "D1" });
    await b.adapter.send(outbound({}, "still works"), patient());
    expect(b.slack.callsOf("assistant.threads.setStatus")).toHaveLength(1);
  });
});

describe("an unfinished answer whose id was lost", () => {
  it.each(["native", "edit"] as const)("is found again (%s), and answers never are", async (streaming) => {
    b = await bench({ adapter: { streaming } });
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "q", silently: true });
    const target = outbound({ threadId: streaming === "native" ? ts : null, replyTo: ts }, "").target;
    expect(await b.adapter.findPreview(target, patient())).toBeNull();
    const shown = await b.adapter.show(target, null, "half an answer ▉", patient());
    const found = await b.adapter.findPreview(target, patient());
    expect(found).toMatch(new RegExp(`${shown!.replace("stream:", "")}$`));
    await b.adapter.send({ ...outbound({}, "whole"), target, replaces: found! }, patient());
    expect(await b.adapter.findPreview(target, patient())).toBeNull();
    const posts = b.slack.workspace.all("D1").filter(({ user }) => user !== "U1");
    expect(posts.map(({ text }) => text)).toEqual(["whole"]);
  });

  it("is found where it was too long to be shown to its end, and never taken for another's", async () => {
    b = await bench({ adapter: { times: { settleMs: 50 } } });
    const [first, second] = ["q1", "q2"].map(
      (text) => b.slack.say({ channel: "D1", user: "U1", text, silently: true }).ts,
    );
    const target = outbound({ threadId: null, replyTo: first! }, "").target;
    const shown = await b.adapter.show(target, null, `${"word ".repeat(1000)}▉`, patient());
    expect(await b.adapter.findPreview({ ...target, replyTo: second! }, patient())).toBeNull();
    expect(await b.adapter.findPreview(target, patient())).toBe(`stream:${shown}`);
  });

  it("may not be asked for while Slack is away: the answer waits", async () => {
    b = await bench();
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "q", silently: true });
    const { target } = outbound({ threadId: null, replyTo: ts }, "");
    b.slack.faults.next("conversations.history", { kind: "cut_after" });
    await expect(b.adapter.findPreview(target, patient())).rejects.toMatchObject({ outcome: "never_sent" });
  });
});
