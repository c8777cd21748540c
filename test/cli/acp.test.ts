import { EventEmitter } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  client,
  type McpServer,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { run } from "../../src/cli/run.js";
import { SCRIPTED } from "../mcp/support/servers.js";
import { passedOn } from "../support/passed-on.js";
import { until } from "../support/until.js";
import { storeIn } from "./support/home.js";
import { runHermes, temporaryFolder } from "./support/run.js";

const CWD = "/home/me/project";
const { session } = methods.agent;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

interface Editor {
  connection: ClientConnection;
  agent: ClientConnection["agent"];
  updates: { sessionId: string; update: SessionUpdate }[];
  asked: RequestPermissionRequest[];
  /** What the agent wrote since the last call. */
  said(): string;
  leave(): Promise<number>;
}

/** `hermes acp` in this process, driven by the SDK's client. */
async function editor(home: string, answer = "once"): Promise<Editor> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const signals = new EventEmitter();
  const env = { ...passedOn(), HOME: home, HERMES_HOME: home };
  const stderr = new PassThrough();
  stderr.resume();
  const ended = run(["acp"], { stdin, stdout, stderr, env, cwd: home, signals, exit: () => undefined });
  const updates: Editor["updates"] = [];
  const asked: Editor["asked"] = [];
  let from = 0;
  const connection = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      return { outcome: { outcome: "selected" as const, optionId: answer } };
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
      ),
    );
  const leave = async () => {
    stdin.end();
    connection.close();
    return ended;
  };
  onTestFinished(async () => void (await leave()));
  await connection.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  return {
    ...{ connection, agent: connection.agent, updates, asked, leave },
    said: () => {
      const texts = updates
        .slice(from)
        .flatMap(({ update }) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
            ? update.content.text
            : [],
        );
      from = updates.length;
      return texts.join("");
    },
  };
}

const newSession = async ({ agent }: Editor, mcpServers: McpServer[] = []) =>
  (await agent.request(session.new, { cwd: CWD, mcpServers })).sessionId;

const prompt = async ({ agent }: Editor, sessionId: string, text: string) =>
  (await agent.request(session.prompt, { sessionId, prompt: [{ type: "text", text }] })).stopReason;

