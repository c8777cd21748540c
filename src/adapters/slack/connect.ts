/** Connects to Slack and stays connected: identifies the bot, then keeps a socket open or, in HTTP mode, probes. */
import { pause } from "../../backoff.js";
import { HermesError } from "../../errors.js";
import { settlesWithin } from "../../timeout.js";
import type { AdapterEvents } from "../adapter.js";
import type { HealthTracker } from "../kit/health.js";
import { retry } from "../kit/retry.js";
import { connectApi, type SlackApi } from "./api.js";
import { createApp, type Delivery, InboxReceiver } from "./bolt.js";
import type { Settings } from "./config.js";
import { SeenCursor } from "./cursor.js";
import { Directory } from "./directory.js";
import { explain, isHopeless } from "./errors.js";
import { MissedMessages } from "./missed.js";
import type { Identity } from "./payloads.js";
import { EventHandler } from "./receive.js";
import { Responses } from "./responses.js";
import { Sender } from "./send.js";
import { listen } from "./socket.js";
import { Streams } from "./streams.js";
import { Threads } from "./threads.js";
import { Typing } from "./typing.js";

export interface UplinkParts {
  settings: Settings;
  events: AdapterEvents;
  commandNames: ReadonlySet<string>;
  health: HealthTracker;
}

/** Available once Slack has identified the bot. */
export interface Bot {
  api: SlackApi;
  sender: Sender;
  streams: Streams;
  typing: Typing;
  receiver: InboxReceiver;
  missed: MissedMessages;
}

export class Uplink {
  bot: Bot | undefined;
  /** Resolves when messages can come in, or when that takes too long. Rejects when only an operator can help. */
  readonly ready: Promise<void>;
  readonly #parts: UplinkParts;
  readonly #closing = new AbortController();
  readonly #run: Promise<void>;
  #api: SlackApi | undefined;
  #onReady!: () => void;

