import { randomBytes, randomUUID } from "node:crypto";
import {
  LOCAL_USER,
  TERMINAL,
  type TerminalView,
  terminalAdapter,
  terminalMessage,
  terminalOrigin,
} from "../../adapters/cli/index.js";
import { loadConfig } from "../../config/load.js";
import { ensureHome, homePaths, resolveHome } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import type { Events, GatewayEventOf, TurnEnd } from "../../events.js";
import { Gateway } from "../../gateway.js";
import { createLog } from "../../log.js";
import type { InboundMessage, OutboundMessage } from "../../message.js";
import { isolationOf } from "../../rules.js";
import type { SessionRow } from "../../session.js";
import { sessionKey } from "../../sessions/key.js";
import { Transcripts } from "../../sessions/transcript.js";
import { TranscriptKeeper } from "../../sessions/transcript-keeper.js";
import { mcpServers } from "../../startup/mcp.js";
import { gatewayParts } from "../../startup/parts.js";
import { homeSecrets, secretsOf } from "../../startup/secrets.js";
import { startWatchers } from "../../startup/watchers.js";
import { openStore } from "../../store/open.js";
import { ownerOf } from "../../store/shared/owner.js";
import type { Store } from "../../store/store.js";
import { type TraceId, traceIdOf } from "../../trace-id.js";
import { io } from "../io.js";
import { withProgress } from "../progress.js";
import type { Picked } from "./questions.js";
import { enterSession } from "./resume.js";

/**
 * The gateway's pipeline with one platform, this terminal, in this process. It works on its own rows alone, so a daemon
 * and other terminals may run on the same home.
 */
export interface Terminal {
  config: Config;
  store: Store;
  events: Events;
  /** Resolves with the outcome of its turn, if it had one, when everything is shown. */
  say(text: string): Promise<TurnEnd["outcome"] | undefined>;
  /** Answers a question. Resolves when the inbox has it. */
  choose(picked: Picked): Promise<void>;
  /** False: no turn runs. */
  interrupt(): boolean;
  session(): Promise<SessionRow | undefined>;
  close(): Promise<void>;
}

export interface TerminalOptions {
  view: TerminalView;
  /** The session to go on in; nothing: a new one begins with the first message. */
  find?(store: Store): Promise<SessionRow>;
  /** There is no person who could answer questions. */
  unattended?: boolean;
}

/** How long leaving waits for an agent that ignores its abort signal. */
const LEAVE_SECONDS = 5;
/** Fallback poll for changes that emit no event. */
const LOOK_AGAIN_MS = 1000;

