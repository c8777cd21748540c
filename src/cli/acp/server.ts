/** `hermes acp`: editors use our sessions over the Agent Client Protocol. */
import { randomUUID } from "node:crypto";
import path from "node:path";
import type {
  AgentApp,
  AgentContext,
  AvailableCommand,
  McpServer,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import { LOCAL_USER, terminalOrigin } from "../../adapters/cli/index.js";
import { nowSeconds } from "../../clock.js";
import { commands } from "../../commands/index.js";
import type { Config } from "../../config/schema.js";
import type { GatewayParts } from "../../pipeline/parts.js";
import { isolationOf } from "../../rules.js";
import { EDITOR_SOURCE, type SessionKey, type SessionRow } from "../../session.js";
import { originTuple } from "../../sessions/key.js";
import { withTimeout } from "../../timeout.js";
import { version } from "../../version.js";
import { enterSession } from "../chat/resume.js";
import { io } from "../io.js";
import { openLocalChat } from "../local/chat.js";
import { type LocalHome, openLocalHome } from "../local/home.js";
import { type Editor, EditorSession } from "./editor-session.js";
import { serversOf } from "./mcp-servers.js";
import { cwdOf, infoOf, replayOf } from "./updates.js";

type Sdk = typeof import("@agentclientprotocol/sdk");
type Prepare = NonNullable<Parameters<typeof openLocalChat>[1]["prepare"]>;

const MAX_SESSIONS = 100;
const MAX_LISTED = 200;
/** As in Hermes Agent: only the editor's own MCP servers. */
const SKIP_CONFIGURED = "HERMES_ACP_SKIP_CONFIGURED_MCP";
const PERMISSION_MS = 60_000;
const ENDS = { reason: "editor_closed", endReason: "acp_close" } as const;

export class EditorServer implements Editor {
  readonly #sdk: Sdk;
  readonly #local: LocalHome;
  readonly #config: Config;
  readonly #sessions = new Map<string, EditorSession>();
  #client: AgentContext | undefined;
  /** This editor didn't answer a question, so don't wait for it again. */
  #neverAnswers = false;

  private constructor(sdk: Sdk, local: LocalHome) {
    this.#sdk = sdk;
    this.#local = local;
    this.#config = forEditors(local.config);
    local.events.watch("editor", (event) => {
      for (const session of this.#sessions.values()) session.watch(event);
    });
  }

  static async open(sdk: Sdk): Promise<EditorServer> {
    return new EditorServer(sdk, await openLocalHome(EDITOR_SOURCE));
  }

  app(): AgentApp {
    const { agent, methods } = this.#sdk;
    const { session } = methods.agent;
    return agent({ name: "hermes" })
      .onConnect(({ client }) => {
        this.#client = client;
      })
      .onRequest(methods.agent.initialize, () => ({
        protocolVersion: this.#sdk.PROTOCOL_VERSION,
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: false, audio: false, embeddedContext: true },
          mcpCapabilities: { http: true, sse: false },
          sessionCapabilities: { list: {}, resume: {} },
        },
        agentInfo: { name: "hermes", title: "Hermes", version: version() },
      }))
      .onRequest(session.new, ({ params }) => this.#new(params.cwd, params.mcpServers))
      .onRequest(session.load, async ({ params }) => {
        const { id } = await this.#enter(params.sessionId, params.mcpServers);
        for (const update of replayOf(await this.#local.store.getMessages(id)))
          this.update(params.sessionId, update);
        this.#announce(params.sessionId);
        return {};
      })
      .onRequest(session.resume, async ({ params }) => {
        await this.#enter(params.sessionId, params.mcpServers);
        this.#announce(params.sessionId);
        return {};
      })
      .onRequest(session.list, ({ params }) => this.#list(params.cwd ?? undefined))
      .onRequest(session.prompt, async ({ params }) => {
        const found = this.#require(params.sessionId);
        if (found.isRunning)
          throw this.#sdk.RequestError.invalidRequest("A prompt of this session is running");
        return { stopReason: await found.prompt(params.prompt) };
      })
      .onNotification(session.cancel, ({ params }) => this.#sessions.get(params.sessionId)?.cancel());
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()));
    await this.#local.close();
  }

  // ── the editor ────────────────────────────────────────────────────────────────────────────────────────────────

  update(sessionId: string, update: Parameters<Editor["update"]>[1]): void {
    const { update: method } = this.#sdk.methods.client.session;
    // Fails only if the editor is gone, which ends the process.
    this.#client?.notify(method, { sessionId, update }).catch(() => undefined);
  }

  async permission(request: RequestPermissionRequest): Promise<RequestPermissionOutcome | undefined> {
    if (this.#neverAnswers || !this.#client) return undefined;
    const { requestPermission } = this.#sdk.methods.client.session;
    try {
      const asked = this.#client.request(requestPermission, request);
      return (await withTimeout(asked, PERMISSION_MS)).outcome;
    } catch {
      this.#neverAnswers = true;
      return undefined;
    }
  }

  // ── sessions ──────────────────────────────────────────────────────────────────────────────────────────────────

  async #new(cwd: string, servers: readonly McpServer[]): Promise<{ sessionId: string }> {
    if (!path.isAbsolute(cwd)) throw this.#sdk.RequestError.invalidParams("cwd must be an absolute path");
    const sessionId = randomUUID();
    await this.#open(sessionId, servers, (chat) => this.#create(sessionId, cwd, chat));
    this.#announce(sessionId);
    return { sessionId };
  }

  async #create(
    id: string,
    cwd: string,
    { id: chatId, key, parts }: { id: string; key: SessionKey; parts: GatewayParts },
  ): Promise<void> {
    const { store } = this.#local;
    const origin = terminalOrigin({ platform: EDITOR_SOURCE, id: chatId });
    const principal = { platform: EDITOR_SOURCE, userId: LOCAL_USER, owner: true };
    const prompt = await parts.systemPrompt({ origin, shared: false, principal, task: undefined });
    await store.switchRoute({
      sessionKey: key,
      origin,
      tuple: originTuple(origin, isolationOf(this.#config)),
      session: {
        ...{ id, source: EDITOR_SOURCE, user_id: LOCAL_USER, model: parts.agent.model },
        ...{ model_config: JSON.stringify({ cwd }), cwd },
        system_prompt: `${prompt}\n\nThe person works in an editor, in the folder ${cwd}.`,
      },
      expectedSessionId: null,
      endReason: ENDS.endReason,
      at: nowSeconds(),
    });
  }

  /** The session that continues this one, if it was summarised. Rejects for an unknown id. */
  async #enter(sessionId: string, servers: readonly McpServer[] = []): Promise<SessionRow> {
    const { store } = this.#local;
    const found = await store.getSession(sessionId);
    if (!found) throw this.#sdk.RequestError.sessionNotFound(sessionId);
    const { tip } = await store.getLineage(sessionId);
    if (!this.#sessions.has(sessionId))
      await this.#open(sessionId, servers, ({ id, key }) => this.#takeOver(id, key, tip));
    return (await store.getSession(tip)) ?? found;
  }

  /** Drops unanswered questions of a killed process: its editor is no longer waiting. */
  async #takeOver(id: string, key: SessionKey, sessionId: string): Promise<void> {
    const { store } = this.#local;
    const isolation = isolationOf(this.#config);
    await enterSession(store, { platform: EDITOR_SOURCE, id, key, sessionId, isolation });
    await store.cancelMessages({ sessionKey: key, reason: ENDS.reason });
  }

  async #open(sessionId: string, servers: readonly McpServer[], prepare: Prepare): Promise<void> {
    if (this.#sessions.size >= MAX_SESSIONS)
      throw this.#sdk.RequestError.invalidRequest(`More than ${MAX_SESSIONS} sessions in one process`);
    const parsed = serversOf(servers);
    if ("problem" in parsed) throw this.#sdk.RequestError.invalidParams(parsed.problem);
    const session = new EditorSession(sessionId, this);
    const mcp = { more: parsed.servers, skipsConfigured: io().env[SKIP_CONFIGURED] === "1" };
    const options = { view: session, config: this.#config, prepare, mcp, ends: ENDS };
    session.attach(await openLocalChat(this.#local, options));
    this.#sessions.set(sessionId, session);
  }

  /** After the answer to the request. */
  #announce(sessionId: string): void {
    setTimeout(() => {
      const availableCommands = announced();
      this.update(sessionId, { sessionUpdate: "available_commands_update", availableCommands });
    });
  }

  async #list(cwd: string | undefined) {
    const { store } = this.#local;
    const sessions = await store.listSessions({ source: EDITOR_SOURCE, order: "active", limit: MAX_LISTED });
    const shown = sessions.filter(
      (session) => session.message_count > 0 && (cwd === undefined || cwdOf(session) === cwd),
    );
    return { sessions: shown.map(infoOf) };
  }

  #require(sessionId: string): EditorSession {
    const session = this.#sessions.get(sessionId);
    if (!session) throw this.#sdk.RequestError.sessionNotFound(sessionId);
    return session;
  }
}

/** An editor's session lasts as long as the editor wants. It can't send messages or have schedules. */
function forEditors(config: Config): Config {
  const { acp: chosen } = config.platform_toolsets;
  return {
    ...config,
    reset_by_platform: {
      ...config.reset_by_platform,
      [EDITOR_SOURCE]: { ...config.session_reset, mode: "none" },
    },
    agent: {
      ...config.agent,
      disabled_toolsets: [...config.agent.disabled_toolsets, ...(chosen ? [] : ["messaging", "cronjob"])],
    },
  };
}

/** Omits commands that would leave the session: the editor has its own UI for that. */
const ELSEWHERE = new Set(["new", "resume", "sessions", "branch", "background", "cron"]);

function announced(): AvailableCommand[] {
  return commands
    .filter(({ name, group }) => group !== undefined && !ELSEWHERE.has(name))
    .map(({ name, description, usage }) => ({
      name,
      description,
      ...(usage ? { input: { hint: usage } } : {}),
    }));
}
