import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MessageRow } from "../../../src/session.js";
import { Daemon } from "../../support/daemon.js";
import { until } from "../../support/until.js";
import { WebClient } from "../../support/web-client.js";
import { AUTH, someHistory, storeIn } from "../support/home.js";
import { finished, hermesJson, runHermes, spawnHermes, temporaryFolder } from "../support/run.js";
import { openScreen, type Screen } from "../support/terminal.js";

const PROMPT = /❯ *$/m;

/** Until the line can be typed: earlier keys are echoed by the terminal itself. */
async function opened(home: string, ...args: string[]): Promise<Screen> {
  const screen = openScreen(home, args);
  await screen.until(PROMPT);
  return screen;
}

function enter(screen: Screen, text: string): void {
  screen.type(text);
  screen.press("Enter");
}

interface Shown {
  id: string;
  source: string;
  end_reason: string | null;
  messages: MessageRow[];
}

const latest = (home: string) => storeIn(home, (store) => store.listSessions({ order: "active", limit: 1 }));

async function shownLatest(home: string): Promise<Shown> {
  const [session] = await latest(home);
  return hermesJson<Shown>(home, "sessions", "show", session!.id);
}

describe("hermes chat in a terminal", { timeout: 90_000 }, () => {
  it("answers in Markdown, several lines, commands and tools; and says how to come back", async () => {
    const home = temporaryFolder();
    const screen = await opened(home, "chat");
    enter(screen, "hello **bold**\\");
    await screen.until(/^… *$/m);
    screen.type("- two");
    screen.press("M-Enter");
    screen.type("- three");
    screen.press("Enter");
    await screen.until(/hello bold\s+• two\n• three\s+❯/);

    screen.type("/stat");
    screen.press("Tab");
    await screen.until(/❯ \/status *$/m);
    screen.press("Enter");
    await screen.until(/• Model: echo[\s\S]*❯ *$/m);

    enter(screen, '!tool memory {"action":"nonsense"}');
    await screen.until(/[✓✗] memory \{"action":"nonsense"\} · \d+\.\d s[\s\S]*❯ *$/m);

    screen.press("C-d");
    const end = await screen.until(/exit=0/);
    const { id, source, end_reason, messages } = await shownLatest(home);
    expect(end).toContain(`Resume   hermes -r ${id}`);
    expect({ source, end_reason }).toEqual({ source: "cli", end_reason: "cli_close" });
    expect(messages[0]).toMatchObject({ role: "user", content: "hello **bold**\n- two\n- three" });
    expect(readFileSync(join(home, "chat_history"), "utf8")).toContain("/status");
    expect(existsSync(join(home, "sessions", `${id}.jsonl`))).toBe(true);
  });

  it("shows an answer while it is written; Ctrl-C interrupts it and keeps what was said, a second one leaves", async () => {
    const home = temporaryFolder();
    const screen = await opened(home, "chat");
    enter(screen, "first");
    await screen.until(/^first\s+❯ *$/m);
    enter(screen, "!drip 700 one two three four never");
    await screen.until(/^one two\b/m);
    screen.press("C-c");
    const stopped = await screen.until(/\(interrupted\)\s+❯ *$/m);
    expect(stopped.replace(/!drip.*/, "")).not.toContain("never");
    screen.press("C-c");
    await screen.until(/exit=0/);
    const { messages } = await shownLatest(home);
    expect(messages.at(-2)).toMatchObject({ role: "user", content: expect.stringContaining("!drip") });
    expect(messages.at(-1)).toMatchObject({ role: "assistant", finish_reason: "interrupted" });
    expect(messages.at(-1)!.content).toMatch(/^one two/);
  });

  it("says that what waited for an interrupted answer was not sent", async () => {
    const home = temporaryFolder();
    const screen = await opened(home, "chat");
    enter(screen, "!drip 5000 one two three four never");
    await screen.until(/^… *$/m);
    enter(screen, "typed ahead");
    const history = () => readFileSync(join(home, "chat_history"), "utf8");
    await until("it waits", () => history().includes("typed ahead"));
    screen.press("C-c");
    await screen.until(/\(interrupted\)\s+\(not sent: 1 message that waited\)\s+❯ *$/m);
    screen.press("C-d");
    await screen.until(/exit=0/);
  });

  it("clears a line that was begun since the last Ctrl-C, and leaves with the next", async () => {
    const screen = await opened(temporaryFolder(), "chat");
    screen.press("C-c");
    await screen.until(/\(press Ctrl-C again to exit\)\n❯ *$/m);
    screen.type("a draft");
    await screen.until(/❯ a draft *$/m);
    screen.press("C-c");
    await screen.until(/\(press Ctrl-C again to exit\)\n❯ *\n❯ *$/m);
    screen.press("C-c");
    await screen.until(/exit\)[\s\S]*\(press Ctrl-C again to exit\)\n❯ *$/m);
    screen.press("C-c");
    await screen.until(/exit=0/);
  });

  it("prints the resume hint also after leaving in the middle of an answer", async () => {
    const screen = await opened(temporaryFolder(), "chat");
    enter(screen, "first");
    await screen.until(/^first\s+❯ *$/m);
    enter(screen, "!drip 700 one two three four never");
    await screen.until(/^one two\b/m);
    screen.press("C-d");
    const end = await screen.until(/exit=0/);
    expect(end).toMatch(/^one two.*\n+Session {2}\S+\nResume {3}hermes -r \S+.*\nexit=0$/m);
  });

  it("is drawn once after a resize, while streaming and while typing", async () => {
    const screen = await opened(temporaryFolder(), "chat");
    const words = Array.from({ length: 30 }, (_, i) => `word${i}`).join(" ");
    enter(screen, "first");
    await screen.until(/^first\s+❯ *$/m);
    enter(screen, `!drip 700 ${words} end`);
    await screen.until(/^word0\b[\s\S]*\bword20\b/m);
    screen.resize(50);
    const answered = await screen.until(/\bend\s+❯ *$/m);
    expect(answered.match(/(?<!drip 700 )\bword0\b/g)).toHaveLength(1);
    screen.type(`${words} typed`);
    await screen.until(/typed *$/m);
    screen.resize(100);
    screen.type(" wide");
    const wide = await screen.until(/typed wide *$/m);
    screen.resize(40);
    screen.type(" narrow");
    const narrow = await screen.until(/wide narrow *$/m);
    for (const shown of [wide, narrow]) {
      expect(shown.match(/❯ word0\b/g)).toHaveLength(1);
      expect(shown).toMatch(/\bend\n\n❯ word0/);
    }
    screen.press("C-u", "C-d");
    await screen.until(/exit=0/);
  });

  it("goes on with the latest conversation after a recap, and completes titles", async () => {
    const home = await someHistory();
    const screen = await opened(home, "-c");
    const recap = await screen.until(/Previous Conversation[\s\S]*❯ *$/m);
    expect(recap).toMatch(/Resumed 20250305_091523_a1b2c3d4 "refactoring auth", 4 messages\./);
    expect(recap).toMatch(/● You: Help me refactor the auth module please/);
    expect(recap).toMatch(/◆ Hermes: Looking\.\s+│\s+│\s+\[1 tool call: terminal\]/);
    expect(recap).not.toContain("auth.py\n");
    enter(screen, "and now?");
    await screen.until(/^and now\?\s+❯ *$/m);
    screen.type("/resume my pr");
    screen.press("Tab");
    await screen.until(/❯ \/resume my project #2/);
    screen.press("Enter");
    await screen.until(/Back in my project #2[\s\S]*❯ *$/m);
    enter(screen, "/exit");
    await screen.until(/exit=0/);
    const auth = await hermesJson<Shown>(home, "sessions", "show", AUTH);
    expect(auth.messages.slice(-2).map(({ content }) => content)).toEqual(["and now?", "and now?"]);
    expect(auth.end_reason).toBe("session_switch");
  });

  it("resumes any conversation, with one line where the recap isn't wanted; pasted lines are one message", async () => {
    const home = await someHistory();
    writeFileSync(join(home, "config.yaml"), "display:\n  resume_display: minimal\n", { mode: 0o600 });
    const screen = await opened(home, "-r", "my project");
    expect(await screen.until(/Resumed .* "my project #2"/)).not.toContain("Previous Conversation");
    screen.paste("alpha\nbeta");
    await screen.until(/alpha\n… beta/);
    screen.press("Enter");
    await screen.until(/\nalpha\nbeta\s+❯ *$/m);
    screen.press("C-d");
    await screen.until(/exit=0/);
  });
});

describe("hermes chat without a terminal", { timeout: 90_000 }, () => {
  it("answers once, and nothing but the answer is on stdout", async () => {
    const home = temporaryFolder();
    const asked = await runHermes(home, ["chat", "-q", "**hi**"]);
    expect(asked.stdout).toMatch(/^No model is configured.*\n\n\*\*hi\*\*\n$/);
    expect(asked.stderr).toMatch(/Session {2}\S+\nResume {3}hermes -r /);
    const piped = await runHermes(home, ["-c"], "one\ntwo\n");
    expect([piped.code, piped.stdout]).toEqual([0, "one\ntwo\n"]);
    expect((await shownLatest(home)).messages).toHaveLength(4);
    const failed = await runHermes(home, ["chat", "-q", "!fail rate_limit"]);
    expect([failed.code, failed.stdout]).toEqual([1, ""]);
    expect(failed.stderr).toContain("The echo agent failed (rate_limit)");
    // Its terminal is gone: a retry could not be shown.
    expect((await storeIn(home, (store) => store.backlog())).inbox.dead.count).toBe(0);
  });

  it("answers programs in JSON", async () => {
    const home = temporaryFolder();
    const asked = await runHermes(home, ["chat", "-q", "**hi**", "--json"]);
    expect([asked.code, asked.stderr]).toEqual([0, ""]);
    const { id } = await shownLatest(home);
    const told = {
      session_id: id,
      outcome: "answered",
      answer: expect.stringMatching(/\n\n\*\*hi\*\*$/),
      files: [],
      notices: [],
    };
    expect(JSON.parse(asked.stdout)).toEqual(told);
    const failed = await runHermes(home, ["-c", "--json"], "!fail rate_limit");
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      ...{ session_id: id, outcome: "failed", answer: null },
      notices: [expect.stringContaining("rate_limit")],
    });
  });

  it("reports invalid usage", async () => {
    const home = temporaryFolder();
    expect(await runHermes(home, ["-c"], "x")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no terminal conversation yet."),
    });
    expect(await runHermes(home, ["-r", "nothing"], "x")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Session 'nothing' not found."),
    });
    expect(await runHermes(home, ["chat", "-c", "one", "-r", "two"], "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("-c and -r can't be combined."),
    });
    expect(await runHermes(home, ["chat"], "  \n")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("The question is empty."),
    });
  });

  it("answers pending messages after a kill", async () => {
    const home = temporaryFolder();
    expect((await runHermes(home, ["chat", "-q", "first"])).code).toBe(0);
    const child = spawnHermes(home, ["-c"]);
    child.stdin!.end("!slow 3000 after all");
    await storeIn(home, (store) =>
      until("the turn runs", async () => (await store.backlog()).inbox.running.count === 1, {
        timeoutMs: 30_000,
      }),
    );
    child.kill("SIGKILL");
    await finished(child);
    const again = await runHermes(home, ["-c"], "and then?");
    expect(again.stdout).toMatch(/^after all\n[\s\S]*and then\?\n$/);
  });
});

