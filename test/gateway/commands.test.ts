import { describe, expect, it } from "vitest";
import type { AgentBackend } from "../../src/agents/backend.js";
import { echoAgent } from "../../src/agents/echo.js";
import { plain, TestGateway } from "../support/gateway.js";
import { inDm, inGroup } from "../support/test-adapter.js";
import { until } from "../support/until.js";

const ann = inDm("ann");
const bob = inDm("bob");

const userTexts = async (gateway: TestGateway, id: string) =>
  (await gateway.store.getMessages(id)).filter(({ role }) => role === "user").map(({ content }) => content);

describe("/model", () => {
  it("is kept with the chat, over a new session and a restart", async () => {
    const asked: (string | undefined)[] = [];
    const agent: AgentBackend = {
      ...echoAgent(),
      run: (request, signal) => {
        asked.push(request.model);
        return echoAgent().run(request, signal);
      },
    };
    const gateway = await TestGateway.start({ agent });
    await gateway.ask(ann, "before");
    await gateway.ask(ann, "/model vendor/big-1");
    await gateway.ask(ann, "/new");
    await gateway.ask(ann, "one");
    const restarted = await gateway.restart({ agent });
    expect(await restarted.ask(ann, "/model")).toEqual([expect.stringContaining("`vendor/big-1`")]);
    await restarted.ask(ann, "two");
    await restarted.ask(ann, "/model default");
    await restarted.ask(ann, "three");
    await restarted.ask(bob, "four");
    expect(asked).toEqual([undefined, "vendor/big-1", "vendor/big-1", undefined, undefined]);
  });
});

describe("/new", () => {
  it("starts a new session with a title and ends the old one", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "before");
    const old = await gateway.session(ann);
    const [reply] = await gateway.ask(ann, "/new Trip to Rome");
    expect(reply).toContain("Trip to Rome");
    expect(await gateway.session(ann)).toMatchObject({ title: "Trip to Rome", message_count: 0 });
    expect(await gateway.store.getSession(old.id)).toMatchObject({ end_reason: "session_reset" });
  });

  it("stops the running turn, whose message isn't asked again", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "before");
    const slow = await gateway.say(ann, "!slow 60000 never said");
    await until("the turn runs", () => gateway.inbox(slow)?.state === "running");
    await gateway.ask(ann, "/new");
    expect(gateway.inbox(slow)).toMatchObject({ state: "cancelled" });
    const restarted = await gateway.restart();
    expect(await restarted.ask(ann, "hello")).toEqual(["hello"]);
  });

  it("runs before later messages", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "before");
    const old = await gateway.session(ann);
    await Promise.all([
      gateway.say(ann, "/new"),
      gateway.say(ann, "/title Fresh"),
      gateway.say(ann, "after"),
    ]);
    await gateway.idle();
    const fresh = await gateway.session(ann);
    expect(fresh).toMatchObject({ title: "Fresh" });
    expect(await userTexts(gateway, fresh.id)).toEqual(["after"]);
    expect(await userTexts(gateway, old.id)).toEqual(["before"]);
  });
});

describe("/resume", () => {
  it("returns to one's session by title and continues it", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "about Rome");
    const rome = await gateway.session(ann);
    await gateway.ask(ann, "/title Rome");
    await gateway.ask(ann, "/new");
    await gateway.ask(ann, "about Oslo");
    await Promise.all([gateway.say(ann, "/resume Rome"), gateway.say(ann, "more of it")]);
    await gateway.idle();
    expect((await gateway.session(ann)).id).toBe(rome.id);
    expect(await userTexts(gateway, rome.id)).toEqual(["about Rome", "more of it"]);
    expect(await gateway.store.getSession(rome.id)).toMatchObject({ ended_at: null, end_reason: null });
  });

  it("doesn't find other people's sessions", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "a secret");
    await gateway.ask(ann, "/title Rome");
    const rome = await gateway.session(ann);
    for (const reference of ["Rome", rome.id, rome.id.slice(0, 17)]) {
      const [reply] = await gateway.ask(bob, `/resume ${reference}`);
      expect(reply).toContain("found");
    }
    expect(await gateway.route(bob)).toBeUndefined();
  });

  it("works as the first message, and later messages aren't lost", async () => {
    const gateway = await TestGateway.start();
    const elsewhere = inGroup("ann");
    await gateway.ask(ann, "about Rome");
    await gateway.ask(ann, "/title Rome");
    const rome = await gateway.session(ann);
    await Promise.all([gateway.say(elsewhere, "/resume Rome"), gateway.say(elsewhere, "go on")]);
    await gateway.idle();
    expect((await gateway.session(elsewhere)).id).toBe(rome.id);
    expect(await userTexts(gateway, rome.id)).toEqual(["about Rome", "go on"]);
  });
});

