/** From "who am I?" to a stream of events, again and again until closed. What fails for now is tried again. */
import { setTimeout as sleep } from "node:timers/promises";
import { HermesError } from "../../errors.js";
import type { AdapterEvents } from "../adapter.js";
import { connectApi, type SlackApi } from "./api.js";
import { backoffMs } from "./backoff.js";
import { catchUp } from "./catch-up.js";
import type { SlackSettings } from "./config.js";
import { SeenCursor } from "./cursor.js";
import { Directory } from "./directory.js";
import { explain, isHopeless } from "./faults.js";
import type { HealthWatch } from "./health.js";
import { type Delivered, Intake } from "./intake.js";
import type { Identity, SlackEvent } from "./native.js";
import { Responses } from "./responses.js";
import { Sender } from "./sender.js";
import { Socket } from "./socket.js";
import { Streams } from "./streams.js";
import { Threads } from "./threads.js";
import { Typing } from "./typing.js";

export interface ConnectionParts {
  settings: SlackSettings;
  events: AdapterEvents;
  commandNames: ReadonlySet<string>;
  health: HealthWatch;
}

/** What works once Slack has told who we are. */
export interface Desk {
  sender: Sender;
  streams: Streams;
  typing: Typing;
  intake: Intake;
  cursor: SeenCursor;
}

export class Connection {
  desk: Desk | undefined;
  /** Messages can come in, or it takes long and goes on by itself. Rejects when only an operator can help. */
  readonly ready: Promise<void>;
  readonly #parts: ConnectionParts;
  readonly #stopping = new AbortController();
  readonly #run: Promise<void>;
  #api: SlackApi | undefined;
  #catchingUp: Promise<void> | undefined;
  /** What is on its way into the inbox. */
  readonly #underWay = new Set<Promise<void>>();
  #isReady!: () => void;

