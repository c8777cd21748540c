import type { Adapter } from "../adapters/adapter.js";
import type { Auxiliary, NamedAgent } from "../agents/backend.js";
import { systemPrompt, timeWriter } from "../agents/prompt.js";
import { type Agents, createAgents } from "../agents/registry.js";
import { summarise } from "../agents/summariser.js";
import { makeTitle } from "../agents/titler.js";
import { estimateTokens } from "../agents/tokens.js";
import { homePaths } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import type { Events } from "../events.js";
import type { GatewayLog } from "../log.js";
import type { McpServers } from "../mcp/manager.js";
import type { Principal } from "../message.js";
import { attemptRecords } from "../pipeline/attempt-records.js";
import { taskRunner } from "../pipeline/delegate.js";
import type { GatewayParts } from "../pipeline/parts.js";
import { fallbackSummary, serialiseForSummary } from "../policies/compression.js";
import { approvalSettingsOf, knownTargetsOf, toolSettingsOf } from "../rules.js";
import { SecretGuard } from "../secrets/guard.js";
import { guardedAgent, guardedAuxiliary } from "../secrets/guarded-agent.js";
import type { SecretSet } from "../secrets/secret-set.js";
import type { IndexWriter } from "../sessions/index-writer.js";
import type { TranscriptKeeper } from "../sessions/transcript-keeper.js";
import type { Owners } from "../store/queues.js";
import type { Store } from "../store/store.js";
import type { RunTask } from "../tools/builtin/delegate-task.js";
import { builtinTools } from "../tools/builtin/index.js";
import { joinEntries, type MemoryFiles, memoryFiles } from "../tools/memory-files.js";
import { ToolRegistry } from "../tools/registry.js";
import type { SessionReader } from "../tools/session-reader.js";
import type { ToolDefinition } from "../tools/tool.js";
import { allSecrets } from "./secrets.js";

export interface PartsInput {
  store: Store;
  config: Config;
  log: GatewayLog;
  bootId: string;
  home: string;
  adapters: readonly Adapter[];
  /** Besides the built-in ones. */
  tools?: readonly ToolDefinition[] | undefined;
  /** Default: the home's memories. Everything in this process that changes them must share one instance. */
  memory?: MemoryFiles;
  /** Adds tools whenever its servers connect. */
  mcp?: McpServers | undefined;
  /** Default: as configured. */
  agents?: Agents;
  /** Secrets that must not leave. Default: the configured tokens and keys. */
  secrets?: SecretSet;
  /** `sessions.json`, if this process writes it. */
  index?: Pick<IndexWriter, "changed">;
  transcripts?: Pick<TranscriptKeeper, "changed" | "committed">;
  events: Events;
  hooks?: GatewayParts["hooks"];
  refusal?: GatewayParts["refusal"];
  owners?: Owners;
}

/** Creates the gateway's parts from the configuration and the store. */
export function gatewayParts(input: PartsInput): GatewayParts & { tools: ToolRegistry } {
  const { store, config, log, bootId, home, adapters, index, transcripts, events } = input;
  const agents = input.agents ?? createAgents(config, home);
  const secrets = new SecretGuard(input.secrets ?? allSecrets(config), (leak) =>
    events.emit({ type: "secret-redacted", ...leak }),
  );
  const agent = guardedAgent(agents.main, secrets);
  const named = [...(agents.named ?? [])].map(([name, one]): [string, NamedAgent] => [
    name,
    { ...one, backend: guardedAgent(one.backend, secrets) },
  ]);
  const auxiliary = guardedAuxiliary(agents.auxiliary, secrets);
  const memory = input.memory ?? memoryFiles(homePaths(home).memoriesDir);
  const registry: ToolRegistry = toolRegistry({ ...input, memory, runTask: (task) => runTask(task) });
  const runTask = taskRunner({ agent, store, tools: registry, approvals: approvalSettingsOf(config) });
  input.mcp?.feed(registry);
  events.watch("attempts", recordOf(store, config, log));
  for (const problem of registry.problems()) log.warn({ problem }, "some tool settings have no effect");
  return {
    ...{ config, store, bootId, agent, agents: new Map(named), auxiliary, adapters, events, log },
    ...{ estimateTokens, secrets },
    homeDir: home,
    hooks: input.hooks,
    refusal: input.refusal,
    owners: input.owners,
    tools: registry,
    mcp: input.mcp,
    systemPrompt: promptFrom(config, memory, secrets),
    ...summaries(auxiliary, log),
    routesChanged: () => index?.changed(),
    messagesChanged: (id) => transcripts?.changed(id),
    messagesCommitted: (session, messages) => transcripts?.committed(session, messages),
  };
}

function recordOf(store: Store, { model }: Config, log: GatewayLog) {
  const onError = (error: unknown) => log.warn({ err: error }, "an attempt could not be recorded");
  return attemptRecords({ store, model: model.default ?? model.provider, onError });
}

/** The built-in tools and those of an embedding program, with the configured rules. */
export function toolRegistry(
  parts: Pick<PartsInput, "store" | "config" | "tools"> & { memory: MemoryFiles; runTask: RunTask },
): ToolRegistry {
  const { store, config, memory, runTask, tools = [] } = parts;
  const { timezone, cron, web } = config;
  const builtIn = builtinTools({
    ...{ memory, store, sessions: sessionReader(store), targets: knownTargetsOf(config), runTask },
    cron: { timeZone: timezone, maxJobs: cron.max_jobs, enabled: cron.enabled },
    search: {
      backend: web.search_backend,
      searxngUrl: web.searxng_url,
      braveKey: web.brave_api_key,
      tavilyKey: web.tavily_api_key,
    },
  });
  const registry = new ToolRegistry(toolSettingsOf(config), builtIn);
  registry.register(...tools);
  return registry;
}

/** Session reads for the agent's tools. */
export function sessionReader(store: Store): SessionReader {
  return {
    searchMessages: store.searchMessages,
    getSession: store.getSession,
    getMessages: (id) => store.getMessages(id),
    listSessions: store.listSessions,
    getLineage: store.getLineage,
    canSee: async (principal, id) => (await store.getSession(id, principal)) !== undefined,
  };
}

function promptFrom(
  config: Config,
  memory: MemoryFiles,
  { quiet }: SecretGuard,
): GatewayParts["systemPrompt"] {
  const written = timeWriter(config.timezone);
  const entries = async (slot: "shared" | Principal) => joinEntries(await memory.read(slot));
  return async ({ origin, shared, principal, task }) => {
    const prompt = systemPrompt({
      unattended: task !== undefined,
      platform: origin.platform,
      chatType: origin.chatType,
      shared,
      principalName: origin.userName ?? null,
      memory: { own: await entries(principal), shared: await entries("shared") },
      configured: config.agent.system_prompt,
      sendsFrom: config.gateway.media_delivery_allow_dirs,
      now: written(new Date()),
    });
    return quiet.redact(prompt);
  };
}

function summaries(auxiliary: Auxiliary, log: GatewayLog): Pick<GatewayParts, "summarise" | "title"> {
  const rules = { serialise: serialiseForSummary, fallback: fallbackSummary };
  return {
    summarise: async ({ previousSummary, ...request }, signal) => {
      const fullRequest = { ...request, ...(previousSummary ? { previousSummary } : {}) };
      const summary = await summarise(auxiliary, rules, fullRequest, signal);
      if (summary.error) log.warn({ reason: summary.error }, "summarised without a model");
      return summary.text;
    },
    title: (exchange, signal) =>
      makeTitle(auxiliary, exchange, signal, (reason) => log.warn({ reason }, "could not create a title")),
  };
}
