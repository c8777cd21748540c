import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { AgentBackend, AgentEvent, TurnRequest } from "../../../src/agents/backend.js";
import { ScriptedAgent } from "../../support/scripted-agent.js";
import { until } from "../../support/until.js";
import { Browser, startWebChat, texts } from "../../support/web-chat.js";
import type { EventReader } from "../support/events.js";

/** Says half of its answer, and the rest when it is let go. */
class SlowAgent implements AgentBackend {
  readonly name = "slow";
  readonly model = "slow-1";
  readonly contextLength = 100_000;
  readonly requests: TurnRequest[] = [];
  #release: () => void = () => undefined;
  isHeld = true;

  async *run(request: TurnRequest, signal: AbortSignal): AsyncGenerator<AgentEvent> {
    this.requests.push(request);
    const asked = String(request.input.at(-1)?.content);
    yield { type: "text", delta: `Half of ${asked}` };
    if (this.isHeld) await this.#held(signal);
    if (signal.aborted) {
      yield { type: "failed", failure: { kind: "stopped", message: "stopped", notice: "Stopped." } };
      return;
    }
    yield { type: "text", delta: ", and the rest" };
    const content = `Half of ${asked}, and the rest`;
    yield { type: "message", message: { role: "assistant", content, finish_reason: "stop" } };
    yield { type: "done" };
  }

  release(): void {
    this.isHeld = false;
    this.#release();
  }

  #held(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#release = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

/** Refuses the first question. */
class RefusingAgent implements AgentBackend {
  readonly name = "refusing";
  readonly model = "refusing-1";
  readonly contextLength = 100_000;
  #isFirst = true;

