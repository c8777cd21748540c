import { describe, expect, it } from "vitest";
import type { InboundMessage } from "../../src/message.js";
import { GATEWAY, ownerOf } from "../../src/store/shared/owner.js";
import type { Store } from "../../src/store/store.js";
import { tempStore } from "../support/temp.js";

/** Two processes on one file: a daemon, which leaves terminals alone, and terminals, each with its own account. */

const NOTICES = { dead: "I gave up.", interrupted: "I was interrupted." };
const DAEMON = [GATEWAY];
const terminal = (account: string) => [ownerOf("cli", account)];

function message(platform: string, account: string, eventId: string): InboundMessage {
  return {
    platform,
    account,
    eventId,
    origin: { platform, chatType: "dm", chatId: account, userId: "ann" },
    text: eventId,
    attachments: [],
    sentAt: 1,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
  };
}

const PLACES = [
  ["chat", "bot"],
  ["cli", "t1"],
  ["cli", "t2"],
] as const;
const keyOf = (account: string) => `key:${account}`;

async function filled(): Promise<Store> {
  const { store } = await tempStore();
  for (const [platform, account] of PLACES) {
    const sessionKey = keyOf(account);
    await store.switchRoute({
      sessionKey,
      origin: message(platform, account, "x").origin,
      tuple: sessionKey,
      session: { source: platform, user_id: "ann" },
      expectedSessionId: null,
      endReason: "session_reset",
      at: 1000,
    });
    await store.acceptMessages([
      { message: message(platform, account, `for ${account}`), sessionKey, receivedAt: 1 },
    ]);
    const target = { platform, account, chatType: "dm", chatId: account, threadId: null };
    await store.enqueueReply({
      target: { ...target, userId: "ann", replyTo: null },
      kind: "answer",
      text: `to ${account}`,
    });
  }
  return store;
}

async function runAll(store: Store, bootId: string): Promise<void> {
  for (const { id, sessionKey } of await store.openMessages())
    await store.startTurn({ sessionKey, inboxIds: [id], bootId, turnId: `turn-${id}`, at: 2 });
}

const texts = (rows: readonly { message: InboundMessage }[]) => rows.map(({ message: { text } }) => text);

describe("processes that share a file", () => {
  it("see their own waiting messages", async () => {
    const store = await filled();
    expect(texts(await store.openMessages({ owners: DAEMON }))).toEqual(["for bot"]);
    expect(texts(await store.openMessages({ owners: terminal("t2") }))).toEqual(["for t2"]);
    expect(texts(await store.openMessages())).toHaveLength(3);
  });

  it("deliver their own answers", async () => {
    const store = await filled();
    const claim = async (owners?: readonly string[]) =>
      (await store.claimDeliveries("boot", 10, owners)).map(({ text }) => text);
    expect(await claim(terminal("t1"))).toEqual(["to t1"]);
    expect(await claim(terminal("t1"))).toEqual([]);
    expect(await claim(DAEMON)).toEqual(["to bot"]);
    expect(await claim()).toEqual(["to t2"]);
  });

  it("recover only their own rows: a turn of another process continues", async () => {
    const store = await filled();
    await runAll(store, "earlier");
    await store.claimDeliveries("earlier", 10);
    const recovered = await store.recover("daemon", 3, NOTICES, DAEMON);
    expect(recovered.waiting).toBe(1);
    expect(recovered.unsettled.map(({ text }) => text)).toEqual(["to bot"]);
    expect(texts(await store.openMessages())).toEqual(["for bot"]);
    expect((await store.recover("t1", 3, NOTICES, terminal("t1"))).waiting).toBe(1);
    expect(texts(await store.openMessages())).toEqual(["for bot", "for t1"]);
  });

  it("inherit open messages of a dead one, except commands, so nothing runs twice", async () => {
    const store = await filled();
    await runAll(store, "dead");
    const [command] = await store.acceptMessages([
      { message: message("cli", "t1", "/new"), sessionKey: keyOf("t1"), receivedAt: 2 },
    ]);
    expect(await store.startMessage({ inboxId: command!.id, bootId: "dead", command: "new" })).toBe(1);
    await store.claimDeliveries("dead", 10);
    expect(await store.moveChat("cli", "t1", { id: "heir", sessionKey: "key:heir" })).toBe(1);
    const [row, ...others] = await store.openMessages({ owners: terminal("heir") });
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      sessionKey: "key:heir",
      message: { account: "heir", origin: { chatId: "heir" }, text: "for t1" },
    });
    const [answer] = await store.claimDeliveries("heir", 10, terminal("heir"));
    expect(answer).toMatchObject({ text: "to t1", target: { account: "heir", chatId: "heir" } });
    expect((await store.recover("boot", 3, NOTICES, terminal("t1"))).interrupted).toEqual([]);
  });
});

describe("the backlog", () => {
  it("is counted by owner: an abandoned terminal doesn't affect the gateway", async () => {
    const store = await filled();
    expect((await store.backlog(DAEMON)).ready.inbox?.at).toBe(1);
    const [mine] = await store.openMessages({ owners: DAEMON });
    await store.settleMessage({ inboxId: mine!.id, state: "done", reason: "", replies: [] });
    expect((await store.backlog(DAEMON)).ready.inbox).toBeNull();
    expect((await store.backlog(terminal("t1"))).ready.inbox?.at).toBe(1);
    expect((await store.backlog()).ready.inbox?.at).toBe(1);
  });
});
