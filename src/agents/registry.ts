/** Creates the agent backend from the configuration. Provider SDKs are loaded with the first request. */
import type { Config } from "../config/schema.js";
import { createAuxiliary } from "./auxiliary.js";
import type { AgentBackend, Auxiliary } from "./backend.js";
import { echoAgent } from "./echo.js";
import { modelAgent } from "./model.js";

export interface Agents {
  main: AgentBackend;
  auxiliary: Auxiliary;
}

export function createAgents(config: Pick<Config, "model" | "auxiliary" | "agent">): Agents {
  const main =
    config.model.provider === "echo"
      ? echoAgent()
      : modelAgent(config.model, { maxSteps: config.agent.max_turns });
  return { main, auxiliary: createAuxiliary(config) };
}
