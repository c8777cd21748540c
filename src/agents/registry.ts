/** Creates the agents from the configuration. SDKs are loaded and processes started with the first request. */
import path from "node:path";
import type { Config } from "../config/schema.js";
import { OWNER_VARIABLE, ownerMark } from "../mcp/environment.js";
import { endOrphans } from "../mcp/orphans.js";
import { acpAgent } from "./acp/index.js";
import { createAuxiliary } from "./auxiliary.js";
import type { AgentBackend, Auxiliary, NamedAgent } from "./backend.js";
import { echoAgent } from "./echo.js";
import { modelAgent } from "./model.js";
import { serviceAgent } from "./service.js";

export interface Agents {
  main: AgentBackend;
  auxiliary: Auxiliary;
  /** Those of `agents`, by name. */
  named?: ReadonlyMap<string, NamedAgent>;
}

type AgentConfig = Pick<Config, "model" | "auxiliary" | "agent" | "acp" | "agent_service" | "agents">;

export function createAgents(config: AgentConfig, home = "."): Agents {
  const make = (backend: Config["agent"]["backend"], name: string, settings: BackendSettings) => {
    if (backend === "acp")
      return acpAgent(marked(settings.acp, home), { name, workspace: path.join(home, "workspace") });
    return backend === "http" ? serviceAgent(settings.agent_service, { name }) : modelOf(config);
  };
  const backends = [config.agent.backend, ...Object.values(config.agents).map(({ backend }) => backend)];
  // Some programs keep running after the gateway crashes.
  if (backends.includes("acp")) endOrphans(home);
  const named = Object.entries(config.agents).map(([name, settings]): [string, NamedAgent] => {
    const { allow, description } = settings;
    return [name, { backend: make(settings.backend, name, settings), allow, description }];
  });
  return {
    main: make(config.agent.backend, nameOf(config), config),
    named: new Map(named),
    auxiliary: createAuxiliary(config),
  };
}

/** Its processes carry the gateway's mark. */
function marked(settings: Config["acp"], home: string): Config["acp"] {
  return { ...settings, env: { ...settings.env, [OWNER_VARIABLE]: ownerMark(home) } };
}

type BackendSettings = Pick<Config, "acp" | "agent_service">;

function modelOf({ model, agent }: AgentConfig): AgentBackend {
  return model.provider === "echo" ? echoAgent() : modelAgent(model, { maxSteps: agent.max_turns });
}

/** The default agent's display name: its program or its model. */
function nameOf({ agent, acp, agent_service }: AgentConfig): string {
  if (agent.backend === "acp") return path.basename(acp.command ?? "agent");
  return agent.backend === "http" ? agent_service.model : "model";
}
