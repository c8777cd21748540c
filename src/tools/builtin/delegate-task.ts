/** The `delegate_task` tool: a piece of work in its own session, whose answer is the result. */
import { textArgument } from "../arguments.js";
import { failure, success } from "../result.js";
import type { ToolCall, ToolDefinition } from "../tool.js";

export interface DelegatedTask {
  goal: string;
  context: string | undefined;
  /** The toolsets that it may use, of those that its caller has; undefined: all of them. */
  toolsets: readonly string[] | undefined;
  call: ToolCall;
}

/** Runs the task to its end and resolves with its answer. It has no more rights than the call. */
export type RunTask = (task: DelegatedTask) => Promise<string>;

/** Not for a delegated task: it has no person to talk to, and it can't delegate further. */
export const NOT_DELEGATED: ReadonlySet<string> = new Set([
  "clarify",
  "cronjob",
  "delegate_task",
  "memory",
  "send_message",
]);

const DESCRIPTION =
  "Gives a piece of work to a helper that has its own context and returns only its answer. goal: what it must find out or " +
  "produce, complete in itself; context: what it needs to know, because it doesn't see this conversation; toolsets: what it may use.";

const PARAMETERS = {
  type: "object",
  properties: {
    goal: { type: "string" },
    context: { type: "string" },
    toolsets: { type: "array", items: { type: "string" } },
  },
  required: ["goal"],
};

const TIMEOUT_MS = 600_000;

export function delegateTaskTool(runTask: RunTask): ToolDefinition {
  return {
    name: "delegate_task",
    toolset: "delegation",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    effect: "read",
    repeat: "safe",
    timeoutMs: TIMEOUT_MS,
    run: async (args, call) => {
      const goal = textArgument(args, "goal");
      if (goal === undefined) return failure("goal is missing.");
      const toolsets = Array.isArray(args.toolsets) ? args.toolsets.map(String) : undefined;
      const answer = await runTask({ goal, context: textArgument(args, "context"), toolsets, call });
      return success({ result: answer });
    },
  };
}