describe("a session resumed in another chat", () => {
  const there = inGroup("ann");

  async function movedOn(): Promise<{ gateway: TestGateway; rome: string }> {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "about Rome");
    await gateway.ask(ann, "/title Rome");
    const { id } = await gateway.session(ann);
    await gateway.ask(there, "/resume Rome");
    return { gateway, rome: id };
  }

  it("continues there when the first chat starts a new session, which explains why", async () => {
    const { gateway, rome } = await movedOn();
    const sent = await gateway.ask(ann, "hello");
    expect(sent).toEqual([expect.stringContaining("continues in another chat"), "hello"]);
    expect(sent[0]).not.toContain("session_reset");
    expect(await gateway.store.getSession(rome)).toMatchObject({ ended_at: null, end_reason: null });
    expect(await userTexts(gateway, (await gateway.session(ann)).id)).toEqual(["hello"]);
    await gateway.ask(there, "more of it");
    expect(await userTexts(gateway, rome)).toEqual(["about Rome", "more of it"]);
  });

  it("continues there when the first chat returns to another session", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "about Oslo");
    await gateway.ask(ann, "/title Oslo");
    await gateway.ask(ann, "/new");
    await gateway.ask(ann, "about Rome");
    const rome = await gateway.session(ann);
    await gateway.ask(there, `/resume ${rome.id}`);
    expect((await gateway.ask(ann, "/resume Oslo"))[0]).toContain("Back in");
    expect(await gateway.store.getSession(rome.id)).toMatchObject({ ended_at: null });
  });
});

describe("a command that fails", () => {
  it("logs the reason without showing it in the chat", async () => {
    const gateway = await TestGateway.start();
    gateway.change("DROP TABLE gw_participants");
    const [reply] = await gateway.ask(bob, "/sessions");
    expect(reply).toBe("/sessions failed: an internal error occurred. The operator can find it in the log.");
    expect(gateway.warnings).toContainEqual({
      message: "command failed",
      fields: expect.objectContaining({
        err: expect.objectContaining({ message: expect.stringMatching(/gw_participants/) }),
      }),
    });
  });
});

