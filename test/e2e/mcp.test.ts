import fs from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { homeMark } from "../../src/mcp/environment.js";
import { ask } from "../mcp/support/chats.js";
import { processesOf, SCRIPTED } from "../mcp/support/servers.js";
import { Daemon, HERMES } from "../support/daemon.js";
import { passedOn } from "../support/passed-on.js";
import { until } from "../support/until.js";
import { WebClient } from "../support/web-client.js";

const server = (flags: readonly string[], more = "") =>
  `{command: node, args: [${[SCRIPTED, ...flags].join(", ")}], allow: [everyone]${more}}`;

describe("processes of MCP servers", () => {
  it("end with the gateway; those that ignore a crash end with the next start", async () => {
    const yaml = `mcp_servers:\n  good: ${server([])}\n  deaf: ${server(["--deaf", "--child"])}\n`;
    const daemon = new Daemon({ yaml });
    const count = () => processesOf(homeMark(daemon.home)).length;
    await daemon.start();
    await until("three processes run", () => count() === 3);
    await daemon.kill();
    await until("only those that ignore the end of their input are left", () => count() === 2);
    const left = processesOf(homeMark(daemon.home));
    await daemon.start();
    const isOld = (pid: number) => left.includes(pid);
    await until("three others run, and none of the old ones", () => {
      const running = processesOf(homeMark(daemon.home));
      return running.length === 3 && !running.some(isOld);
    });
    await daemon.stop();
    await until("no process is left", () => count() === 0);
  });
});

describe("a call of an MCP tool", () => {
  /** How often it took effect, and what the agent learns after the restart. */
  it.each([
    ["calls-recorded", 0, "its outcome is unknown"],
    ["tool-ran", 1, "its outcome is unknown"],
    ["result-recorded", 1, "counted"],
    ["turn-answered", 1, "counted"],
    ["turn-committed", 1, "counted"],
  ])("is made once if the gateway crashes at %s", async (point, effects, learned) => {
    const daemon = new Daemon();
    const file = daemon.file("effects.txt");
    fs.mkdirSync(daemon.home, { recursive: true, mode: 0o700 });
    fs.writeFileSync(daemon.file("config.yaml"), `mcp_servers:\n  one: ${server(["--count", file])}\n`, {
      mode: 0o600,
    });
    const run = daemon.launch({ HERMES_KILL_AT: point });
    await run.ready;
    const web = new WebClient(() => daemon.url);
    await web.send("!tool mcp__one__count");
    expect((await run.ended).signal).toBe("SIGKILL");
    await daemon.start();
    const answer = await until("an answer", async () =>
      (await web.log()).find(({ from, kind }) => from === "bot" && kind === "answer"),
    );
    expect(answer.text).toContain(learned);
    const made = fs.existsSync(file) ? fs.readFileSync(file, "utf8").split("\n").length - 1 : 0;
    expect(made).toBe(effects);
    await daemon.stop();
  });
});

it("an interrupted call has an unknown outcome also if its server is gone", async () => {
  const daemon = new Daemon({ yaml: `mcp_servers:\n  one: ${server(["--count", "/dev/null"])}\n` });
  const run = daemon.launch({ HERMES_KILL_AT: "tool-ran" });
  await run.ready;
  const web = new WebClient(() => daemon.url);
  await web.send("!tool mcp__one__count");
  await run.ended;
  fs.writeFileSync(daemon.file("config.yaml"), "{}\n");
  await daemon.start();
  const answer = await until("an answer", async () =>
    (await web.log()).find(({ from, kind }) => from === "bot" && kind === "answer"),
  );
  expect(answer.text).toContain("its outcome is unknown");
  await daemon.stop();
});

describe("hermes mcp serve", () => {
  it("passes calls on to the gateway that runs, and reads the store while none does", async () => {
    const daemon = new Daemon({ yaml: "{}\n" });
    const client = new Client({ name: "test", version: "1" });
    const env = { ...passedOn(), HERMES_HOME: daemon.home } as Record<string, string>;
    await daemon.start();
    await new WebClient(daemon.url).send("hello");
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [HERMES, "mcp", "serve"], env }),
    );
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(10);
    const [conversation] = await until("the conversation is there", async () => {
      const { conversations } = await ask(client, "conversations_list");
      return conversations.length === 1 && conversations;
    });
    const { session_key } = conversation!;
    const { next_cursor } = await ask(client, "events_poll");
    await daemon.stop();
    const { messages } = await ask(client, "messages_read", { session_key });
    expect(messages[0]).toMatchObject({ role: "user", content: "hello" });
    expect((await ask(client, "events_poll", { after_cursor: next_cursor })).events).toEqual([]);
    await daemon.start();
    expect((await ask(client, "conversations_list")).conversations).toMatchObject([{ session_key }]);
    expect((await ask(client, "permissions_list_open")).approvals).toEqual([]);
  });
});
