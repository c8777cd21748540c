/** One process of an ACP agent, and the sessions that it serves. */
import { Readable, Writable } from "node:stream";
import type {
  AgentCapabilities,
  ClientConnection,
  ContentBlock,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { unlessAborted, withTimeout } from "../../timeout.js";
import { version } from "../../version.js";
import { Child, type ChildSettings } from "./child.js";

export type Sdk = typeof import("@agentclientprotocol/sdk");

/** Receives a session's updates during a turn. */
export interface SessionListener {
  update(update: SessionUpdate): void;
  permission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>;
}

/** How a prompt ended. `usage` is in the protocol's draft. */
export type PromptEnd = Pick<PromptResponse, "stopReason"> & { usage?: unknown };

const START_MS = 60_000;
const LOAD_MS = 120_000;
/** Maximum sessions to remember; others are loaded again. */
const MAX_SESSIONS = 10_000;
/** Of a replay. */
const MAX_RECEIVED = 10;
const MAX_RECEIVED_CHARS = 200_000;
const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

/** The process ended, or its connection broke. */
export class AgentGone extends Error {}

export class AgentProcess {
  readonly #child: Child;
  readonly #sdk: Sdk;
  readonly #connection: ClientConnection;
  readonly #listeners = new Map<string, SessionListener>();
  readonly #gone = new AbortController();
  #capabilities: AgentCapabilities = {};
  /** Sessions that this process knows; a prompt elsewhere has to load them first. */
  readonly sessions = new Set<string>();
  /** Turns that use it. */
  users = 0;
  readonly closed: Promise<void>;

  private constructor(sdk: Sdk, settings: ChildSettings) {
    this.#sdk = sdk;
    this.#child = new Child(settings);
    const { stdin, stdout } = this.#child.process;
    const app = sdk
      .client({ name: "hermes-gateway" })
      .onNotification(sdk.methods.client.session.update, ({ params }) => {
        this.#listeners.get(params.sessionId)?.update(params.update);
      })
      .onRequest(sdk.methods.client.session.requestPermission, async ({ params }) => {
        return (await this.#listeners.get(params.sessionId)?.permission(params)) ?? CANCELLED;
      });
    this.#connection = app.connect(
      sdk.ndJsonStream(
        Writable.toWeb(stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
      ),
    );
    this.#gone.signal.addEventListener("abort", () => this.#connection.close());
    // A broken connection can't be used again, and neither can its process.
    const broken = this.#connection.closed.then(
      () => "its connection was closed",
      (error: unknown) => `its connection broke: ${messageOf(error)}`,
    );
    void broken.then(() => this.#child.kill());
    this.closed = Promise.race([this.#child.ended, broken]).then(async (first) => {
      await this.#child.kill();
      const reason = first.startsWith("its connection") ? `${first}, ${await this.#child.ended}` : first;
      const words = this.#child.lastWords;
      this.#gone.abort(new AgentGone(words === "" ? reason : `${reason}: ${words}`));
    });
  }

  static async start(sdk: Sdk, settings: ChildSettings): Promise<AgentProcess> {
    const agentProcess = new AgentProcess(sdk, settings);
    try {
      await agentProcess.#initialize();
      return agentProcess;
    } catch (error) {
      await agentProcess.kill();
      throw error;
    }
  }

  get isOpen(): boolean {
    return !this.#gone.signal.aborted && !this.#child.isOver;
  }

  get takesImages(): boolean {
    return this.#capabilities.promptCapabilities?.image === true;
  }

  async newSession(cwd: string): Promise<string> {
    const { new: method } = this.#sdk.methods.agent.session;
    const { sessionId } = await this.#call(
      this.#connection.agent.request(method, { cwd, mcpServers: [] }),
      START_MS,
      "session/new",
    );
    this.#know(sessionId);
    return sessionId;
  }

  /** False if the agent can't continue this session. */
  async openSession(sessionId: string, cwd: string): Promise<boolean> {
    if (this.sessions.has(sessionId)) return true;
    const { agent } = this.#connection;
    const { resume, load } = this.#sdk.methods.agent.session;
    const params = { sessionId, cwd, mcpServers: [] };
    const { sessionCapabilities, loadSession } = this.#capabilities;
    // Without a replay, if the agent can.
    const calls = [
      ...(sessionCapabilities?.resume ? [() => agent.request(resume, params)] : []),
      ...(loadSession ? [() => agent.request(load, params)] : []),
    ];
    for (const call of calls)
      try {
        await this.#call<unknown>(call(), LOAD_MS, "session/load");
        this.#know(sessionId);
        return true;
      } catch (error) {
        if (error instanceof AgentGone || isLoginError(error)) throw error;
      }
    return false;
  }

  /** Loads the session. The messages that the agent received in it; undefined if the agent can't replay it. */
  async replay(sessionId: string, cwd: string): Promise<string[] | undefined> {
    if (!this.#capabilities.loadSession || this.sessions.has(sessionId)) return undefined;
    const received = new ReceivedMessages();
    const permission = async () => CANCELLED;
    this.#listeners.set(sessionId, { update: (update) => received.take(update), permission });
    try {
      const { load } = this.#sdk.methods.agent.session;
      const params = { sessionId, cwd, mcpServers: [] };
      await this.#call<unknown>(this.#connection.agent.request(load, params), LOAD_MS, "session/load");
      this.#know(sessionId);
      return received.messages;
    } catch (error) {
      if (error instanceof AgentGone || isLoginError(error)) throw error;
      return undefined;
    } finally {
      this.#listeners.delete(sessionId);
    }
  }

  /** One at a time for each session. */
  async prompt(sessionId: string, prompt: ContentBlock[], listener: SessionListener): Promise<PromptEnd> {
    this.#listeners.set(sessionId, listener);
    try {
      const { prompt: method } = this.#sdk.methods.agent.session;
      return await this.#unlessGone(this.#connection.agent.request(method, { sessionId, prompt }));
    } finally {
      this.#listeners.delete(sessionId);
    }
  }

  async cancel(sessionId: string): Promise<void> {
    await this.#connection.agent
      .notify(this.#sdk.methods.agent.session.cancel, { sessionId })
      // Fails only if the connection is gone, and the prompt with it.
      .catch(() => undefined);
  }

  async kill(): Promise<void> {
    this.#connection.close();
    await this.#child.kill();
    await this.closed;
  }

  async #initialize(): Promise<void> {
    const { PROTOCOL_VERSION, methods } = this.#sdk;
    const answer = await this.#call(
      this.#connection.agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        clientInfo: { name: "hermes-gateway", version: version() },
      }),
      START_MS,
      "initialize",
    );
    if (answer.protocolVersion !== PROTOCOL_VERSION)
      throw new Error(`it speaks version ${answer.protocolVersion} of ACP, not ${PROTOCOL_VERSION}`);
    this.#capabilities = answer.agentCapabilities ?? {};
  }

  #know(sessionId: string): void {
    this.sessions.add(sessionId);
    const [oldest] = this.sessions;
    if (this.sessions.size > MAX_SESSIONS && oldest !== undefined) this.sessions.delete(oldest);
  }

  #call<T>(work: Promise<T>, timeoutMs: number, what: string): Promise<T> {
    const message = `it didn't answer ${what} within ${timeoutMs / 1000} s`;
    return withTimeout(this.#unlessGone(work), timeoutMs, { message });
  }

  /** Says why the process ended, not only that the connection is closed. */
  async #unlessGone<T>(work: Promise<T>): Promise<T> {
    try {
      return await unlessAborted(work, this.#gone.signal);
    } catch (error) {
      if (this.#connection.signal.aborted || this.#child.isOver) {
        await this.closed;
        throw this.#gone.signal.reason;
      }
      throw error;
    }
  }
}

/** The messages that the agent received, from a replay. Only the last ones count. */
class ReceivedMessages {
  messages: string[] = [];
  #isOpen = false;

  take(update: SessionUpdate): void {
    if (update.sessionUpdate !== "user_message_chunk") {
      this.#isOpen = false;
      return;
    }
    const text = update.content.type === "text" ? update.content.text : "";
    const before = this.#isOpen ? this.messages.pop() : undefined;
    this.messages = [
      ...this.messages.slice(1 - MAX_RECEIVED),
      `${before ?? ""}\n${text}`.slice(-MAX_RECEIVED_CHARS),
    ];
    this.#isOpen = true;
  }
}

const LOGIN_NEEDED = -32000;

export function isLoginError(error: unknown): boolean {
  return (error as { code?: unknown }).code === LOGIN_NEEDED;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
