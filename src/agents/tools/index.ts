import type { Principal } from "../../message.js";
import type { SessionId } from "../../session.js";
import type { Tool } from "../backend.js";
import { memoryTool } from "./memory.js";
import type { MemoryFiles } from "./memory-files.js";
import type { SessionReader } from "./session-reader.js";
import { sessionSearchTool } from "./session-search.js";

/** Tools for one turn, bound to the person who asks: the model can't act for another person. */
export function toolsFor(turn: {
  principal: Principal;
  sessionId: SessionId;
  sessions: SessionReader;
  memory: MemoryFiles;
  /** Several people share this session. */
  shared?: boolean;
}): Tool[] {
  const options = { shared: turn.shared ?? false };
  return [
    sessionSearchTool(turn.sessions, turn.principal, turn.sessionId, options),
    memoryTool(turn.memory, turn.principal, options),
  ];
}
