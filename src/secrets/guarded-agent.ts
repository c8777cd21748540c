/** Wraps an agent so that configured tokens and keys never reach it and never appear in its output. */

import type {
  AgentBackend,
  AgentEvent,
  Auxiliary,
  Tool,
  TurnMessage,
  TurnRequest,
} from "../agents/backend.js";
import type { SecretGuard } from "./guard.js";
import type { SecretRedactor } from "./redactor.js";

export function guardedAgent(agent: AgentBackend, guard: SecretGuard): AgentBackend {
  const parameters: Parameters = new WeakMap();
  return {
    name: agent.name,
    model: agent.model,
    contextLength: agent.contextLength,
    ...(agent.keepsState ? { keepsState: true } : {}),
    ...(agent.close ? { close: () => agent.close!() } : {}),
    run: (request, signal) => guardedRun(agent, guard, parameters, request, signal),
  };
}

export function guardedAuxiliary(auxiliary: Auxiliary, { quiet }: SecretGuard): Auxiliary {
  return {
    complete: async (task, prompt, signal) => {
      const text = await auxiliary.complete(task, quiet.redactJson(prompt), signal);
      return text === undefined ? undefined : quiet.redact(text);
    },
  };
}

/** Tool parameters are the same in every turn, so they aren't searched again. */
type Parameters = WeakMap<object, Tool["parameters"]>;

/** Doesn't report matches in the conversation: every turn would report them again. */
function safe(request: TurnRequest, guard: SecretGuard, parameters: Parameters): TurnRequest {
  const { quiet } = guard;
  const about = { sessionId: request.session.id };
  const [args, results] = [guard.of("tool_argument", about), guard.of("tool_result", about)];
  return {
    ...request,
    systemPrompt: quiet.redact(request.systemPrompt),
    history: quiet.redactJson(request.history),
    input: quiet.redactJson(request.input),
    ...(request.steps ? { steps: quiet.redactJson(request.steps) } : {}),
    ...(request.clientTools ? { clientTools: quiet.redactJson(request.clientTools) } : {}),
    tools: request.tools.map((tool) => ({
      ...tool,
      description: quiet.redact(tool.description),
      parameters: safeParameters(tool, quiet, parameters),
      run: async (given, signal, callId) =>
        results.redact(await tool.run(args.redactJson(given), signal, callId)),
    })),
    ...(request.ask ? { ask: (question, asking) => request.ask!(args.redactJson(question), asking) } : {}),
    takeSteering: () => request.takeSteering().map((text) => quiet.redact(text)),
  };
}

function safeParameters({ parameters }: Tool, quiet: SecretRedactor, known: Parameters): Tool["parameters"] {
  const clean = known.get(parameters) ?? quiet.redactJson(parameters);
  known.set(parameters, clean);
  return clean;
}

async function* guardedRun(
  agent: AgentBackend,
  guard: SecretGuard,
  parameters: Parameters,
  request: TurnRequest,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const { session } = request;
  const answer = guard.of("answer", { sessionId: session.id });
  const calls = guard.of("tool_argument", { sessionId: session.id });
  let words = answer.stream();
  for await (const event of agent.run(safe(request, guard, parameters), signal)) {
    if (event.type === "text") {
      const delta = words.push(event.delta);
      if (delta !== "") yield { type: "text", delta };
      continue;
    }
    if (event.type !== "usage") {
      const rest = words.end();
      words = answer.stream();
      if (rest !== "") yield { type: "text", delta: rest };
    }
    if (event.type === "message") {
      const { tool_calls: made, ...said } = event.message;
      const own = said.role === "assistant" ? answer : guard.quiet;
      const clean = { ...own.redactJson(said), ...(made ? { tool_calls: calls.redactJson(made) } : {}) };
      yield { type: "message", message: replaced(event.message, clean) };
    } else yield event.type === "failed" ? { ...event, failure: answer.redactJson(event.failure) } : event;
  }
}

/** The agent reuses this object in its conversation, so change it in place. */
function replaced(message: TurnMessage, clean: TurnMessage): TurnMessage {
  return Object.isFrozen(message) ? clean : Object.assign(message, clean);
}
