import { afterEach, describe, expect, it } from "vitest";
import { send } from "../../support/send.js";
import { deadline, outbound, type Setup, setup } from "./support.js";

let b: Setup;
afterEach(() => b.close());

function threadIn(channel: string) {
  const { ts } = b.slack.say({ channel, user: "U1", text: "question", silently: true });
  return { chatId: channel, threadId: ts, chatType: channel === "D1" ? "dm" : "group" };
}

describe("Slack previews", () => {
  it("streams in a thread and ends as one edited message", async () => {
    b = await setup();
    const { target } = outbound(threadIn("C1"), "");
    let shown = await b.adapter.show(target, null, "One ▉", deadline());
    shown = await b.adapter.show(target, shown, "One **two** ▉", deadline());
    shown = await b.adapter.show(target, shown, "One **two** three", deadline());
    expect(b.slack.workspace.seen("C1")).toMatchObject([{ text: "One **two** three", streaming: true }]);
    expect(b.slack.callsOf("chat.startStream")[0]!.args).toMatchObject({
      recipient_user_id: "U1",
      recipient_team_id: "T0EMU",
      thread_ts: target.threadId,
    });
    await send(b.adapter, { ...outbound({}, "One **two** three."), target, replaces: shown! }, deadline());
    expect(b.slack.workspace.seen("C1")).toMatchObject([{ text: "One *two* three.", streaming: false }]);
  });

  it("doesn't notify people named in a stream", async () => {
    b = await setup();
    const { target } = outbound(threadIn("C1"), "");
    let shown: string | null = null;
    for (const text of ["Ask <", "Ask <!chan", "Ask <!channel> or <@U2> ▉"])
      shown = await b.adapter.show(target, shown, text, deadline());
    expect(b.slack.workspace.seen("C1")).toMatchObject([
      { text: "Ask <\u200b!channel> or <\u200b@U2>", streaming: true },
    ]);
  });

  it.each(["native", "edit"] as const)("closes an abandoned preview (%s)", async (streaming) => {
    b = await setup({ adapter: { streaming } });
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "q", silently: true });
    const { target } = outbound({ chatId: "D1", threadId: ts, chatType: "dm", replyTo: ts }, "");
    const shown = await b.adapter.show(target, null, "One ▉", deadline());
    await b.adapter.abandon(target, shown!, "One **two**", deadline());
    const text = streaming === "native" ? "One **two**" : "One *two*";
    expect(b.slack.workspace.seen("D1")).toMatchObject([{ text, streaming: false }]);
    expect(await b.adapter.findPreview(target, deadline())).toBeNull();
  });

  it("keeps the full text of a long abandoned stream", async () => {
    b = await setup();
    const { target } = outbound(threadIn("D1"), "");
    const long = "word ".repeat(1200).trim();
    const shown = await b.adapter.show(target, null, `${long} ▉`, deadline());
    await b.adapter.abandon(target, shown!, `${long} and more`, deadline());
    expect(b.slack.workspace.texts("D1")).toEqual([`${long} and more`]);
  });

  it("lets another process finish a stream after a crash", async () => {
    b = await setup();
    const { target } = outbound(threadIn("D1"), "");
    const shown = await b.adapter.show(target, null, "half an ans", deadline());
    const other = await setup({ slack: b.slack });
    const more = await other.adapter.show(target, shown, "a new try", deadline());
    await send(other.adapter, { ...outbound({}, "a new answer"), target, replaces: more! }, deadline());
    await other.close();
    expect(b.slack.workspace.texts("D1")).toEqual(["a new answer"]);
  });

  it("continues with edits when Slack has closed the stream", async () => {
    b = await setup();
    const { target } = outbound(threadIn("D1"), "");
    const shown = await b.adapter.show(target, null, "one", deadline());
    b.slack.workspace.seen("D1")[0]!.streaming = false;
    const next = await b.adapter.show(target, shown, "one two", deadline());
    await b.adapter.show(target, next, "one two three", deadline());
    expect(b.slack.workspace.texts("D1")).toEqual(["one two three"]);
  });

  it("doesn't repeat text after an append with an unknown outcome", async () => {
    b = await setup({ adapter: { timing: { callMs: 300 } } });
    const { target } = outbound(threadIn("D1"), "");
    const shown = await b.adapter.show(target, null, "one", deadline());
    b.slack.faults.next("chat.appendStream", { kind: "cut_after" });
    await expect(b.adapter.show(target, shown, "one two", deadline())).rejects.toMatchObject({
      outcome: "unknown",
    });
    await b.adapter.show(target, shown, "one two three", deadline());
    expect(b.slack.workspace.texts("D1")).toEqual(["one two three"]);
  });

  it("uses edits if the app can't stream or there is no thread", async () => {
    b = await setup();
    b.slack.faults.next("chat.startStream", { kind: "error", error: "unknown_method" });
    for (const where of [threadIn("C1"), { chatId: "D1" }]) {
      const { target } = outbound(where, "");
      const shown = await b.adapter.show(target, null, "*one*", deadline());
      expect(await b.adapter.show(target, shown, "**one** two", deadline())).toBe(shown);
      expect(b.slack.workspace.texts(target.chatId!)).toEqual(["*one* two"]);
    }
    expect(b.slack.callsOf("chat.startStream")).toHaveLength(1);
  });
});

