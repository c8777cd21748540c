import { describe, expect, it } from "vitest";
import {
  applied,
  emptyThread,
  isContained,
  isUnanswered,
  shownMessages,
  type Thread,
  type ThreadEvent,
  withEarlier,
  withSent,
} from "../../dashboard/src/chat/state/thread.js";
import type { AnswerMessage, LiveTurn, NoticeMessage, UserMessage } from "../../src/adapters/web/api.js";

const conversationId = "c1";
const sent = (clientId: string, text = clientId) => ({ clientId, text, files: [], at: 1 });
const turn = (turnId: string, clientIds: string[] = []): LiveTurn => ({
  ...{ conversationId, turnId, startedAt: 0, elapsed: 0, text: "", tools: [], waiting: false, clientIds },
});
const answer = (id: string, text: string, more: Partial<AnswerMessage> = {}): AnswerMessage => ({
  ...{
    from: "agent",
    id,
    position: 0,
    at: 2,
    text,
    final: true,
    stopped: false,
    undone: false,
    turnId: null,
    sources: [],
  },
  ...{ tools: [], files: [], reasoning: null, usage: null },
  ...more,
});
const reply = (text: string): NoticeMessage => ({
  ...{ from: "gateway", kind: "command", id: "out:1", position: 0, at: 2, text, files: [], buttons: [] },
});
const happens = (thread: Thread, ...events: ThreadEvent[]) => events.reduce(applied, thread);
const texts = (thread: Thread) => shownMessages(thread).map(({ text }) => text);

describe("a message that was sent", () => {
  it("waits in the queue until its turn starts", () => {
    const queued = happens(withSent(emptyThread("c1"), sent("a")), {
      ...{ type: "queued", conversationId },
      message: sent("a"),
    });
    expect([queued.messages.length, queued.queued.length]).toEqual([0, 1]);
    const started = happens(queued, { type: "turn-started", conversationId, turn: turn("t1", ["a"]) });
    expect([texts(started), started.queued.length]).toEqual([["a"], 0]);
  });

  it("is shown once, whichever comes first: the answer to its request or its event", () => {
    const message = { ...{ from: "user" as const, id: "u:a", clientId: "a", position: 7, at: 1 } };
    const event = {
      ...{ type: "message" as const, conversationId },
      message: { ...message, text: "a", files: [], undone: false },
    };
    const first = withSent(happens(emptyThread("c1"), event), sent("a"));
    const second = happens(withSent(emptyThread("c1"), sent("a")), event);
    for (const { messages } of [first, second]) expect(messages.map(({ id }) => id)).toEqual(["u:a"]);
  });

  it("leaves the queue with the reply if it is a command", () => {
    const queued = happens(emptyThread("c1"), {
      type: "queued",
      conversationId,
      message: sent("a", "/status"),
    });
    const replied = happens(queued, { type: "message", conversationId, message: reply("Fine") });
    expect([texts(replied), replied.queued]).toEqual([["/status", "Fine"], []]);
  });

  it("is gone when it was withdrawn", () => {
    const queued = happens(emptyThread("c1"), { type: "queued", conversationId, message: sent("a") });
    expect(happens(queued, { type: "withdrawn", conversationId, clientId: "a" }).queued).toEqual([]);
  });
});

describe("a turn", () => {
  const started = happens(emptyThread("c1"), { type: "turn-started", conversationId, turn: turn("t1") });
  const delta = (from: number, text: string): ThreadEvent => ({
    ...{ type: "delta", conversationId, turnId: "t1", from, text },
  });

  it("grows by its deltas, which may repeat and correct", () => {
    const written = happens(started, delta(0, "Half an"), delta(5, "an answer"), delta(5, "an answer"));
    expect(written.turn?.text).toBe("Half an answer");
    expect(happens(started, { ...delta(0, "x"), turnId: "t0" } as ThreadEvent).turn?.text).toBe("");
  });

  it("hides its stored answer until it has ended and the session is read", () => {
    const done = happens(
      started,
      delta(0, "All of it"),
      { type: "message", conversationId, message: answer("a:1", "All of it", { turnId: "t1" }) },
      { type: "turn-finished", conversationId, turnId: "t1", outcome: "answered", usage: null },
    );
    expect([texts(done), done.turn?.ended]).toEqual([[], true]);
  });

  it("leaves nothing behind if nothing of it is stored", () => {
    const failed = { type: "turn-finished", conversationId, turnId: "t1" } as const;
    expect(happens(started, { ...failed, outcome: "failed", usage: null }).turn).toBeNull();
  });
});

