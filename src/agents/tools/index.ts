import type { Principal } from "../../message.js";
import type { SessionId } from "../../session.js";
import type { Tool } from "../backend.js";
import { memoryTool } from "./memory.js";
import type { MemoryFiles } from "./memory-files.js";
import type { SessionReader } from "./session-reader.js";
import { sessionSearchTool } from "./session-search.js";

/** What the agent may use in a turn, bound to who is asking: the model can't name another person. */
export function toolsFor(turn: {
  principal: Principal;
  sessionId: SessionId;
  sessions: SessionReader;
  memory: MemoryFiles;
  /** Do several people read this session? */
  shared?: boolean;
}): Tool[] {
  const options = { shared: turn.shared ?? false };
  return [
    sessionSearchTool(turn.sessions, turn.principal, turn.sessionId, options),
    memoryTool(turn.memory, turn.principal, options),
  ];
}
