import { randomUUID } from "node:crypto";
import path from "node:path";
import Database from "better-sqlite3";
import { cronAdapter } from "../../src/adapters/cron/index.js";
import type { AgentBackend, Auxiliary } from "../../src/agents/backend.js";
import { echoAgent } from "../../src/agents/echo.js";
import { createAgents } from "../../src/agents/registry.js";
import { type Config, configSchema } from "../../src/config/schema.js";
import { HermesError } from "../../src/errors.js";
import { Events } from "../../src/events.js";
import { Gateway } from "../../src/gateway.js";
import { logEvents } from "../../src/log-events.js";
import type { OutboundMessage } from "../../src/message.js";
import type { GatewayParts } from "../../src/pipeline/parts.js";
import { isolationOf, knownTargetsOf } from "../../src/rules.js";
import { dueByClock } from "../../src/schedules/due-runs.js";
import type { SessionRow } from "../../src/session.js";
import { sessionKey } from "../../src/sessions/key.js";
import { gatewayParts } from "../../src/startup/parts.js";
import type { InboxRow, RouteRow } from "../../src/store/queues.js";
import { type OpenedStore, openStore } from "../../src/store/sqlite/index.js";
import { type MemoryFiles, memoryFiles } from "../../src/tools/memory-files.js";
import type { ToolDefinition } from "../../src/tools/tool.js";
import { Sweep } from "../../src/upkeep/sweep.js";
import { atEnd } from "./at-end.js";
import { tempDir } from "./temp.js";
import { ButtonAdapter, originOf, type Person, TestAdapter } from "./test-adapter.js";
import { until } from "./until.js";

type ConfigInput = Record<string, unknown>;

export interface TestGatewayOptions {
  config?: ConfigInput;
  /** Of the platform "test"; everybody may talk unless it says otherwise. */
  platform?: ConfigInput;
  agent?: AgentBackend;
  /** Besides the built-in ones. */
  tools?: readonly ToolDefinition[];
  auxiliary?: Auxiliary;
  burstMs?: number;
  hooks?: NonNullable<GatewayParts["hooks"]>;
  home?: string;
  /** Runs the store on its threads, as the program does. */
  threads?: boolean;
  /** With schedules, looked at again and again. */
  cron?: boolean;
  /** Questions have buttons. */
  buttons?: boolean;
  /** Further bots of the platform "test". */
  bots?: TestAdapter[];
  /** In place of the real parts. */
  parts?: (real: GatewayParts) => Partial<GatewayParts>;
}

/** A gateway in this process, made of the real parts: a store on a file, the echo agent, a platform in memory. */
export class TestGateway {
  readonly home: string;
  readonly config: Config;
  readonly adapter: TestAdapter;
  readonly store: OpenedStore;
  readonly memory: MemoryFiles;
  readonly parts: GatewayParts;
  readonly gateway: Gateway;
  /** While it is set, nothing is accepted. */
  refusal: string | undefined;
  readonly warnings: { message: string; fields: object }[] = [];
  readonly events = new Events((error) => {
    throw error;
  });

  static async start(options: TestGatewayOptions = {}): Promise<TestGateway> {
    const home = options.home ?? tempDir();
    const store = await openStore({ path: path.join(home, "state.db"), threads: options.threads ?? false });
    const test = new TestGateway(options, home, store);
    await test.gateway.start();
    atEnd(() => test.stop());
    return test;
  }

