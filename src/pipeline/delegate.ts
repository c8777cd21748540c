/** `delegate_task`: a nested turn in its own session. Its answer is the result of the call. */
import { createHash } from "node:crypto";
import type { AgentBackend, Failure, Tool, TurnMessage, TurnUsage } from "../agents/backend.js";
import { nowSeconds } from "../clock.js";
import { HermesError } from "../errors.js";
import { type ApprovalSettings, approvalFor } from "../policies/approval.js";
import { countCall, type LoopState, NO_CALLS } from "../policies/tool-loop.js";
import type { MessageRow, SessionId, SessionRow } from "../session.js";
import type { ExportedSession, Store } from "../store/store.js";
import { type DelegatedTask, NOT_DELEGATED, type RunTask } from "../tools/builtin/delegate-task.js";
import type { OfferedTool, ToolRegistry } from "../tools/registry.js";
import type { ToolDefinition } from "../tools/tool.js";
import { limitAnswer } from "./limit-answer.js";
import { totalUsage } from "./usage.js";

export interface DelegateParts {
  agent: AgentBackend;
  store: Pick<Store, "getSession" | "getMessages" | "importSessions">;
  tools: Pick<ToolRegistry, "offered">;
  approvals: ApprovalSettings;
}

const PROMPT =
  "You are a helper of another assistant. Do the task and answer with its result alone: complete in itself, as short as the " +
  "matter allows. You can't ask questions, and only your last message is read.";

interface Result {
  messages: TurnMessage[];
  usages: TurnUsage[];
  failure?: Failure;
}

/** The same call uses the same session, so a crash after its end doesn't lose its answer. */
export function taskRunner(parts: DelegateParts): RunTask {
  return async (task) => {
    const { store } = parts;
    const id = sessionIdOf(task.call.idempotencyKey);
    const known = await store.getSession(id);
    if (known) return answerOf(await store.getMessages(id));
    const parent = await store.getSession(task.call.session.id);
    const startedAt = nowSeconds();
    const result = await converse(parts, task, id);
    // A stopped turn leaves nothing in its session; the audit has its calls.
    task.call.signal.throwIfAborted();
    const session = sessionOf(task, parent, { id, startedAt, result, model: parts.agent.model });
    await store.importSessions([session]);
    if (result.failure) throw new HermesError("unavailable", result.failure.message);
    return answerOf(result.messages);
  };
}

/** Only repeatable tools, because a crash restarts the whole task, and none that asks a person. */
export function mayDelegate(
  { tool, ask }: OfferedTool,
  toolsets: readonly string[] | undefined,
  approvals: ApprovalSettings,
): boolean {
  if (NOT_DELEGATED.has(tool.name) || tool.repeat !== "safe" || ask !== "never") return false;
  if (toolsets && !toolsets.includes(tool.toolset) && !toolsets.includes(tool.name)) return false;
  const question = { tool: tool.name, ask, granted: [], unattended: "other" } as const;
  return approvalFor(question, approvals).to === "run";
}

async function converse(parts: DelegateParts, task: DelegatedTask, id: SessionId): Promise<Result> {
  const { agent, tools, approvals } = parts;
  const { goal, context, toolsets, call } = task;
  const { principal, room, session, signal } = call;
  const offered = await tools.offered({ principal, room, platform: session.source });
  const result: Result = { messages: [question(goal, context)], usages: [] };
  const request = {
    session: { id, key: `delegate:${id}`, source: session.source },
    principal,
    systemPrompt: PROMPT,
    history: [],
    input: result.messages.slice(),
    tools: nestedTools(
      offered.filter((one) => mayDelegate(one, toolsets, approvals)).map(({ tool }) => tool),
      task,
      id,
    ),
    takeSteering: () => [],
  };
  for await (const event of limitAnswer(agent.run(request, signal))) {
    if (event.type === "message") result.messages.push(event.message);
    if (event.type === "failed") result.failure = event.failure;
    if (event.type !== "usage") continue;
    result.usages.push(event.usage);
    call.nested?.spent(event.usage);
  }
  return result;
}

function question(goal: string, context: string | undefined): TurnMessage {
  return { role: "user", content: context === undefined ? goal : `${goal}\n\nContext:\n${context}` };
}

function nestedTools(tools: readonly ToolDefinition[], { call }: DelegatedTask, id: SessionId): Tool[] {
  let loops: LoopState = NO_CALLS;
  let stopped: string | undefined;
  const session = { id, key: call.session.key, source: call.session.source };
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    run: async (args, signal) => {
      const { state, verdict, note } = countCall(loops, { name: tool.name, args });
      loops = state;
      if (verdict === "stop") stopped = note;
      if (stopped !== undefined) return stopped;
      if (!call.nested) return `Error: ${tool.name} can't run here.`;
      const text = await call.nested.run(tool, args, session, signal);
      return note === "" ? text : `${text}\n\n${note}`;
    },
  }));
}

function sessionIdOf(idempotencyKey: string): SessionId {
  return `delegate_${createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 24)}`;
}

function answerOf(messages: readonly { role: string; content: unknown }[]): string {
  const last = messages.findLast(({ role, content }) => role === "assistant" && typeof content === "string");
  return (last?.content as string | undefined) ?? "";
}

interface Ended {
  id: SessionId;
  startedAt: number;
  result: Result;
  model: string;
}

function sessionOf(task: DelegatedTask, parent: SessionRow | undefined, ended: Ended): ExportedSession {
  const { id, startedAt, result, model } = ended;
  const { call } = task;
  const usage = totalUsage(result.usages);
  const end = nowSeconds();
  const messages = result.messages.map((message, i) => ({ timestamp: startedAt + i * 1e-6, ...message }));
  const session: Partial<ExportedSession> = {
    ...usage,
    ...{ id, source: call.session.source, user_id: parent?.user_id ?? null, system_prompt: PROMPT },
    ...{ parent_session_id: call.session.id, model: usage.model ?? model },
    model_config: JSON.stringify({ _delegate_from: call.session.id }),
    ...{ started_at: startedAt, ended_at: end, end_reason: "delegated" },
    messages: messages as unknown as MessageRow[],
  };
  return session as ExportedSession;
}