  constructor(parts: ConnectionParts, signal: AbortSignal) {
    this.#parts = parts;
    const stop = () => this.#stopping.abort();
    signal.addEventListener("abort", stop, { once: true });
    this.#stopping.signal.addEventListener("abort", () => {
      signal.removeEventListener("abort", stop);
      parts.health.down();
    });
    const open = new Promise<void>((resolve) => {
      this.#isReady = resolve;
    });
    this.#run = this.#begin();
    this.#run.catch((error: unknown) => this.#trouble(explain(error), true));
    this.ready = this.#firstOf(open);
  }

  /** Undefined before the bot knows its own name, and after the end. */
  accept(delivered: Delivered): Promise<void> | undefined {
    if (this.#stopped || !this.desk) return undefined;
    const work = this.desk.intake.accept(delivered);
    const settled = work.catch(() => this.#notTaken());
    this.#underWay.add(settled);
    void settled.finally(() => this.#underWay.delete(settled));
    return work;
  }

  async close(): Promise<void> {
    const { closeMs } = this.#parts.settings.times;
    this.#stopping.abort();
    await this.#run.catch(() => undefined);
    await Promise.race([Promise.all(this.#underWay), sleep(closeMs)]);
    await this.#api?.close(closeMs);
    await this.#catchingUp;
  }

  async #firstOf(open: Promise<void>): Promise<void> {
    const patience = new AbortController();
    const { patienceMs } = this.#parts.settings.times;
    const tired = sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined);
    try {
      await Promise.race([open, tired, this.#run]);
    } catch (error) {
      throw new HermesError("refused", explain(error), { cause: error });
    } finally {
      patience.abort();
    }
  }

  async #begin(): Promise<void> {
    const { settings } = this.#parts;
    this.#api = await connectApi(settings.token, settings.apiUrl, settings.times.callMs);
    const identity = await this.#whoAmI(this.#api);
    if (!identity) return;
    this.desk = this.#assemble(this.#api, identity);
    if (settings.appToken) await this.#listen(settings.appToken);
    else await this.#probe(this.#api);
  }

  /** Undefined when the adapter stops first. */
  async #whoAmI(api: SlackApi): Promise<Identity | undefined> {
    const { settings, health } = this.#parts;
    for (let failures = 0; !this.#stopped; failures++) {
      try {
        const identity = await askWhoAmI(api);
        health.proof();
        return identity;
      } catch (error) {
        if (isHopeless(error)) throw error;
        this.#trouble(explain(error), false);
        await this.#pause(backoffMs(failures, settings.times));
      }
    }
    return undefined;
  }

  #assemble(api: SlackApi, identity: Identity): Desk {
    const { settings, events, commandNames } = this.#parts;
    const { times } = settings;
    const directory = new Directory(api, times.lookUpMs);
    const threads = new Threads(api, identity, times.lookUpMs);
    const streams = new Streams({ settings, api, identity });
    const cursor = new SeenCursor(events);
    const responses = new Responses({ events, apiUrl: settings.apiUrl, timeoutMs: times.callMs });
    const closing = this.#stopping.signal;
    const intake = new Intake({
      settings,
      identity,
      api,
      directory,
      threads,
      events,
      cursor,
      responses,
      commandNames,
      closing,
    });
    return {
      streams,
      intake,
      cursor,
      sender: new Sender({ settings, api, identity, streams, threads, responses }),
      typing: new Typing(api, times.typingMs, times.lookUpMs),
    };
  }

  async #listen(appToken: string): Promise<void> {
    const { settings, health } = this.#parts;
    const socket = new Socket(
      {
        appToken,
        apiUrl: settings.apiUrl,
        times: settings.times,
        // Too late for the inbox: it comes again.
        accept: async (delivered) => await (this.accept(delivered) ?? Promise.reject(new Error("stopping"))),
        beforeOpen: (gapMs) => this.#beforeOpen(gapMs),
        onOpen: (connections) => this.#opened(connections),
        onAlive: () => health.proof(),
        onTrouble: (detail, hopeless) => this.#trouble(detail, hopeless),
      },
      this.#stopping.signal,
    );
    await socket.run();
  }

  #opened(connections: number): void {
    if (this.#stopped) return;
    const { health, settings } = this.#parts;
    health.up();
    const notice = connections > 1 ? shared(connections) : undefined;
    health.notice(notice);
    if (notice) settings.log("warn", notice);
    this.#isReady();
  }

  /** Without a socket there is no heartbeat: a call that Slack answers is the proof. */
  async #probe(api: SlackApi): Promise<void> {
    const { health, settings } = this.#parts;
    await this.#beforeOpen(undefined);
    health.up();
    this.#isReady();
    for (;;) {
      await this.#pause(settings.times.probeMs);
      if (this.#stopped) return;
      await askWhoAmI(api).then(
        () => void (this.#stopped || health.up()),
        (error: unknown) => this.#trouble(explain(error), isHopeless(error)),
      );
    }
  }

  #trouble(detail: string, hopeless: boolean): void {
    if (this.#stopped) return;
    this.#parts.health.trouble(hopeless ? "down" : "degraded", detail);
    this.#parts.settings.log(hopeless ? "error" : "warn", detail);
  }

  // --- what was missed --------------------------------------------------------------------------------------------

  /** What was missed comes before what is new, unless it takes too long. */
  async #beforeOpen(gapMs: number | undefined): Promise<void> {
    const { times } = this.#parts.settings;
    if (gapMs !== undefined && gapMs <= times.gapMs) return;
    await Promise.race([this.#lookForMissed(), this.#pause(times.catchUpMs)]);
  }

  /** Slack brings it again a few times, and then no more: what it gives up is fetched. */
  #notTaken(): void {
    if (this.#stopped) return;
    this.#parts.settings.log("warn", "A message from Slack could not be taken in yet: it comes again");
    void this.#lookForMissed();
  }

  /** Resolves after an attempt; others follow by themselves. */
  #lookForMissed(): Promise<void> {
    if (this.#parts.settings.catchUpMaxAgeSeconds === 0) return Promise.resolve();
    // From here on something older may be missing: no cursor may pass it.
    this.desk!.cursor.hold();
    this.#catchingUp ??= this.#catchUp(0);
    return this.#catchingUp;
  }

  /** One attempt; after a failure others follow by themselves, and the cursor stays where it was. Never rejects. */
  async #catchUp(failures: number): Promise<void> {
    const { settings } = this.#parts;
    try {
      await this.#fetchMissed();
      this.#catchingUp = undefined;
    } catch (error) {
      if (this.#stopped) return;
      settings.log("warn", `Could not fetch what was missed: ${explain(error)}`);
      this.#catchingUp = this.#pause(backoffMs(failures, settings.times)).then(() =>
        this.#stopped ? undefined : this.#catchUp(failures + 1),
      );
    }
  }

  async #fetchMissed(): Promise<void> {
    const { settings } = this.#parts;
    const { cursor, intake } = this.desk!;
    const seen = await cursor.stored();
    const accept = (event: SlackEvent) =>
      intake.acceptEvent(event).catch((cause: unknown) => {
        throw new HermesError("unavailable", "the inbox didn't take it", { cause });
      });
    const stopping = this.#stopping.signal;
    if (seen !== undefined) await catchUp({ settings, api: this.#api!, accept, stopping }, seen);
    await cursor.release();
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

async function askWhoAmI(api: SlackApi): Promise<Identity> {
  const me = await api.call<{ team_id?: string; user_id?: string; bot_id?: string }>("auth.test", {});
  return { teamId: me.team_id ?? "", userId: me.user_id ?? "", botId: me.bot_id };
}

function shared(connections: number): string {
  return `${connections} sockets are open for this Slack app, and each hears only a part: stop the other gateway unless it has just been restarted`;
}