  async *run(request: TurnRequest): AsyncGenerator<AgentEvent> {
    if (this.#isFirst) {
      this.#isFirst = false;
      const failure = { kind: "content_filter", message: "refused", notice: "The model refuses." } as const;
      yield { type: "failed", failure };
      return;
    }
    const content = `You asked: ${String(request.input.at(-1)?.content)}`;
    yield { type: "text", delta: content };
    yield { type: "message", message: { role: "assistant", content, finish_reason: "stop" } };
    yield { type: "done" };
  }
}

async function scene() {
  const agent = new SlowAgent();
  const { url, store } = await startWebChat({ agent });
  const ann = new Browser(url!);
  const id = randomUUID();
  return { agent, ann, id, store, url: url! };
}

describe("a turn in the web chat", () => {
  it("is shown while it runs, in every tab and after a reconnect", async () => {
    const { agent, ann, id } = await scene();
    const tab = await ann.events();
    await tab.next("hello");
    const clientId = await ann.send(id, "life");
    expect((await tab.next("queued")).data).toMatchObject({
      conversationId: id,
      message: { clientId, text: "life" },
    });
    expect((await tab.next("turn-started")).data).toMatchObject({
      turn: { clientIds: [clientId], text: "" },
    });
    expect((await tab.next("delta")).data).toMatchObject({
      conversationId: id,
      from: 0,
      text: "Half of life",
    });
    const other = await ann.events();
    expect((await other.next("hello")).data).toMatchObject({
      ...{ missed: false, turns: [{ conversationId: id, text: "Half of life" }] },
    });
    const open = await ann.open(id);
    expect(open.turn).toMatchObject({ text: "Half of life", clientIds: [clientId] });
    expect(texts(open)).toEqual(["user: life"]);
    agent.release();
    const find = (one: EventReader, name: string) => one.events.find(({ event }) => event === name)?.data;
    for (const one of [tab, other]) {
      await until(
        "both see its end",
        () => find(one, "message") && find(one, "turn-finished") && find(one, "conversation"),
      );
      expect(find(one, "message")).toMatchObject({ message: { from: "agent", id: `a:${clientId}` } });
      expect(find(one, "turn-finished")).toMatchObject({ conversationId: id, outcome: "answered" });
      expect(find(one, "conversation")).toMatchObject({ conversation: { id, title: "life" } });
    }
    const settled = await ann.settled(id);
    expect(settled.messages.map((message) => message.id)).toEqual([`u:${clientId}`, `a:${clientId}`]);
  });

  it("comes after the turn before it, during which it was asked for", async () => {
    const { agent, ann, id } = await scene();
    await ann.send(id, "first");
    await until("the first runs", () => agent.requests.length === 1);
    await ann.send(id, "second");
    agent.release();
    agent.isHeld = true;
    await until("the second runs", () => agent.requests.length === 2);
    expect(texts(await ann.open(id))).toEqual([
      "user: first",
      "agent: Half of first, and the rest",
      "user: second",
    ]);
    agent.release();
  });

  it("is in a page that is read while it ends", async () => {
    const { agent, ann, id, store } = await scene();
    agent.release();
    await ann.send(id, "first");
    await ann.settled(id);
    agent.isHeld = true;
    await ann.send(id, "second");
    await until("it runs", () => agent.requests.length === 2);
    const { readTranscript } = store.reports;
    store.reports.readTranscript = async (...args) => {
      const page = await readTranscript(...args);
      agent.release();
      await until("it has ended", async () => (await readTranscript(...args)).messages.length === 4);
      return page;
    };
    expect(texts(await ann.open(id))).toContain("user: second");
  });

  it("gives a tab that reconnects what it missed", async () => {
    const { agent, ann, id } = await scene();
    agent.release();
    const tab = await ann.events();
    const { id: cursor } = await tab.next("hello");
    tab.close();
    await ann.send(id, "meanwhile");
    await ann.settled(id);
    const again = await ann.events(cursor);
    expect((await again.next("hello")).data.missed).toBe(false);
    expect((await again.next("message")).data).toMatchObject({
      message: { text: "Half of meanwhile, and the rest" },
    });
    const unknown = await ann.events("other-1");
    expect((await unknown.next("hello")).data.missed).toBe(true);
  });

  it("can be stopped: what was written stays, marked", async () => {
    const { agent, ann, id, store } = await scene();
    const tab = await ann.events();
    const clientId = await ann.send(id, "everything");
    await tab.next("delta");
    expect((await ann.ask("POST", `conversations/${id}/stop`)).body).toEqual({ stopped: true });
    expect((await tab.next("turn-finished")).data).toMatchObject({ outcome: "stopped" });
    const open = await ann.settled(id);
    expect(texts(open)).toEqual(["user: everything", "agent: Half of everything"]);
    expect(open.messages[1]).toMatchObject({ id: `a:${clientId}`, stopped: true, final: true });
    const {
      routes: [route],
    } = await store.listRoutes();
    expect((await store.getMessages(route!.sessionId)).at(-1)?.finish_reason).toBe("stopped");
    expect((await ann.ask("POST", `conversations/${id}/stop`)).body).toEqual({ stopped: false });
    agent.release();
    await ann.send(id, "go on");
    await ann.settled(id);
    expect(agent.requests.at(-1)?.history.map(({ content }) => content)).toEqual([
      "everything",
      "Half of everything",
    ]);
  });

  it("keeps the question if it is stopped before the first word", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const agent = new ScriptedAgent([{ wait: () => held }, { say: ["An answer."] }]);
    const { url } = await startWebChat({ agent });
    const ann = new Browser(url!);
    const id = randomUUID();
    const tab = await ann.events();
    const clientId = await ann.send(id, "never mind");
    await tab.next("turn-started");
    expect((await ann.ask("POST", `conversations/${id}/stop`)).body).toEqual({ stopped: true });
    release();
    await tab.next("turn-finished");
    expect((await ann.settled(id)).messages).toMatchObject([{ from: "user", id: `u:${clientId}` }]);
    await ann.ask("POST", `conversations/${id}/regenerate`, { clientId: randomUUID() });
    expect(texts(await ann.settled(id))).toEqual(["user: never mind", "agent: An answer."]);
  });

  it("lets further messages wait, and they can be withdrawn", async () => {
    const { agent, ann, id } = await scene();
    const tab = await ann.events();
    await ann.send(id, "one");
    await tab.next("delta");
    const two = await ann.send(id, "two");
    const three = await ann.send(id, "three");
    expect((await ann.open(id)).queued.map(({ text }) => text)).toEqual(["two", "three"]);
    expect((await ann.ask("DELETE", `conversations/${id}/messages/${two}`)).status).toBe(204);
    expect((await tab.next("withdrawn")).data).toEqual({ conversationId: id, clientId: two });
    expect((await ann.open(id)).queued.map(({ clientId }) => clientId)).toEqual([three]);
    agent.release();
    await ann.settled(id);
    expect(texts(await ann.settled(id)).filter((text) => text.startsWith("user"))).toEqual([
      "user: one",
      "user: three",
    ]);
    expect((await ann.ask("DELETE", `conversations/${id}/messages/${three}`)).status).toBe(409);
  });

  it("goes on with what waits after a stop", async () => {
    const { agent, ann, id } = await scene();
    const tab = await ann.events();
    await ann.send(id, "one");
    await tab.next("delta");
    await ann.send(id, "two");
    await ann.ask("POST", `conversations/${id}/stop`);
    await tab.next("turn-started");
    agent.release();
    expect(texts(await ann.settled(id))).toEqual([
      ...["user: one", "agent: Half of one", "user: two", "agent: Half of two, and the rest"],
    ]);
  });
});

