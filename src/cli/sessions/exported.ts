import type { Readable } from "node:stream";
import { HermesError } from "../../errors.js";
import type { ExportedSession } from "../../store/store.js";
import { type Line, readLines } from "../lines.js";

type Fields = Record<string, unknown>;

/** JSON lines → sessions. Throws at the first invalid line, naming it. */
export async function* readSessions(stream: Readable): AsyncGenerator<ExportedSession> {
  const lineOfId = new Map<string, number>();
  for await (const line of readLines(stream)) {
    if (line.text.trim() === "") continue;
    const session = parseSession(line);
    const before = lineOfId.get(session.id);
    if (before !== undefined) throw fault(line, `session '${session.id}' is also on line ${before}`);
    lineOfId.set(session.id, line.number);
    yield session;
  }
}

function parseSession(line: Line): ExportedSession {
  const session = parseObject(line);
  const problem = sessionProblem(session);
  if (problem) throw fault(line, problem);
  return session as unknown as ExportedSession;
}

function parseObject(line: Line): Fields {
  try {
    const value: unknown = JSON.parse(line.text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw fault(line, `not JSON (${(cause as Error).message})`, cause);
  }
  throw fault(line, "not a session");
}

/** Requires only fields that every Hermes version writes; the store has defaults for the rest. */
function sessionProblem(session: Fields): string | undefined {
  if (typeof session.id !== "string" || session.id === "") return "the session has no id";
  if (typeof session.source !== "string") return "the session has no source";
  if (typeof session.started_at !== "number") return "the session has no started_at";
  if (!Array.isArray(session.messages)) return "the session has no list of messages";
  const index = session.messages.findIndex((message: unknown) => !isMessage(message));
  return index < 0 ? undefined : `message ${index + 1} has no role or no timestamp`;
}

function isMessage(message: unknown): boolean {
  return isObject(message) && typeof message.role === "string" && typeof message.timestamp === "number";
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fault(line: Line, problem: string, cause?: unknown): HermesError {
  return new HermesError("invalid", `Line ${line.number}: ${problem}.`, {
    hint: "Nothing was imported. The file must be written by `hermes sessions export`: one session per line.",
    cause,
  });
}