export async function openTerminal({ view, find, unattended }: TerminalOptions): Promise<Terminal> {
  const home = resolveHome(io().env);
  ensureHome(home);
  const config = forTerminal(loadConfig({ home, env: io().env }).config);
  const log = await createLog({ level: "error", pretty: true, secrets: secretsOf(config) });
  const paths = homePaths(home);
  const store = await withProgress((onProgress) => openStore({ path: paths.stateDb, onProgress }));
  const bootId = randomUUID();
  const watchers = await startWatchers({ log, bootId, env: io().env });
  const { events } = watchers;
  const transcripts = new TranscriptKeeper({
    ...{ transcripts: new Transcripts({ dir: paths.sessionsDir }), store, log },
  });
  const id = randomBytes(4).toString("hex");
  const key = sessionKey(terminalOrigin(id), isolationOf(config));
  const shown = new Shown(view, events);
  const adapter = terminalAdapter(id, shown, unattended);
  const owners = [ownerOf(TERMINAL, id)];
  const mcp = mcpServers({ config, home, env: io().env, log });
  const closeAll = async () => {
    await mcp.stop();
    await watchers.close();
    await transcripts.idle();
    await store.close();
  };
  try {
    const session = await find?.(store);
    if (session)
      await enterSession(store, { id, key, sessionId: session.id, isolation: isolationOf(config) });
    const gateway = new Gateway(
      gatewayParts({
        ...{ store, config, log, bootId, home, adapters: [adapter], transcripts, events, owners, mcp },
        secrets: homeSecrets(home, config, io().env),
      }),
    );
    mcp.start();
    await gateway.start();
    return {
      config,
      store,
      events,
      say: async (text) => {
        const message = terminalMessage(id, text);
        await adapter.say(message);
        await shown.until(() => isOver(store, shown, message));
        return shown.ended(message)?.outcome;
      },
      choose: ({ label, ...choice }) => adapter.say(terminalMessage(id, label, choice)),
      interrupt: () => gateway.interrupt(key),
      session: async () => {
        const route = await store.getRoute(key);
        return route && !route.expiredReason ? store.getSession(route.sessionId) : undefined;
      },
      close: async () => {
        await gateway.stop();
        await leave(store, key, id);
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Who may run the program on this home may read all of it anyway. */
function forTerminal(config: Config): Config {
  return {
    ...config,
    owners: [...config.owners, `${TERMINAL}:${LOCAL_USER}`],
    streaming: { ...config.streaming, enabled: true },
    agent: { ...config.agent, restart_drain_timeout: LEAVE_SECONDS },
  };
}

/** The conversation ends with its terminal, unless something still waits in it: that is for `hermes -c`. */
async function leave(store: Store, key: string, id: string): Promise<void> {
  const reasons = { reason: "terminal_closed", endReason: "cli_close" } as const;
  await store.closeChat({ platform: TERMINAL, account: id, sessionKey: key, ...reasons });
}

/** Nothing more will come of it, and all that came was shown. */
async function isOver(store: Store, shown: Shown, message: InboundMessage): Promise<boolean> {
  const about = ({ account, eventId }: InboundMessage) => store.eventOutcome(TERMINAL, account, eventId);
  const outcome = await about(message);
  // Another terminal goes on with it.
  if (!outcome) return true;
  const end = shown.ended(message);
  if (!outcome.over || (outcome.sessionId !== null && !end)) return false;
  // What was written in a row has one answer: that of the first.
  const first = end?.message ?? message;
  const answered = first.eventId === message.eventId ? outcome : await about(first);
  return shown.count(first) >= (answered?.answers.length ?? 0);
}

/** Messages that are remembered; the oldest give way. */
const MAX_REMEMBERED = 1000;
const GOES_ON = new Set<TurnEnd["outcome"]>(["retrying", "overtaken", "released"]);

type TurnEnded = GatewayEventOf<"turn-ended">;

/** What was shown and which turns ended, by the message that it was about. */
class Shown implements TerminalView {
  readonly #view: TerminalView;
  readonly #counts = new Map<TraceId, number>();
  readonly #ends = new Map<TraceId, TurnEnded>();
  readonly #waiting = new Set<() => void>();

  constructor(view: TerminalView, events: Events) {
    this.#view = view;
    events.watch("terminal", (event) => {
      if (event.type === "turn-ended" && !GOES_ON.has(event.outcome))
        for (const traceId of event.traceIds) remember(this.#ends, traceId, event);
      for (const again of this.#waiting) again();
    });
  }

  preview(turnId: string, text: string): void {
    this.#view.preview(turnId, text);
  }

  show(message: OutboundMessage): void {
    this.#view.show(message);
    const { traceId = "" } = message;
    remember(this.#counts, traceId, (this.#counts.get(traceId) ?? 0) + 1);
  }

  decide(messageId: string, text: string): void {
    this.#view.decide(messageId, text);
  }

  /** How many answers to it were shown. */
  count(message: InboundMessage): number {
    return this.#counts.get(traceIdOf(message)) ?? 0;
  }

  ended(message: InboundMessage): TurnEnded | undefined {
    return this.#ends.get(traceIdOf(message));
  }

  /** Looks again whenever something happens. */
  async until(isDone: () => Promise<boolean>): Promise<void> {
    for (;;) {
      let look: () => void = () => undefined;
      const changed = new Promise<void>((resolve) => {
        look = resolve;
      });
      this.#waiting.add(look);
      const timer = setTimeout(look, LOOK_AGAIN_MS);
      try {
        if (await isDone()) return;
        await changed;
      } finally {
        clearTimeout(timer);
        this.#waiting.delete(look);
      }
    }
  }
}

function remember<T>(map: Map<TraceId, T>, key: TraceId, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}