describe("/branch", () => {
  const room = (name: string) => inGroup(name.toLowerCase(), "room", name);
  const shared = { config: { group_sessions_per_user: false } };

  it("continues in a copy that keeps the authors", async () => {
    const gateway = await TestGateway.start(shared);
    const [anna, bert] = [room("Anna"), room("Bert")];
    await gateway.ask(anna, "from Anna");
    await gateway.ask(bert, "from Bert");
    const original = await gateway.session(anna);
    const [reply] = await gateway.ask(anna, "/branch Other way");
    expect(reply).toContain("You are now in a copy: `Other way`");
    const copy = await gateway.session(anna);
    expect(copy).toMatchObject({ parent_session_id: original.id, ended_at: null, message_count: 4 });
    const authors = `SELECT user_id, content FROM gw_authors a JOIN messages m ON m.id = a.message_id
      WHERE a.session_id = ? AND m.session_id = a.session_id ORDER BY m.id`;
    expect(gateway.read(authors, copy.id)).toEqual(gateway.read(authors, original.id));
    expect(gateway.read(authors, copy.id)).toHaveLength(2);
    const people = "SELECT user_id FROM gw_participants WHERE session_id = ? ORDER BY user_id";
    expect(gateway.read(people, copy.id)).toEqual([{ user_id: "anna" }, { user_id: "bert" }]);
    expect(await gateway.store.getSession(copy.id, { platform: "test", userId: "bert" })).toBeDefined();
    expect(await gateway.store.getSession(original.id)).toMatchObject({ end_reason: "session_switch" });
    expect(await userTexts(gateway, original.id)).toEqual(["[Anna] from Anna", "[Bert] from Bert"]);
  });

  it("of a room's session into a direct chat is private and keeps the authors", async () => {
    const gateway = await TestGateway.start(shared);
    await gateway.ask(room("Anna"), "from Anna");
    await gateway.ask(room("Bert"), "from Bert");
    const original = await gateway.session(room("Anna"));
    const alone = inDm("anna");
    expect((await gateway.ask(alone, `/resume ${original.id}`))[0]).toContain("your own copy");
    const copy = await gateway.session(alone);
    expect(await gateway.store.getSession(copy.id, { platform: "test", userId: "bert" })).toBeUndefined();
    const authors = "SELECT user_id FROM gw_authors WHERE session_id = ?";
    expect(gateway.read(authors, copy.id)).toEqual([{ user_id: "bert" }]);
  });

  it("shortens the longest title, and leaves nothing behind if the title is taken", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "hello");
    await gateway.ask(ann, `/title ${"x".repeat(100)}`);
    expect((await gateway.ask(ann, "/branch"))[0]).toContain("You are now in a copy");
    expect((await gateway.session(ann)).title).toBe(`${"x".repeat(97)} #2`);
    const before = gateway.read("SELECT count(*) FROM sessions");
    expect((await gateway.ask(ann, `/branch ${"x".repeat(100)}`))[0]).toContain("in use");
    expect(gateway.read("SELECT count(*) FROM sessions")).toEqual(before);
  });
});

describe("/undo and /retry", () => {
  it("undo the last turn", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "one");
    await gateway.ask(ann, "two");
    const [reply] = await gateway.ask(ann, "/undo");
    expect(reply).toContain("two");
    expect(await userTexts(gateway, (await gateway.session(ann)).id)).toEqual(["one"]);
  });

  it("run the last turn again", async () => {
    let asked = 0;
    const agent: AgentBackend = {
      ...echoAgent(),
      async *run() {
        asked += 1;
        yield { type: "message", message: { role: "assistant", content: `answer ${asked}` } };
        yield { type: "done" };
      },
    };
    const gateway = await TestGateway.start({ agent });
    expect(await gateway.ask(ann, "a question")).toEqual(["answer 1"]);
    expect(await gateway.ask(ann, "/retry")).toEqual(["answer 2"]);
    const said = await gateway.store.getMessages((await gateway.session(ann)).id);
    expect(said.map(({ content }) => content)).toEqual(["a question", "answer 2"]);
  });
});