  private constructor(options: TestGatewayOptions, home: string, store: OpenedStore) {
    this.home = home;
    this.store = store;
    const Bot = options.buttons ? ButtonAdapter : TestAdapter;
    this.adapter = new Bot(options.burstMs === undefined ? {} : { burstMs: options.burstMs });
    this.memory = memoryFiles(path.join(home, "memories"));
    this.config = configSchema.parse({
      timezone: "UTC",
      session_reset: { mode: "none" },
      agent: { restart_drain_timeout: 0.2 },
      ...options.config,
      platforms: { test: { allow_all: true, ...options.platform } },
    });
    const note = (fields: object, message: string) => {
      this.warnings.push({ message, fields });
    };
    const log = { debug: () => undefined, info: () => undefined, warn: note, error: note };
    logEvents(this.events, log);
    const bots = [this.adapter, ...(options.bots ?? []), ...(options.cron ? [this.#schedules()] : [])];
    const created = createAgents(this.config, home);
    this.parts = gatewayParts({
      ...{ store, home, log, config: this.config, events: this.events, hooks: options.hooks },
      bootId: randomUUID(),
      adapters: bots,
      tools: options.tools,
      agents: {
        main: options.agent ?? (this.config.agent.backend === "model" ? echoAgent() : created.main),
        ...(created.named ? { named: created.named } : {}),
        auxiliary: options.auxiliary ?? NO_AUXILIARY,
      },
      refusal: () => (this.refusal === undefined ? undefined : new HermesError("unavailable", this.refusal)),
    });
    Object.assign(this.parts, options.parts?.(this.parts));
    this.gateway = new Gateway(this.parts);
  }

  #stopped: Promise<void> | undefined;

  stop(): Promise<void> {
    this.#stopped ??= this.gateway.stop().then(() => this.store.close());
    return this.#stopped;
  }

  /** As if the process were killed: from now on it can neither read nor write. */
  async crash(): Promise<void> {
    const closed = this.store.close();
    this.#stopped = closed.then(() => this.gateway.stop()).catch(() => undefined);
    await closed;
  }

  /** The same home with a new gateway. */
  async restart(options: TestGatewayOptions = {}): Promise<TestGateway> {
    await this.stop();
    return TestGateway.start({ ...options, home: this.home });
  }

  say(person: Person, text: string, more?: Parameters<TestAdapter["say"]>[2]): Promise<string> {
    return this.adapter.say(person, text, more);
  }

  /** Says it and waits for everything to come of it; gives what was sent to that place since. */
  async ask(person: Person, text: string): Promise<string[]> {
    const before = this.adapter.to(person).length;
    await this.say(person, text);
    await this.idle();
    return this.adapter
      .to(person)
      .slice(before)
      .map((message) => plain(message.text));
  }

  /** Nothing waits, runs or is being sent; memory flushes of ended sessions don't count. */
  async idle(): Promise<void> {
    await until("nothing is left to do", async () => (await this.openRows()).length === 0, {
      found: () => this.openRows(),
    });
  }

  async openRows(): Promise<object[]> {
    return this.read(
      `SELECT 'in' AS queue, id, state, error FROM gw_inbox
       WHERE state IN ('waiting', 'running') AND event_id NOT LIKE 'memory:%'
       UNION ALL SELECT 'out', id, state, error FROM gw_outbox WHERE state IN ('pending', 'sending')`,
    );
  }

  /** The sent texts of a place, once there are so many. */
  async sentTo(place: Person, count: number): Promise<OutboundMessage[]> {
    return until(
      `${count} messages were sent`,
      () => this.adapter.to(place).length >= count && this.adapter.to(place),
      { found: () => this.adapter.sent.map(({ text }) => text) },
    );
  }

  read<T>(query: string, ...params: unknown[]): T[] {
    const db = new Database(path.join(this.home, "state.db"), { readonly: true, timeout: 5000 });
    try {
      return db.prepare(query).all(...params) as T[];
    } finally {
      db.close();
    }
  }

  /** As time or another process would change the file. */
  change(query: string, ...params: unknown[]): void {
    const db = new Database(path.join(this.home, "state.db"), { timeout: 5000 });
    try {
      db.prepare(query).run(...params);
    } finally {
      db.close();
    }
  }

  inbox(
    eventId: string,
  ): (Pick<InboxRow, "state" | "attempts" | "error"> & { reason: string | null }) | undefined {
    return this.read<InboxRow & { reason: string | null }>(
      "SELECT state, attempts, error, reason FROM gw_inbox WHERE event_id = ?",
      eventId,
    )[0];
  }

  keyOf(person: Person): string {
    return sessionKey(originOf(person), isolationOf(this.config));
  }

  route(person: Person): Promise<RouteRow | undefined> {
    return this.store.getRoute(this.keyOf(person));
  }

  async session(person: Person): Promise<SessionRow> {
    const route = await this.route(person);
    const session = route && (await this.store.getSession(route.sessionId));
    if (!session) throw new Error(`${this.keyOf(person)} has no session`);
    return session;
  }

  /** The person was last heard of so many seconds earlier than in truth. */
  async silentFor(person: Person, seconds: number): Promise<void> {
    const key = this.keyOf(person);
    this.change(
      "UPDATE gw_routes SET last_user_activity = last_user_activity - ?, due_at = 0 WHERE session_key = ?",
      seconds,
      key,
    );
  }

  /** One round of the sweep, now. */
  async sweep(): Promise<RouteRow[]> {
    const ended: RouteRow[] = [];
    await new Sweep(
      this.parts,
      () => false,
      (route) => ended.push(route),
    ).run();
    return ended;
  }

  #schedules() {
    const { store, config } = this;
    const targets = knownTargetsOf(config);
    return cronAdapter({
      due: dueByClock({
        ...{ store, config, targets },
        unreadable: ({ name }, fault) =>
          this.warnings.push({ message: `unreadable: ${name}`, fields: { fault } }),
      }),
      failed: (error) => this.warnings.push({ message: "schedules", fields: { error } }),
      everyMs: 20,
    });
  }
}

const NO_AUXILIARY: Auxiliary = { complete: async () => undefined };

const NOTE = /^No model is configured[^\n]*\n\n/;

/** Without the echo agent's note in a session's first answer. */
export function plain(text: string): string {
  return text.replace(NOTE, "");
}
