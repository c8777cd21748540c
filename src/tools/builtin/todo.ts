/** The `todo` tool: the agent's own list for a long piece of work. Each result has the whole list, so the history keeps it. */
import { textOf } from "../../agents/text.js";
import { BoundedMap } from "../../bounded-map.js";
import type { SessionId } from "../../session.js";
import { startOf } from "../../text-limits.js";
import { textArgument } from "../arguments.js";
import { failure, success } from "../result.js";
import type { SessionReader } from "../session-reader.js";
import type { ToolDefinition } from "../tool.js";

const DESCRIPTION =
  "Your list of tasks for this conversation. Without todos: shows it. With todos: replaces the list, or with merge: true " +
  "changes and adds entries by id. Keep one task in_progress. For work of three steps or more.";

const STATES = ["pending", "in_progress", "completed", "cancelled"];

const PARAMETERS = {
  type: "object",
  properties: {
    todos: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: { type: "string" },
          content: { type: "string" },
          status: { type: "string", enum: STATES },
        },
        required: ["id", "content", "status"],
      },
    },
    merge: { type: "boolean", description: "Default: false" },
  },
};

export interface Todo {
  id: string;
  content: string;
  status: string;
}

const MAX_TODOS = 100;
const MAX_CHARS = 500;
const MAX_SESSIONS = 500;
const MAX_PARENTS = 5;

export function todoTool(reader: Pick<SessionReader, "getSession" | "getMessages">): ToolDefinition {
  /** Calls of a running turn aren't in the history yet. */
  const latest = new BoundedMap<SessionId, readonly Todo[]>(MAX_SESSIONS);
  return {
    name: "todo",
    toolset: "todo",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    effect: "read",
    repeat: "safe",
    run: async (args, { session }) => {
      const before = latest.get(session.id) ?? (await storedTodos(reader, session.id));
      if (args.todos === undefined || args.todos === null) return shown(before);
      if (!Array.isArray(args.todos)) return failure("todos must be a list.");
      const merge = args.merge === true || args.merge === "true";
      const changed = changedTodos(before, args.todos, merge);
      if (changed.length > MAX_TODOS) return failure(`the list has a maximum of ${MAX_TODOS} entries.`);
      latest.set(session.id, changed);
      return shown(changed);
    },
  };
}

/** Pure. Entries without an id or, if new, without content are left out. */
export function changedTodos(before: readonly Todo[], given: readonly unknown[], merge: boolean): Todo[] {
  const todos = new Map(merge ? before.map((todo) => [todo.id, todo]) : []);
  for (const item of given.slice(0, 2 * MAX_TODOS)) {
    const fields = typeof item === "object" && item !== null ? (item as Record<string, unknown>) : {};
    const id = textArgument(fields, "id");
    const known = id === undefined ? undefined : todos.get(id);
    const content = textArgument(fields, "content") ?? known?.content;
    if (id === undefined || content === undefined) continue;
    const status = textArgument(fields, "status");
    todos.set(id, {
      id: startOf(id, MAX_CHARS),
      content: startOf(content, MAX_CHARS),
      status: status !== undefined && STATES.includes(status) ? status : (known?.status ?? "pending"),
    });
  }
  return [...todos.values()];
}

function shown(todos: readonly Todo[]): string {
  const counts = STATES.map((state) => [state, todos.filter(({ status }) => status === state).length]);
  return success({ todos, summary: { total: todos.length, ...Object.fromEntries(counts) } });
}

/** The last result in the history; a compressed conversation has it in its parent. */
async function storedTodos(
  reader: Pick<SessionReader, "getSession" | "getMessages">,
  sessionId: SessionId,
): Promise<Todo[]> {
  let id: SessionId | null = sessionId;
  for (let i = 0; id !== null && i < MAX_PARENTS; i++) {
    const messages = await reader.getMessages(id);
    const result = messages.findLast(({ role, tool_name }) => role === "tool" && tool_name === "todo");
    if (result) return readTodos(textOf(result.content));
    const session = await reader.getSession(id);
    id = session?.parent_session_id ?? null;
  }
  return [];
}

function readTodos(json: string): Todo[] {
  try {
    const { todos } = JSON.parse(json) as { todos?: unknown };
    return changedTodos([], Array.isArray(todos) ? todos : [], false);
  } catch {
    // A result that was cut or redacted: the list starts again.
    return [];
  }
}