describe("/retry of an unanswered message", () => {
  /** Fails the given number of times, then answers. */
  function failing(times: number): AgentBackend {
    let left = times;
    const failure = { kind: "network", message: "no route", notice: "The model can't be reached." } as const;
    return {
      ...echoAgent(),
      async *run(request, signal) {
        const asked = String(request.input.at(-1)?.content);
        if (asked === "two" && left-- > 0) yield { type: "failed", failure };
        else yield* echoAgent().run(request, signal);
      },
    };
  }

  it("asks it again, and leaves answered messages alone", async () => {
    const gateway = await TestGateway.start({ agent: failing(2) });
    await gateway.ask(ann, "one");
    expect(await gateway.ask(ann, "two")).toEqual(["The model can't be reached."]);
    expect(await gateway.ask(ann, "/retry")).toEqual(["The model can't be reached."]);
    expect(await gateway.ask(ann, "/retry")).toEqual(["two"]);
    const { id } = await gateway.session(ann);
    expect(await userTexts(gateway, id)).toEqual(["one", "two"]);
    expect((await gateway.store.reports.deadPage({})).letters).toEqual([]);
    await gateway.ask(ann, "/retry");
    expect(await userTexts(gateway, id)).toEqual(["one", "two"]);
  });

  it("repeats what /stop ended, with all messages merged into it", async () => {
    let asked = 0;
    const agent: AgentBackend = {
      ...echoAgent(),
      run: (request, signal) => {
        asked += 1;
        const input = asked === 2 ? [{ role: "user", content: "!slow 60000 never said" }] : request.input;
        return echoAgent().run({ ...request, input }, signal);
      },
    };
    const gateway = await TestGateway.start({ agent, burstMs: 700 });
    await gateway.ask(ann, "one");
    const first = await gateway.say(ann, "two");
    const second = await gateway.say(ann, "and three");
    await until("the turn runs", () => gateway.inbox(second)?.state === "running");
    await gateway.ask(ann, "/stop");
    expect(gateway.inbox(first)).toMatchObject({ state: "cancelled" });
    expect(await gateway.ask(ann, "/retry")).toEqual(["two\nand three"]);
    const { id } = await gateway.session(ann);
    expect(await userTexts(gateway, id)).toEqual(["one", "two", "and three"]);
  });

  it("ends with its session", async () => {
    const gateway = await TestGateway.start({ agent: failing(1) });
    await gateway.ask(ann, "two");
    await gateway.ask(ann, "/new");
    expect(await gateway.ask(ann, "/retry")).toEqual(["There is nothing to retry."]);
  });

  it("doesn't restore erased text", async () => {
    const gateway = await TestGateway.start({ agent: failing(1) });
    const dead = await gateway.say(ann, "two");
    await gateway.idle();
    gateway.change("UPDATE gw_inbox SET state = 'cancelled', reason = 'erased' WHERE event_id = ?", dead);
    gateway.change("DELETE FROM messages");
    expect(await gateway.ask(ann, "/retry")).toEqual(["There is nothing to retry."]);
  });
});

describe("during a turn", () => {
  it("/status answers immediately", async () => {
    const gateway = await TestGateway.start();
    const slow = await gateway.say(ann, "!slow 400 slow");
    await until("the turn runs", () => gateway.inbox(slow)?.state === "running");
    await gateway.say(ann, "/status");
    const [first] = await gateway.sentTo(ann, 1);
    expect(first!.text).toContain("Now: answering");
    await gateway.idle();
    expect(plain(gateway.adapter.to(ann)[1]!.text)).toBe("slow");
  });

  it("/queue reports how much is ahead, and its text comes next", async () => {
    const gateway = await TestGateway.start();
    const slow = await gateway.say(ann, "!slow 200 slow");
    await until("the turn runs", () => gateway.inbox(slow)?.state === "running");
    await gateway.say(ann, "/queue and then this");
    await gateway.idle();
    const texts = gateway.adapter.to(ann).map(({ text }) => plain(text));
    expect(texts).toEqual([expect.stringContaining("Queued, after 1 turn"), "slow", "and then this"]);
  });

  it("/undo waits for the end of the turn", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "one");
    const slow = await gateway.say(ann, "!slow 150 two");
    await until("the turn runs", () => gateway.inbox(slow)?.state === "running");
    await gateway.say(ann, "/undo");
    await gateway.idle();
    expect(await userTexts(gateway, (await gateway.session(ann)).id)).toEqual(["one"]);
  });
});

