import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenedStore } from "../../../src/store/sqlite/index.js";
import { forSeveral } from "../../support/at-end.js";
import { plain } from "../../support/gateway.js";
import { until } from "../../support/until.js";
import { ApiGateway, configWith, KEYS, user } from "./support.js";

/** Which conversation a request belongs to, and that nobody reaches another key's. */

interface Reply {
  text: string;
  id: string;
  session: string;
  chat: string;
}

function talker(gateway: ApiGateway, key: string = KEYS.laptop) {
  return async (text: string, headers: Record<string, string> = {}): Promise<Reply> => {
    const { data, response } = await gateway
      .client(key)
      .chat.completions.create({ model: "hermes", messages: [user(text)] }, { headers })
      .withResponse();
    return {
      text: plain(data.choices[0]!.message.content!),
      id: data.id,
      session: response.headers.get("x-hermes-session-id")!,
      chat: response.headers.get("x-hermes-session-key")!,
    };
  };
}

let gateway: ApiGateway;
let end: () => Promise<void>;
beforeAll(async () => {
  ({ made: gateway, end } = await forSeveral(() => ApiGateway.start()));
});
afterAll(() => end());

describe("a session", () => {
  it("is new if none is named, and continues under the returned id", async () => {
    const say = talker(gateway);
    const [one, other] = [await say("one"), await say("other")];
    expect(one.session).not.toBe(other.session);
    const next = await say("two", { "X-Hermes-Session-Id": one.session });
    expect(next.session).toBe(one.session);
    // What nobody comes back to leaves no route behind; the session is in the history all the same.
    expect((await gateway.store.listRoutes({ sessionId: other.session })).routes).toEqual([]);
    expect((await gateway.store.listRoutes({ sessionId: one.session })).routes).toHaveLength(1);
    expect(await gateway.store.getSession(other.session)).toMatchObject({ end_reason: "request_complete" });
    expect(await gateway.store.getSession(one.session)).toMatchObject({ ended_at: null });
    expect(await gateway.texts(one.session)).toMatchObject([["user", "one"], {}, ["user", "two"], {}]);
  });

  it("belongs to the chat that the client names, also after /new", async () => {
    const say = talker(gateway);
    const name = { "X-Hermes-Session-Key": "shopping list" };
    const first = await say("milk", name);
    expect(first.chat).toBe("shopping list");
    expect((await say("eggs", name)).session).toBe(first.session);
    await say("/new", name);
    const later = await say("bread", name);
    expect(later.chat).toBe("shopping list");
    expect(later.session).not.toBe(first.session);

    // The session of before goes on in a chat of its own, as it was.
    const back = await say("butter", { "X-Hermes-Session-Id": first.session });
    expect(back.session).toBe(first.session);
    expect((await gateway.texts(first.session)).map(([, content]) => content)).toContain("butter");
    expect((await say("jam", name)).session).toBe(later.session);
  });

  it("continues in its child after a summary, by the old and the new id", async () => {
    const say = talker(gateway);
    const { session } = await say("one");
    for (const text of ["two", "three", "four", "five", "six"])
      await say(text, { "X-Hermes-Session-Id": session });
    expect((await say("/compress", { "X-Hermes-Session-Id": session })).text).toMatch(
      /shorter|compress|summar/i,
    );
    const next = await say("seven", { "X-Hermes-Session-Id": session });
    expect(next.session).not.toBe(session);
    expect((await gateway.store.getLineage(session)).tip).toBe(next.session);
    expect((await say("eight", { "X-Hermes-Session-Id": next.session })).session).toBe(next.session);
    expect((await say("nine", { "X-Hermes-Session-Id": session })).session).toBe(next.session);
  });

  it("can be named by a front end's own headers", async () => {
    const say = talker(gateway);
    const { session } = await say("one", { "X-OpenWebUI-Chat-Id": "chat-7" });
    expect((await say("two", { "X-OpenWebUI-Chat-Id": "chat-7" })).session).toBe(session);
  });

  it.each(["X-Hermes-Session-Id", "X-Hermes-Session-Key", "Idempotency-Key"])(
    "takes no endless %s",
    async (name) => {
      const answer = await gateway.post(
        "chat/completions",
        { messages: [user("x")] },
        { [name]: "x".repeat(257) },
      );
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining(name) } });
    },
  );
});