  constructor(parts: UplinkParts, signal: AbortSignal) {
    this.#parts = parts;
    const close = () => this.#closing.abort();
    signal.addEventListener("abort", close, { once: true });
    this.#closing.signal.addEventListener("abort", () => {
      signal.removeEventListener("abort", close);
      parts.health.closed();
    });
    const open = new Promise<void>((resolve) => {
      this.#onReady = resolve;
    });
    this.#run = this.#start();
    this.#run.catch((error: unknown) => this.#report(explain(error), true));
    this.ready = this.#firstOf(open);
  }

  /** Undefined while not connected. */
  get take(): ((delivery: Delivery) => Promise<unknown>) | undefined {
    const receiver = this.#isClosing ? undefined : this.bot?.receiver;
    return receiver && ((delivery) => receiver.take(delivery));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    // `connect` or the health has reported it.
    await this.#run.catch(() => undefined);
    await this.bot?.receiver.stop();
    await this.#api?.close(this.#parts.settings.timing.closeMs);
    await this.bot?.missed.finish();
  }

  async #firstOf(open: Promise<void>): Promise<void> {
    const first = Promise.race([open, this.#run]);
    // A later failure shows in the health only.
    if (!(await settlesWithin(first, this.#parts.settings.timing.patienceMs))) return;
    await first.catch((error: unknown) => {
      throw new HermesError("refused", explain(error), { cause: error });
    });
  }

  async #start(): Promise<void> {
    const { settings } = this.#parts;
    this.#api = await connectApi(settings.token, settings.apiUrl, settings.timing.callMs);
    const identity = await this.#identify(this.#api);
    if (!identity) return;
    const { bot, handler } = this.#assemble(this.#api, identity);
    const app = await createApp(bot.receiver, identity, handler);
    this.bot = bot;
    await app.start();
  }

  /** Undefined when the adapter stops first. */
  async #identify(api: SlackApi): Promise<Identity | undefined> {
    const signal = this.#closing.signal;
    const onFailure = (error: unknown) => {
      if (isHopeless(error)) throw error;
      this.#report(explain(error), false);
      return undefined;
    };
    return await retry(() => identify(api), {
      backoff: this.#parts.settings.backoff,
      signal,
      onFailure,
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
  }

  #assemble(api: SlackApi, identity: Identity): { bot: Bot; handler: EventHandler } {
    const { settings, events, commandNames } = this.#parts;
    const { timing } = settings;
    const closing = this.#closing.signal;
    const directory = new Directory(api, timing.lookUpMs);
    const threads = new Threads(api, identity, timing.lookUpMs);
    const streams = new Streams({ settings, api, identity });
    const cursor = new SeenCursor(events);
    const responses = new Responses({ events, apiUrl: settings.apiUrl, timeoutMs: timing.callMs });
    const shared = { settings, identity, api, threads, responses };
    const handler = new EventHandler({ ...shared, directory, events, cursor, commandNames, closing });
    const accept = handler.event.bind(handler);
    const missed = new MissedMessages({ settings, api, cursor, accept, closing });
    const receiver = this.#receiver(api, missed);
    const sender = new Sender({ ...shared, streams });
    const typing = new Typing(api, timing.typingMs, timing.lookUpMs);
    return { bot: { api, sender, streams, typing, receiver, missed }, handler };
  }

  #receiver(api: SlackApi, missed: MissedMessages): InboxReceiver {
    const { appToken, log, timing } = this.#parts.settings;
    return new InboxReceiver({
      run: () => (appToken ? this.#listen(appToken) : this.#probe(api)),
      onFailure: (error) => {
        if (this.#isClosing) return;
        log("warn", "A message from Slack could not be stored yet: waiting for its redelivery", {
          err: error,
        });
        // Slack stops redelivering after a few attempts.
        void missed.fetch();
      },
      closing: this.#closing.signal,
      closeMs: timing.closeMs,
      log,
    });
  }

  async #listen(appToken: string): Promise<void> {
    const { settings, health } = this.#parts;
    const { receiver, missed } = this.bot!;
    await listen({
      appToken,
      apiUrl: settings.apiUrl,
      timing: settings.timing,
      backoff: settings.backoff,
      take: (delivery) => receiver.take(delivery),
      beforeOpen: (gapMs) => missed.beforeOpen(gapMs),
      onOpen: (sockets) => this.#opened(sockets),
      onAlive: () => health.heard(),
      onFailure: (detail, hopeless) => this.#report(detail, hopeless),
      closing: this.#closing.signal,
    });
  }

  #opened(sockets: number): void {
    if (this.#isClosing) return;
    const { health } = this.#parts;
    health.up();
    health.issue("sockets", sockets > 1 ? sharedApp(sockets) : undefined, "ok");
    this.#onReady();
  }

  /** HTTP mode has no heartbeat, so a successful call is the proof of life. */
  async #probe(api: SlackApi): Promise<void> {
    const { health, settings } = this.#parts;
    await this.bot!.missed.beforeOpen(undefined);
    health.up();
    this.#onReady();
    for (;;) {
      await pause(settings.timing.probeMs, this.#closing.signal);
      if (this.#isClosing) return;
      await identify(api).then(
        () => void (this.#isClosing || health.up()),
        (error: unknown) => this.#report(explain(error), isHopeless(error)),
      );
    }
  }

  #report(detail: string, hopeless: boolean): void {
    if (this.#isClosing) return;
    this.#parts.health.trouble(hopeless ? "down" : "degraded", detail);
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }
}

async function identify(api: SlackApi): Promise<Identity> {
  const me = await api.call<{ team_id?: string; user_id?: string; bot_id?: string }>("auth.test", {});
  return { teamId: me.team_id ?? "", userId: me.user_id ?? "", botId: me.bot_id };
}

function sharedApp(sockets: number): string {
  return `${sockets} sockets are open for this Slack app, and each receives only some of the events: stop the other gateway unless it has just been restarted`;
}
