/** Side work: one prompt → one text, from the task's own model or else the main one. */
import type { Config, ModelConfig } from "../config/schema.js";
import type { Auxiliary, AuxiliaryPrompt, AuxiliaryTask } from "./backend.js";
import { askFirst, type Candidate, candidate, DEFAULT_PACE, type Pace } from "./model/attempts.js";
import type { ModelEndpoint } from "./model/endpoint.js";
import type { ModelRequest } from "./model/request.js";

type TaskConfig = Config["auxiliary"][AuxiliaryTask];

export function createAuxiliary(
  config: Pick<Config, "model" | "auxiliary">,
  pace: Partial<Pace> = {},
): Auxiliary {
  const chains = {
    title_generation: chainOf(config.auxiliary.title_generation, config.model),
    compression: chainOf(config.auxiliary.compression, config.model),
  };
  return {
    async complete(task, prompt, signal) {
      const chain = chains[task];
      if (chain.length === 0) return undefined;
      const timeout = AbortSignal.timeout(Math.ceil(config.auxiliary[task].timeout * 1000));
      return complete(chain, prompt, { ...DEFAULT_PACE, ...pace }, AbortSignal.any([signal, timeout]));
    },
  };
}

async function complete(
  chain: readonly Candidate[],
  prompt: AuxiliaryPrompt,
  pace: Pace,
  signal: AbortSignal,
): Promise<string> {
  const words = askFirst(chain, toRequest(prompt), pace, signal);
  for (;;) {
    const next = await words.next();
    if (next.done) return next.value.answer.text;
  }
}

function toRequest(prompt: AuxiliaryPrompt): ModelRequest {
  return {
    system: prompt.system,
    messages: [{ role: "user", content: prompt.prompt }],
    tools: [],
    mayCall: false,
    mustSpeak: true,
    maxTokens: prompt.maxTokens,
    ...(prompt.temperature === undefined ? {} : { temperature: prompt.temperature }),
  };
}

/** Empty without a usable model. */
function chainOf(task: TaskConfig, main: ModelConfig): Candidate[] {
  const own = endpointOf(task, main);
  const others = task.provider === "echo" || isSame(own, main) ? [] : [{ ...main, timeout: task.timeout }];
  return [own, ...others].filter(canBeAsked).map((endpoint) => candidate(endpoint));
}

function canBeAsked(endpoint: ModelEndpoint): boolean {
  return endpoint.provider !== "echo" && endpoint.default !== null;
}

function isSame(own: ModelEndpoint, main: ModelConfig): boolean {
  return own.provider === main.provider && own.default === main.default && own.base_url === main.base_url;
}

/** Missing settings come from the main model, except another provider's URL or key. */
export function endpointOf(task: TaskConfig, main: ModelConfig): ModelEndpoint {
  const provider =
    task.provider ?? (main.provider === "echo" && task.base_url ? "openai-compatible" : main.provider);
  const inherited = provider === main.provider ? main : { default: null, base_url: null, api_key: null };
  return {
    provider,
    default: task.model ?? inherited.default,
    base_url: task.base_url ?? inherited.base_url,
    api_key: task.api_key ?? inherited.api_key,
    context_length: null,
    timeout: task.timeout,
    cost: { input: null, output: null },
  };
}