describe("another key", () => {
  it("can't reach this one's sessions by any name", async () => {
    const mine = talker(gateway);
    const theirs = talker(gateway, KEYS.phone);
    const secret = await mine("my secret", { "X-Hermes-Session-Key": "diary" });
    for (const headers of [
      { "X-Hermes-Session-Key": "diary" },
      { "X-Hermes-Session-Id": secret.session },
      { "X-Hermes-Session-Id": "laptop:diary" },
      { "X-Hermes-Session-Key": "../laptop:diary" },
    ]) {
      const reply = await theirs("hello", headers as Record<string, string>);
      expect(reply.session).not.toBe(secret.session);
      expect(await gateway.texts(reply.session)).toHaveLength(2);
    }
    expect((await theirs(`/resume ${secret.session}`, { "X-Hermes-Session-Key": "x" })).text).not.toContain(
      "secret",
    );
    expect((await theirs("/sessions", { "X-Hermes-Session-Key": "y" })).text).not.toContain("my secret");
    expect(await gateway.texts(secret.session)).toHaveLength(2);
  });

  it("never reaches the sessions of other platforms' people", async () => {
    const owned = { id: "20260101_000000_aaaaaaaa", source: "telegram", user_id: "laptop" };
    const store = gateway.store as OpenedStore;
    await store.createSession(owned);
    await store.appendMessages(owned.id, [{ role: "user", content: "on telegram" }]);
    const reply = await talker(gateway)("hello", { "X-Hermes-Session-Id": owned.id });
    expect(reply.session).not.toBe(owned.id);
    expect(await gateway.texts(owned.id)).toHaveLength(1);
  });

  it("doesn't get this one's answers", async () => {
    const once = { "Idempotency-Key": "same" };
    const mine = await talker(gateway)("mine", once);
    const theirs = await talker(gateway, KEYS.phone)("theirs", once);
    expect([mine.text, theirs.text]).toEqual(["mine", "theirs"]);
  });
});

describe("a repeated request", () => {
  it("gets the same answer without a second turn", async () => {
    const say = talker(gateway);
    const once = { "Idempotency-Key": "order-1" };
    const [first, together] = await Promise.all([say("!slow 50 once", once), say("!slow 50 once", once)]);
    const later = await say("!slow 50 once", once);
    expect(together).toEqual(first);
    expect(later).toEqual(first);
    expect(await gateway.texts(first.session)).toHaveLength(2);

    const stream = await gateway.post(
      "chat/completions",
      { model: "hermes", messages: [user("!slow 50 once")] },
      once,
    );
    expect(stream.status).toBe(200);
  });

  it("is rejected if its body differs", async () => {
    const once = { "Idempotency-Key": "order-2" };
    await talker(gateway)("one", once);
    await expect(talker(gateway)("two", once)).rejects.toMatchObject({
      status: 422,
      code: "idempotency_key_reused",
    });
  });

  it("reports that it was stopped", async () => {
    const hasty = talker(await ApiGateway.start(configWith("timeout: 0.2")));
    const headers = { "Idempotency-Key": "slow", "X-Hermes-Session-Key": "s" };
    await expect(hasty("!slow 60000 x", headers)).rejects.toMatchObject({
      status: 504,
      code: "timeout",
    });
    // Also this wait may end before its answer comes.
    await hasty("/stop", { "X-Hermes-Session-Key": "s" }).catch(() => undefined);
    await until("the turn is over", async () => {
      const error: unknown = await hasty("!slow 60000 x", headers).catch((e: unknown) => e);
      return (error as { code?: string }).code === "stopped";
    });
  });
});

describe("the API without a key", () => {
  it("rejects everything", async () => {
    const gateway = await ApiGateway.start("session_reset: {mode: none}");
    const answer = await gateway.post("chat/completions", { messages: [user("x")] });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toMatch(/API_SERVER_KEY/);
  });

  it("accepts the operator's token until there are keys", async () => {
    const env = { HERMES_HTTP_TOKEN: "the operator's token" };
    const models = (gateway: ApiGateway, key: string) =>
      fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } }).then(
        ({ status }) => status,
      );
    const own = await ApiGateway.start("session_reset: {mode: none}", env);
    expect(await models(own, env.HERMES_HTTP_TOKEN)).toBe(200);
    const keyed = await ApiGateway.start("session_reset: {mode: none}", { ...env, API_SERVER_KEY: "a key" });
    expect(await models(keyed, env.HERMES_HTTP_TOKEN)).toBe(401);
    expect(await models(keyed, "a key")).toBe(200);
  });

  it("counts requests by key", async () => {
    const gateway = await ApiGateway.start(configWith("rate_limit: 2"));
    const ask = (key: string) =>
      gateway.post("chat/completions", { messages: [user("x")] }, { authorization: `Bearer ${key}` });
    expect((await ask(KEYS.laptop)).status).toBe(200);
    expect((await ask(KEYS.laptop)).status).toBe(200);
    const refused = await ask(KEYS.laptop);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect((await ask(KEYS.phone)).status).toBe(200);
  });
});