describe("messages", () => {
  it("are replaced where they are, and keep what only a read knows", () => {
    const read = {
      ...emptyThread("c1"),
      messages: [answer("a:1", "One", { position: 4, reasoning: "Hm" }), reply("x")],
    };
    const { messages } = happens(read, { type: "message", conversationId, message: answer("a:1", "One!") });
    expect(messages[0]).toMatchObject({ text: "One!", position: 4, reasoning: "Hm" });
    expect(messages).toHaveLength(2);
  });

  it("of an earlier page come first, without repeats", () => {
    const thread = { ...emptyThread("c1"), messages: [answer("b", "B"), answer("c", "C")], earlier: true };
    const page = {
      ...thread,
      messages: [answer("a", "A"), answer("b", "B")],
      earlier: false,
      eventCursor: "",
    };
    const all = withEarlier(thread, { ...page, turn: null, queued: [], forks: [] });
    expect([texts(all), all.earlier]).toEqual([["A", "B", "C"], false]);
  });

  it("of a question lose their buttons when it is decided", () => {
    const asked: NoticeMessage = {
      ...reply("May I?"),
      kind: "question",
      buttons: [{ label: "Yes", data: "y" }],
    };
    const thread = { ...emptyThread("c1"), messages: [asked] };
    const { messages } = happens(thread, {
      type: "decided",
      conversationId,
      messageId: "out:1",
      text: "Ann: yes",
    });
    expect(messages).toEqual([{ ...asked, text: "Ann: yes", buttons: [] }]);
  });
});

describe("a question", () => {
  const stored: UserMessage = {
    ...{ from: "user", id: "u:a", clientId: "a", position: 7, at: 1, text: "a", files: [], undone: false },
  };
  const notice: NoticeMessage = { ...reply("The model failed."), kind: "notice" };
  const step = answer("m:8", "", { position: 8, final: false });

  it.each<[string, Partial<Thread>, boolean]>([
    ["after a failure", { messages: [stored, notice] }, true],
    ["after a failure between tool calls", { messages: [stored, step, notice] }, true],
    ["that was answered", { messages: [stored, answer("a:a", "A", { position: 8 })] }, false],
    ["whose answer was stopped", { messages: [stored, { ...step, stopped: true }] }, false],
    ["that isn't stored yet", { messages: [stored, { ...stored, id: "sent:b", position: 0 }] }, false],
    ["whose turn runs", { messages: [stored], turn: { ...turn("t1"), ended: false } }, false],
    ["with another message in the queue", { messages: [stored], queued: [sent("b")] }, false],
    ["that is undone", { messages: [{ ...stored, undone: true }] }, false],
    ["that is a command", { messages: [{ ...stored, text: "/help" }] }, false],
  ])("%s: is it unanswered?", (_, more, expected) => {
    expect(isUnanswered({ ...emptyThread("c1"), ...more })).toBe(expected);
  });
});

describe("a cursor", () => {
  it.each([
    ["x-5", "x-5", true],
    ["x-10", "x-9", true],
    ["x-9", "x-10", false],
    ["y-9", "x-1", false],
    ["", "x-1", false],
  ])("%s contains the event %s: %s", (cursor, event, expected) => {
    expect(isContained(cursor, event)).toBe(expected);
  });
});
