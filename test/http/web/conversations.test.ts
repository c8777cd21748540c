import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ScriptedAgent } from "../../support/scripted-agent.js";
import { until } from "../../support/until.js";
import { Browser, startWebChat, texts } from "../../support/web-chat.js";

const parrot = () =>
  new ScriptedAgent((request) => {
    const last = request.input.at(-1)?.content;
    return [{ usage: 7 }, { say: ["You said: ", String(last)] }];
  });

describe("conversations of the web chat", () => {
  it("begin with a message, and show what was said", async () => {
    const { url } = await startWebChat({ agent: parrot() });
    const ann = new Browser(url!);
    const id = randomUUID();
    expect(await ann.open(id)).toMatchObject({ conversation: null, messages: [], turn: null, queued: [] });
    expect(await ann.conversations()).toEqual([]);
    await ann.send(id, "hello **there**");
    const open = await ann.settled(id);
    expect(texts(open)).toEqual(["user: hello **there**", "agent: You said: hello **there**"]);
    expect(open.messages[1]).toMatchObject({ final: true, stopped: false });
    const used = async () => {
      const [, answer] = (await ann.open(id)).messages;
      return answer?.from === "agent" && answer.usage;
    };
    expect(await until("its usage is kept", used)).toMatchObject({ outputTokens: expect.any(Number) });
    expect(await ann.conversations()).toMatchObject([
      { id, title: "hello there", pinned: false, busy: false },
    ]);
  });

  it("are each a session of their own", async () => {
    const { url, store } = await startWebChat({ agent: parrot() });
    const ann = new Browser(url!);
    const { person } = await ann.get<{ person: { id: string } }>("me");
    const [one, two] = [randomUUID(), randomUUID()];
    await ann.send(one, "first");
    await ann.settled(one);
    await ann.send(two, "second");
    await ann.settled(two);
    const route = await store.getRoute(`agent:main:web:dm:${person.id}:${one}`);
    expect(route?.sessionId).toBeDefined();
    expect(texts(await ann.open(one))).toEqual(["user: first", "agent: You said: first"]);
    expect((await ann.conversations()).map(({ id }) => id)).toEqual([two, one]);
  });

  it("answer a message that is sent again once", async () => {
    const agent = parrot();
    const { url } = await startWebChat({ agent });
    const ann = new Browser(url!);
    const id = randomUUID();
    const clientId = await ann.send(id, "only once");
    await ann.send(id, "only once", { clientId });
    await ann.settled(id);
    await ann.send(id, "only once", { clientId });
    expect(texts(await ann.settled(id))).toHaveLength(2);
    expect(agent.requests).toHaveLength(1);
  });

  it("belong to one person", async () => {
    const { url } = await startWebChat({ agent: parrot() });
    const [ann, bob] = [new Browser(url!), new Browser(url!)];
    const id = randomUUID();
    await ann.send(id, "a secret of Ann");
    await ann.settled(id);
    expect(await bob.conversations()).toEqual([]);
    expect(await bob.conversations("?q=secret")).toEqual([]);
    expect(await bob.open(id)).toMatchObject({ conversation: null, messages: [] });
    expect((await bob.ask("PATCH", `conversations/${id}`, { title: "mine" })).status).toBe(404);
    expect((await bob.ask("GET", `conversations/${id}/export`)).status).toBe(404);
    expect((await bob.ask("DELETE", `conversations/${id}`)).status).toBe(204);
    expect(texts(await ann.open(id))).toHaveLength(2);
    // The same id in Bob's hands is another conversation.
    await bob.send(id, "Bob's own");
    expect(texts(await bob.settled(id))).toEqual(["user: Bob's own", "agent: You said: Bob's own"]);
    expect(texts(await ann.open(id))).toHaveLength(2);
  });

  it("can be renamed, pinned, archived, found and deleted", async () => {
    const { url, store } = await startWebChat({ agent: parrot() });
    const ann = new Browser(url!);
    const [one, two] = [randomUUID(), randomUUID()];
    for (const [id, words] of [
      [one, "about elephants"],
      [two, "about whales"],
    ] as const) {
      await ann.send(id, words);
      await ann.settled(id);
    }
    const change = (id: string, body: object) => ann.ask("PATCH", `conversations/${id}`, body);
    expect((await change(one, { title: "Big animals", pinned: true })).body).toMatchObject({
      ...{ id: one, title: "Big animals", titled: true, pinned: true },
    });
    expect((await ann.conversations()).map(({ id }) => id)).toEqual([one, two]);
    // A title that another conversation has gets a number.
    expect((await change(two, { title: "Big animals" })).body).toMatchObject({ title: "Big animals #2" });
    await change(two, { archived: true });
    expect((await ann.conversations()).map(({ id }) => id)).toEqual([one]);
    expect((await ann.conversations("?archived=1")).map(({ id }) => id)).toEqual([two]);
    expect(await ann.conversations("?q=whales")).toMatchObject([
      { id: two, snippet: expect.stringContaining("whales") },
    ]);
    expect(await ann.conversations("?q=Big")).toHaveLength(2);
    expect((await ann.ask("DELETE", `conversations/${one}`)).status).toBe(204);
    expect(await ann.open(one)).toMatchObject({ conversation: null, messages: [] });
    expect((await store.searchMessages("elephants")).hits).toEqual([]);
  });

  it("are deleted with the work they delegated", async () => {
    const agent = new ScriptedAgent((request) =>
      request.session.key.startsWith("delegate:")
        ? [{ say: ["The zebra count is 12."] }]
        : [{ call: "delegate_task", args: { goal: "Count the zebras" } }, { say: ["12 of them."] }],
    );
    const { url, store } = await startWebChat({ agent });
    const ann = new Browser(url!);
    const id = randomUUID();
    await ann.send(id, "How many are there?");
    await ann.settled(id);
    expect((await store.searchMessages("zebra")).hits).not.toEqual([]);
    expect((await ann.ask("DELETE", `conversations/${id}`)).status).toBe(204);
    expect((await store.searchMessages("zebra OR zebras")).hits).toEqual([]);
  });

  it("are paged", async () => {
    const { url } = await startWebChat({ agent: parrot() });
    const ann = new Browser(url!);
    const id = randomUUID();
    for (const n of [1, 2, 3]) {
      await ann.send(id, `message ${n}`);
      await ann.settled(id);
    }
    const last = await ann.open(id, "?limit=2");
    expect(texts(last)).toEqual(["user: message 3", "agent: You said: message 3"]);
    expect(last.earlier).toBe(true);
    const before = await ann.open(id, `?limit=2&before=${last.messages[0]!.position}`);
    expect(texts(before)).toEqual(["user: message 2", "agent: You said: message 2"]);
    for (let n = 0; n < 3; n += 1) {
      const other = randomUUID();
      await ann.send(other, `conversation ${n}`);
      await ann.settled(other);
    }
    const first = await ann.get<{ conversations: { id: string }[]; cursor: string }>("conversations?limit=3");
    const rest = await ann.get<{ conversations: { id: string }[]; cursor: null }>(
      `conversations?limit=3&cursor=${first.cursor}`,
    );
    expect([first.conversations.length, rest.conversations.map((one) => one.id), rest.cursor]).toEqual([
      3,
      [id],
      null,
    ]);
  });

  it("can be exported", async () => {
    const { url } = await startWebChat({ agent: parrot() });
    const ann = new Browser(url!);
    const id = randomUUID();
    await ann.send(id, "keep this");
    await ann.settled(id);
    const markdown = await ann.ask<string>("GET", `conversations/${id}/export?format=md`);
    expect(markdown.headers.get("content-disposition")).toBe('attachment; filename="keep-this.md"');
    expect(markdown.body).toContain("# keep this\n\n## You · ");
    expect(markdown.body).toContain("You said: keep this");
    const json = await ann.ask<{ messages: unknown[] }>("GET", `conversations/${id}/export?format=json`);
    expect(json.body.messages).toHaveLength(2);
  });

  it("include sessions from before, which go on when someone writes", async () => {
    const { url, store } = await startWebChat({ agent: parrot() });
    const ann = new Browser(url!);
    const { person } = await ann.get<{ person: { id: string } }>("me");
    await store.importSessions([
      {
        ...{
          id: "20250101_120000_abcdef",
          source: "web",
          user_id: person.id,
          started_at: 1,
          title: "Old times",
        },
        ...{ ended_at: 2, end_reason: "session_reset", message_count: 2 },
        messages: [
          { role: "user", content: "long ago", timestamp: 1 },
          { role: "assistant", content: "yes", timestamp: 2 },
        ],
      } as never,
    ]);
    const [old] = await ann.conversations();
    expect(old).toMatchObject({ id: "20250101_120000_abcdef", title: "Old times" });
    expect(texts(await ann.open(old!.id))).toEqual(["user: long ago", "agent: yes"]);
    await ann.send(old!.id, "and now");
    expect(texts(await ann.settled(old!.id))).toEqual([
      ...["user: long ago", "agent: yes", "user: and now", "agent: You said: and now"],
    ]);
    expect(await ann.conversations()).toMatchObject([{ id: old!.id, title: "Old times" }]);
  });

  it("have the model that their person picks, also before the first message", async () => {
    const agent = parrot();
    const { url } = await startWebChat({ agent, yaml: "model: {choices: [small, large]}\n" });
    const ann = new Browser(url!);
    expect(await ann.get("me")).toMatchObject({
      models: { choices: [{ name: "small" }, { name: "large" }] },
    });
    const id = randomUUID();
    const pick = (model: string | null) => ann.ask("PATCH", `conversations/${id}`, { model });
    expect((await pick("large")).status).toBe(200);
    expect((await ann.open(id)).model).toBe("large");
    await ann.send(id, "one");
    await ann.settled(id);
    expect(agent.requests.at(-1)?.model).toBe("large");
    expect((await pick("unknown")).status).toBe(400);
    await pick("small");
    await ann.send(id, "two");
    await ann.settled(id);
    expect(agent.requests.at(-1)?.model).toBe("small");
    expect((await ann.open(id)).model).toBe("small");
  });
});
