import fs from "node:fs";
import path from "node:path";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { type RunningGateway, type StartOptions, startGateway } from "../../../src/main.js";
import type { ToolDefinition } from "../../../src/tools/tool.js";
import { TestAdapter } from "../../support/test-adapter.js";

/** A tool that asks first. */
export function lampOf(lit: string[]): ToolDefinition {
  return {
    ...{
      name: "lamp",
      toolset: "house",
      description: "a lamp",
      parameters: {},
      effect: "write",
      repeat: "safe",
    },
    ask: "session",
    run: async (_, { principal }) => {
      lit.push(principal.userId);
      return "lit";
    },
  };
}

export interface Chats {
  running: RunningGateway;
  adapter: TestAdapter;
  token: string;
}

/** A gateway with a test platform, where ann is an owner. */
export async function startChats(home: string, options: Partial<StartOptions> = {}): Promise<Chats> {
  const adapter = new TestAdapter();
  const running = await startGateway({
    env: { HERMES_HOME: home, HERMES_LOG_LEVEL: "silent", PATH: process.env.PATH },
    flags: { "http.port": 0, allow_all: true, owners: ["test:ann"], "platforms.test.enabled": true },
    platforms: () => ({ adapters: [adapter] }),
    ...options,
  });
  onTestFinished(() => running.stop());
  const token = fs.readFileSync(path.join(home, "dashboard.token"), "utf8").trim();
  return { running, adapter, token };
}

export async function overHttp(url: string, token?: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** The result as an object. */
export async function ask(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const result: CallToolResult = await client.callTool({ name, arguments: args });
  const [part] = result.content;
  const text = part?.type === "text" ? part.text : "";
  // The SDK itself refuses arguments in plain words.
  return (text.startsWith("{") ? JSON.parse(text) : { error: text }) as Answer;
}

type Row = Record<string, unknown>;

export interface Answer extends Row {
  error?: string;
  conversations: Row[];
  messages: Row[];
  events: Row[];
  event: Row | null;
  channels: Row[];
  approvals: Row[];
  next_cursor: string;
}
