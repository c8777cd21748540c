import { onTestFinished } from "vitest";
import type { AgentBackend, AgentEvent, Tool, TurnMessage, TurnRequest } from "../../src/agents/backend.js";
import { type ModelAgentOptions, modelAgent } from "../../src/agents/model.js";
import { type Config, configSchema } from "../../src/config/schema.js";
import type { ChatMessage } from "../../src/session.js";
import { ModelServer } from "../emulators/model-server.js";

/** A server that is gone after the test. */
export async function startServer(): Promise<ModelServer> {
  const server = await ModelServer.start();
  onTestFinished(() => server.close());
  return server;
}

export function configWith(settings: Record<string, unknown>): Config {
  return configSchema.parse(settings);
}

export function serverModel(
  server: ModelServer,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return { provider: "openai-compatible", default: "m-1", base_url: server.url, api_key: "k", ...more };
}

const LIMITS = { firstWordMs: 10_000, idleMs: 10_000, totalMs: 20_000 };

/** A real agent on the server, that doesn't wait long between attempts. */
export function agentOn(
  server: ModelServer,
  model: Record<string, unknown> = {},
  options: Partial<Omit<ModelAgentOptions, "limits">> & { limits?: Partial<typeof LIMITS> } = {},
): AgentBackend {
  const { limits, ...rest } = options;
  return modelAgent(configWith({ model: serverModel(server, model) }).model, {
    maxSteps: 10,
    pace: { firstDelayMs: 2, random: () => 0 },
    ...rest,
    limits: { ...LIMITS, ...limits },
  });
}

export function turn(text: string, more: Partial<TurnRequest> = {}): TurnRequest {
  return {
    session: { id: "s1", key: "agent:main:web:dm:u1", source: "web" },
    principal: { platform: "web", userId: "u1" },
    systemPrompt: "You are a test.",
    history: [],
    input: [{ role: "user", content: text }],
    tools: [],
    takeSteering: () => [],
    ...more,
  };
}

export async function runTurn(
  agent: AgentBackend,
  request: TurnRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.run(request, signal)) events.push(event);
  return events;
}

export function deltas(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "text" ? [event.delta] : []));
}

export function messages(events: readonly AgentEvent[]): TurnMessage[] {
  return events.flatMap((event) => (event.type === "message" ? [event.message] : []));
}

/** How it ended: "done", or the kind of failure. */
export function ending(events: readonly AgentEvent[]): string {
  const ends = events.filter((event) => event.type === "done" || event.type === "failed");
  if (ends.length !== 1 || ends[0] !== events.at(-1)) throw new Error(`${ends.length} endings`);
  const [end] = ends;
  return end?.type === "failed" ? end.failure.kind : "done";
}

export function tool(name: string, run: Tool["run"]): Tool {
  return { name, description: `The tool ${name}.`, parameters: { type: "object", properties: {} }, run };
}

export function call(id: string, name: string, args: string): NonNullable<ChatMessage["tool_calls"]>[number] {
  return { id, type: "function", function: { name, arguments: args } };
}