describe("beside a gateway", { timeout: 90_000 }, () => {
  it("each answers its own messages, and a terminal leaves nothing behind", async () => {
    const daemon = await new Daemon({ home: join(temporaryFolder(), "home") }).start();
    const web = new WebClient(daemon.url);
    const screen = await opened(daemon.home, "chat");
    enter(screen, "!slow 2000 from the terminal");
    await web.send("!slow 2000 from the web");
    await screen.until(/^from the terminal\s+❯ *$/m);
    expect(await web.told("answer", 1, 20_000)).toEqual(["from the web"]);
    // A gateway that starts meanwhile takes nothing from a turn that runs elsewhere.
    enter(screen, "!slow 4000 through a restart");
    await daemon.restart();
    await screen.until(/^through a restart\s+❯ *$/m);
    screen.press("C-d");
    await screen.until(/exit=0/);
    await storeIn(daemon.home, async (store) => {
      expect((await store.listRoutes()).routes.map(({ origin }) => origin.platform)).toEqual(["web"]);
      const left = async () => {
        const { inbox, outbox } = await store.backlog();
        const states = [
          inbox.waiting,
          inbox.running,
          inbox.dead,
          outbox.pending,
          outbox.sending,
          outbox.dead,
        ];
        return states.map(({ count }) => count);
      };
      // The gateway may have died before it noted that its answer had arrived.
      await expect.poll(left).toEqual([0, 0, 0, 0, 0, 0]);
    });
    expect(readFileSync(daemon.file("sessions", "sessions.json"), "utf8")).not.toContain(":cli:");
  });
});