describe("hermes acp", () => {
  it("answers in sessions of its own, with the rows that Hermes expects", async () => {
    const home = temporaryFolder();
    const one = await editor(home);
    const id = await newSession(one);
    expect(id).toMatch(UUID);
    expect(await prompt(one, id, "first words")).toBe("end_turn");
    expect(one.said()).toContain("first words");
    expect(await prompt(one, id, "!drip 5 one two three four five")).toBe("end_turn");
    expect(one.said()).toBe("one two three four five");
    await until("commands are announced", () =>
      one.updates.some(({ update }) => update.sessionUpdate === "available_commands_update"),
    );
    expect(await prompt(one, id, "/status")).toBe("end_turn");
    expect(one.said()).toContain(id);
    expect(await one.leave()).toBe(0);
    const row = await storeIn(home, (store) => store.getSession(id));
    expect(row).toMatchObject({
      source: "acp",
      model_config: JSON.stringify({ cwd: CWD }),
      end_reason: "acp_close",
    });
    expect(row?.title).toBeTruthy();
    expect(row?.message_count).toBe(4);
  });

  it("shows tool calls", async () => {
    const one = await editor(temporaryFolder());
    const id = await newSession(one);
    await prompt(one, id, '!tool todo {"todos":[]}');
    const calls = one.updates.flatMap(({ update }) =>
      /^tool_call/.test(update.sessionUpdate) ? update : [],
    );
    expect(calls).toMatchObject([
      { title: "todo", status: "in_progress" },
      { sessionUpdate: "tool_call_update", status: "completed" },
    ]);
  });

  it("asks for approvals, and has no tools that send messages", async () => {
    const home = temporaryFolder();
    fs.writeFileSync(path.join(home, "config.yaml"), "tools: {todo: {ask: always}}\n", { mode: 0o600 });
    const denying = await editor(home, "deny");
    const id = await newSession(denying);
    await prompt(denying, id, '!tool todo {"todos":[]}');
    expect(denying.asked).toMatchObject([
      { sessionId: id, options: [{ kind: "allow_once" }, { kind: "reject_once" }] },
    ]);
    expect(denying.said()).toContain("denied");
    await prompt(denying, id, "!tool send_message {}");
    expect(denying.said()).toContain('there is no tool "send_message"');
  });

  it("cancels a prompt", async () => {
    const one = await editor(temporaryFolder());
    const id = await newSession(one);
    const running = prompt(one, id, "!slow 20000 late");
    await until("it runs", () => one.updates.length > 0);
    await one.agent.notify(session.cancel, { sessionId: id });
    expect(await running).toBe("cancelled");
    expect(await prompt(one, id, "still there")).toBe("end_turn");
  });

  it("loads sessions with their past, lists them, and knows no others", async () => {
    const home = temporaryFolder();
    const first = await editor(home);
    const id = await newSession(first);
    await newSession(first);
    await prompt(first, id, "remember me");
    await first.leave();

    const second = await editor(home);
    const { sessions } = await second.agent.request(session.list, { cwd: CWD });
    expect(sessions).toMatchObject([{ sessionId: id, cwd: CWD, title: expect.any(String) }]);
    expect((await second.agent.request(session.list, { cwd: "/elsewhere" })).sessions).toEqual([]);
    await second.agent.request(session.load, { sessionId: id, cwd: CWD, mcpServers: [] });
    await until("it is replayed", () => second.updates.length >= 2);
    expect(second.updates[0]).toMatchObject({
      sessionId: id,
      update: { sessionUpdate: "user_message_chunk", content: { text: "remember me" } },
    });
    expect(second.said()).toContain("remember me");
    expect(await prompt(second, id, "go on")).toBe("end_turn");
    expect(second.said()).toBe("go on");
    const unknown = { sessionId: "11111111-1111-4111-8111-111111111111", cwd: CWD, mcpServers: [] };
    await expect(second.agent.request(session.load, unknown)).rejects.toMatchObject({ code: -32002 });
    await expect(prompt(second, unknown.sessionId, "hello")).rejects.toMatchObject({ code: -32002 });
    expect((await storeIn(home, (store) => store.getSession(id)))?.message_count).toBe(4);
  });

  it("uses the MCP servers that the editor passes along, in that session", async () => {
    const home = temporaryFolder();
    const one = await editor(home);
    const mcpServers = [{ name: "ed", command: process.execPath, args: [SCRIPTED], env: [] }];
    const sessionId = await newSession(one, mcpServers);
    await prompt(one, sessionId, "!tool mcp__ed__write_it");
    expect(one.said()).toContain("written");
    await prompt(one, await newSession(one), "!tool mcp__ed__write_it");
    expect(one.said()).toContain("there is no tool");
    await one.leave();

    const second = await editor(home);
    await second.agent.request(session.load, { sessionId, cwd: CWD, mcpServers });
    second.said();
    await prompt(second, sessionId, "!tool mcp__ed__read");
    expect(second.said()).toContain("something");
    const sse = [{ type: "sse" as const, name: "old", url: "http://127.0.0.1:1/", headers: [] }];
    const refused = second.agent.request(session.new, { cwd: CWD, mcpServers: sse });
    await expect(refused).rejects.toMatchObject({ code: -32602 });
  });

  it("checks itself and tells its version", async () => {
    const home = temporaryFolder();
    expect(await runHermes(home, ["acp", "--check"])).toMatchObject({
      code: 0,
      stdout: "Hermes ACP check OK\n",
    });
    expect((await runHermes(home, ["acp", "--version"])).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });
});