describe("/background", () => {
  it("answers in the same chat from a separate session", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "before");
    const sent = await gateway.ask(ann, "/background look it up");
    expect(sent[0]).toContain("in the background");
    expect(sent[1]).toBe("look it up");
    expect(await userTexts(gateway, (await gateway.session(ann)).id)).toEqual(["before"]);
  });

  const sideWork = (gateway: TestGateway) =>
    gateway.read(
      `SELECT end_reason, (SELECT count(*) FROM gw_routes r WHERE r.session_id = s.id) AS routes FROM sessions s
       WHERE id IN (SELECT session_id FROM gw_inbox WHERE session_key LIKE '%:background:%')`,
    );
  const OVER = [{ end_reason: "background_complete", routes: 0 }];

  it("leaves no route behind, even after a failure", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "/background look it up");
    expect(sideWork(gateway)).toEqual(OVER);
    const failing = await TestGateway.start();
    await failing.ask(ann, "/background !fail network");
    expect(sideWork(failing)).toEqual(OVER);
  });

  it("leaves no route behind when it is given up after crashes", async () => {
    const gateway = await TestGateway.start();
    await gateway.say(ann, "/background !slow 60000 never said");
    const running = "SELECT id FROM gw_inbox WHERE state = 'running' AND session_key LIKE '%:background:%'";
    await until("it runs", () => gateway.read(running).length === 1);
    await gateway.stop();
    gateway.change("UPDATE gw_inbox SET state = 'running', attempts = 3 WHERE state = 'waiting'");
    const restarted = await gateway.restart();
    expect((await restarted.sentTo(ann, 1))[0]!.text).toContain("gave up");
    expect(sideWork(restarted)).toEqual(OVER);
  });
});

describe("text that a command passes to the agent", () => {
  it("isn't shown as if the person had written it", async () => {
    const gateway = await TestGateway.start();
    const written = ["hello", "/queue and then this", "/background look it up", "/retry"];
    for (const text of written) await gateway.ask(ann, text);
    const log = await gateway.store.chatLog("test", ann.chatId, 100);
    expect(log.filter(({ from }) => from === "user").map(({ text }) => text)).toEqual(written);
    expect(log.filter(({ kind }) => kind === "answer")).toHaveLength(4);
  });

  it("is never a command, even after a restart", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "before");
    const slow = await gateway.say(ann, "!slow 60000 never said");
    await until("the turn runs", () => gateway.inbox(slow)?.state === "running");
    const queued = await gateway.say(ann, "/queue /new");
    await until("it waits", () => gateway.inbox(queued)?.state === "done");
    const { id } = await gateway.session(ann);
    await gateway.stop();
    gateway.change("UPDATE gw_inbox SET state = 'cancelled' WHERE event_id = ?", slow);
    const restarted = await gateway.restart();
    await restarted.idle();
    expect(await userTexts(restarted, id)).toEqual(["before", "/new"]);
  });
});

describe("a command", () => {
  it("gets a suggestion if it doesn't exist", async () => {
    const gateway = await TestGateway.start();
    const [reply] = await gateway.ask(ann, "/statsu");
    expect(reply).toContain("/status");
    expect(await gateway.route(ann)).toBeUndefined();
  });

  it("is a row with its name, and creates no session", async () => {
    const gateway = await TestGateway.start();
    const said = await gateway.say(ann, "/help");
    await gateway.idle();
    expect(gateway.inbox(said)).toMatchObject({ state: "done", reason: "/help" });
    expect(await gateway.route(ann)).toBeUndefined();
  });

  it("runs once if the platform delivers it twice", async () => {
    const gateway = await TestGateway.start();
    await gateway.ask(ann, "one");
    const before = await gateway.store.listSessions();
    await gateway.say(ann, "/new", { eventId: "twice" });
    await gateway.say(ann, "/new", { eventId: "twice" });
    await gateway.idle();
    expect(await gateway.store.listSessions()).toHaveLength(before.length + 1);
    expect(gateway.adapter.to(ann)).toHaveLength(2);
  });

  it("is refused to others if it is for admins", async () => {
    const gateway = await TestGateway.start({ platform: { allow_admin_from: ["ann"] } });
    const [reply] = await gateway.ask(bob, "/model other");
    expect(reply).toContain("admin-only");
  });
});

describe("a message that waits while no turn is running", () => {
  it("is answered in the new session after /new", async () => {
    const gateway = await TestGateway.start({ burstMs: 300 });
    await gateway.ask(ann, "before");
    const old = await gateway.session(ann);
    await gateway.say(ann, "half a thought");
    await gateway.say(ann, "/new");
    await gateway.idle();
    const fresh = await gateway.session(ann);
    expect(fresh.id).not.toBe(old.id);
    expect(await userTexts(gateway, fresh.id)).toEqual(["half a thought"]);
  });
});
