import path from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp.js";
import { inDm } from "../support/test-adapter.js";
import { until } from "../support/until.js";
import { ask, type Chats, lampOf, overHttp, startChats } from "./support/chats.js";

const newHome = () => path.join(tempDir(), "home");

async function say({ adapter }: Chats, text: string, answer: string): Promise<void> {
  await adapter.say(inDm("ann"), text);
  await until(`an answer with ${answer}`, () => adapter.sent.some((sent) => sent.text.includes(answer)), {
    found: () => adapter.sent.map((sent) => sent.text),
  });
}

const TEN = [
  "attachments_fetch channels_list conversation_get conversations_list events_poll events_wait messages_read",
  "messages_send permissions_list_open permissions_respond",
];

describe("/mcp", () => {
  it("requires the owner's token", async () => {
    const { running, token } = await startChats(newHome());
    await expect(overHttp(running.url!)).rejects.toThrow();
    await expect(overHttp(running.url!, "wrong")).rejects.toThrow();
    const { tools } = await (await overHttp(running.url!, token)).listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(TEN.join(" ").split(" "));
  });

  it("reads conversations and messages in Hermes' form", async () => {
    const chats = await startChats(newHome());
    await say(chats, "hello there", "hello there");
    const client = await overHttp(chats.running.url!, chats.token);
    const { conversations, count } = await ask(client, "conversations_list", { search: "ann" });
    expect(count).toBe(1);
    const { session_key } = conversations[0]!;
    expect(conversations[0]).toMatchObject({
      platform: "test",
      chat_type: "dm",
      session_id: expect.any(String),
    });
    expect(await ask(client, "conversation_get", { session_key })).toMatchObject({
      ...{ session_key, chat_id: expect.any(String), thread_id: null, total_tokens: expect.any(Number) },
    });
    const { messages, total_in_session } = await ask(client, "messages_read", { session_key, limit: 1 });
    expect(total_in_session).toBe(2);
    expect(messages).toMatchObject([{ role: "assistant", content: expect.stringContaining("hello there") }]);
    const message_id = messages[0]!.id;
    expect(await ask(client, "attachments_fetch", { session_key, message_id })).toMatchObject({ count: 0 });
    expect(await ask(client, "channels_list", { platform: "test" })).toMatchObject({ count: 1 });
    expect((await ask(client, "conversations_list", { platform: "other" })).count).toBe(0);
    expect((await ask(client, "conversation_get", { session_key: "nothing" })).error).toContain(
      "no conversation",
    );
    expect((await ask(client, "messages_read", { session_key, limit: 900 })).error).toBeDefined();
  });

  it("sends once per key, and returns the outcome", async () => {
    const chats = await startChats(newHome());
    await say(chats, "hello", "hello");
    const client = await overHttp(chats.running.url!, chats.token);
    const { channels } = await ask(client, "channels_list");
    const { target } = channels[0]!;
    const sending = { target, message: "from a program", idempotency_key: "one" };
    const first = await ask(client, "messages_send", sending);
    expect(first).toMatchObject({ success: true, state: "sent", target });
    expect(await ask(client, "messages_send", sending)).toMatchObject({ id: first.id });
    const sent = chats.adapter.sent.filter(({ text }) => text === "from a program");
    expect(sent).toHaveLength(1);
    expect((await ask(client, "messages_send", { target: "nowhere", message: "x" })).error).toBeDefined();
  });

  it("gives events after a cursor, which survives a restart", async () => {
    const home = newHome();
    const chats = await startChats(home);
    await say(chats, "before", "before");
    const client = await overHttp(chats.running.url!, chats.token);
    const start = await ask(client, "events_poll");
    expect(start.events).toEqual([]);
    await say(chats, "one", "one");
    const { events } = await until("both messages", async () => {
      const found = await ask(client, "events_poll", { after_cursor: start.next_cursor });
      return found.events.length === 2 && found;
    });
    expect(events).toMatchObject([
      { type: "message", role: "user", content: "one" },
      { type: "message", role: "assistant" },
    ]);
    await chats.running.stop();
    const again = await startChats(home);
    const later = await overHttp(again.running.url!, again.token);
    const after_cursor = events[0]!.cursor;
    expect((await ask(later, "events_poll", { after_cursor })).events).toEqual([events[1]]);
    const waiting = ask(later, "events_wait", { after_cursor: events[1]!.cursor, timeout_ms: 20_000 });
    await say(again, "two", "two");
    expect((await waiting).event).toMatchObject({ type: "message", role: "user", content: "two" });
    expect(await ask(later, "events_wait", { timeout_ms: 1 })).toMatchObject({
      event: null,
      reason: "timeout",
    });
    expect((await ask(later, "events_poll", { after_cursor: "nonsense" })).error).toContain(
      "Invalid position",
    );
  });

  it("decides approvals, and the waiting turn continues", async () => {
    const lit: string[] = [];
    const chats = await startChats(newHome(), { tools: [lampOf(lit)] });
    const client = await overHttp(chats.running.url!, chats.token);
    const { next_cursor: after_cursor } = await ask(client, "events_poll");
    await chats.adapter.say(inDm("ann"), "!tool lamp");
    const [approval] = await until("it asks", async () => {
      const { approvals } = await ask(client, "permissions_list_open");
      return approvals.length > 0 && approvals;
    });
    expect(approval).toMatchObject({
      choices: ["once", "session", "deny"],
      description: expect.stringContaining("lamp"),
    });
    expect(lit).toEqual([]);
    const { id } = approval!;
    expect(await ask(client, "permissions_respond", { id, decision: "allow-always" })).toMatchObject({
      ...{ resolved: true, choice: "session" },
    });
    await until("the answer", () => chats.adapter.sent.some(({ text }) => text.includes("lit")));
    expect(lit).toEqual(["ann"]);
    expect((await ask(client, "permissions_respond", { id, decision: "deny" })).error).toContain(
      "already been decided",
    );
    const { events } = await ask(client, "events_poll", { after_cursor });
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["approval_requested", "approval_resolved", "message"]),
    );
  });
});