describe("branches", () => {
  async function talked() {
    const given = await scene();
    given.agent.release();
    const ids = [];
    for (const text of ["one", "two", "three"]) {
      ids.push(await given.ann.send(given.id, text));
      await given.ann.settled(given.id);
    }
    return { ...given, ids };
  }

  const questions = (open: Parameters<typeof texts>[0]) =>
    texts(open)
      .filter((text) => text.startsWith("user"))
      .map((text) => text.slice(6));

  it("an edited question is a branch, and people can switch between them", async () => {
    const { ann, id, ids } = await talked();
    const edit = { clientId: randomUUID(), messageId: `u:${ids[1]}`, text: "two, edited" };
    expect((await ann.ask("POST", `conversations/${id}/edit`, edit)).status).toBe(202);
    const edited = await ann.settled(id);
    expect(questions(edited)).toEqual(["one", "two, edited"]);
    expect(edited.forks).toMatchObject([{ messageId: `u:${edit.clientId}`, current: 1, branches: [{}, {}] }]);
    // Sent again, it is the same branch.
    expect((await ann.ask("POST", `conversations/${id}/edit`, edit)).status).toBe(202);
    expect(questions(await ann.settled(id))).toEqual(["one", "two, edited"]);
    const [original] = edited.forks[0]!.branches;
    expect((await ann.ask("POST", `conversations/${id}/branch`, { branch: original!.id })).status).toBe(204);
    const before = await ann.open(id);
    expect(questions(before)).toEqual(["one", "two", "three"]);
    expect(before.forks).toMatchObject([{ messageId: `u:${ids[1]}`, current: 0 }]);
    expect(await ann.conversations()).toHaveLength(1);
    expect((await ann.ask("POST", `conversations/${id}/branch`, { branch: "another" })).status).toBe(404);
  });

  it("another version of an edited question is a branch beside it", async () => {
    const { ann, id, ids } = await talked();
    let messageId = `u:${ids[1]}`;
    for (const text of ["second", "third"]) {
      const clientId = randomUUID();
      await ann.ask("POST", `conversations/${id}/edit`, { clientId, messageId, text });
      await ann.settled(id);
      messageId = `u:${clientId}`;
    }
    const open = await ann.open(id);
    expect(questions(open)).toEqual(["one", "third"]);
    expect(open.forks).toMatchObject([{ messageId, current: 2, branches: [{}, {}, {}] }]);
  });

  it("an answer can be asked for again", async () => {
    const { agent, ann, id } = await talked();
    const clientId = randomUUID();
    expect((await ann.ask("POST", `conversations/${id}/regenerate`, { clientId })).status).toBe(202);
    const open = await ann.settled(id);
    expect(questions(open)).toEqual(["one", "two", "three"]);
    expect(open.forks).toMatchObject([{ messageId: `u:${clientId}`, current: 1 }]);
    expect(agent.requests).toHaveLength(4);
    expect(agent.requests.at(-1)?.history).toHaveLength(4);
  });

  it("a question that the model refused is asked again in full, without the old notice", async () => {
    const agent = new RefusingAgent();
    const { url } = await startWebChat({ agent });
    const ann = new Browser(url!);
    const id = randomUUID();
    await ann.send(id, "What is this?");
    const refused = [
      "user: [A message of 13 characters was blocked by the model's content filter and is left out]",
      "gateway: The model refuses.",
    ];
    await expect.poll(async () => texts(await ann.open(id))).toEqual(refused);
    await ann.ask("POST", `conversations/${id}/regenerate`, { clientId: randomUUID() });
    await expect
      .poll(async () => texts(await ann.open(id)))
      .toEqual(["user: What is this?", "agent: You asked: What is this?"]);
    const [fork] = (await ann.settled(id)).forks;
    await ann.ask("POST", `conversations/${id}/branch`, { branch: fork!.branches[0]!.id });
    expect(texts(await ann.open(id))).toEqual(refused);
  });

  it("editing ends a running turn", async () => {
    const { ann, id } = await scene();
    const tab = await ann.events();
    const first = await ann.send(id, "one");
    await tab.next("delta");
    const clientId = randomUUID();
    const edit = { clientId, messageId: `u:${first}`, text: "instead" };
    const edited = await ann.ask("POST", `conversations/${id}/edit`, edit);
    expect([edited.status, (await tab.next("branched")).data]).toEqual([202, { conversationId: id }]);
    await tab.next("turn-started");
    expect(texts(await ann.open(id))).toEqual(["user: instead"]);
  });
});