describe("Slack typing status", () => {
  it("is set in the thread, at most once per interval", async () => {
    b = await setup({ adapter: { timing: { typingMs: 60_000 } } });
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

  it("pauses after a failure", async () => {
    b = await setup();
    b.slack.faults.next("assistant.threads.setStatus", { kind: "error", error: "missing_scope" });
    const { target } = outbound(threadIn("C1"), "");
    b.adapter.type(target);
    await b.slack.until(() => b.slack.callsOf("assistant.threads.setStatus").length === 1);
    await send(b.adapter, outbound({}, "still works"), deadline());
    b.adapter.type({ ...target, chatId: "D1" });
    await send(b.adapter, outbound({}, "still works"), deadline());
    expect(b.slack.callsOf("assistant.threads.setStatus")).toHaveLength(1);
  });
});

describe("Slack preview whose id was lost", () => {
  it.each(["native", "edit"] as const)(
    "is found, but not after it became the answer (%s)",
    async (streaming) => {
      b = await setup({ adapter: { streaming } });
      const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "q", silently: true });
      const target = outbound({ threadId: streaming === "native" ? ts : null, replyTo: ts }, "").target;
      expect(await b.adapter.findPreview(target, deadline())).toBeNull();
      const shown = await b.adapter.show(target, null, "half an answer ▉", deadline());
      const found = await b.adapter.findPreview(target, deadline());
      expect(found).toMatch(new RegExp(`${shown!.replace("stream:", "")}$`));
      await send(b.adapter, { ...outbound({}, "whole"), target, replaces: found! }, deadline());
      expect(await b.adapter.findPreview(target, deadline())).toBeNull();
      const posts = b.slack.workspace.all("D1").filter(({ user }) => user !== "U1");
      expect(posts.map(({ text }) => text)).toEqual(["whole"]);
    },
  );

  it("is found by its question when its text was cut", async () => {
    b = await setup({ adapter: { timing: { settleMs: 50 } } });
    const [first, second] = ["q1", "q2"].map(
      (text) => b.slack.say({ channel: "D1", user: "U1", text, silently: true }).ts,
    );
    const target = outbound({ threadId: null, replyTo: first! }, "").target;
    const shown = await b.adapter.show(target, null, `${"word ".repeat(1000)}▉`, deadline());
    expect(await b.adapter.findPreview({ ...target, replyTo: second! }, deadline())).toBeNull();
    expect(await b.adapter.findPreview(target, deadline())).toBe(`stream:${shown}`);
  });

  it("fails as never sent if the history can't be read", async () => {
    b = await setup();
    const { ts } = b.slack.say({ channel: "D1", user: "U1", text: "q", silently: true });
    const { target } = outbound({ threadId: null, replyTo: ts }, "");
    b.slack.faults.next("conversations.history", { kind: "cut_after" });
    await expect(b.adapter.findPreview(target, deadline())).rejects.toMatchObject({ outcome: "never_sent" });
  });
});
