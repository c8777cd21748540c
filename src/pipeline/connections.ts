import { setTimeout as sleep } from "node:timers/promises";
import type { Adapter, AdapterEvents, Health, MenuCommand } from "../adapters/adapter.js";
import { HermesError } from "../errors.js";
import { SerialQueue } from "../serial-queue.js";
import { settlesWithin } from "../timeout.js";
import { Connecting } from "./connect.js";
import type { Context } from "./context.js";
import type { Delivery } from "./deliver.js";

export interface ConnectionStages {
  delivery: Pick<Delivery, "idle" | "wake">;
  menu: readonly MenuCommand[];
  intakeOf(adapter: Adapter): AdapterEvents;
}

export interface ConnectionState extends Health {
  platform: string;
  account: string;
  /** Disconnected by an operator. */
  isOff: boolean;
}

type ConnectionContext = Pick<
  Context,
  "adapters" | "adapterFor" | "events" | "pace" | "store" | "log" | "stopping"
>;

/** How long a start or an operator's request waits for a platform; it keeps connecting in the background. */
const MAX_CONNECT_MS = 15_000;
/** How long running sends may take before their bot is disconnected anyway. */
const MAX_SENDING_MS = 10_000;
/** Adapters have shorter timeouts of their own. */
const MAX_DISCONNECT_MS = 15_000;
const OFF = "disconnected by an operator until it is connected again, or the gateway restarts";

interface Link {
  adapter: Adapter;
  isOff: boolean;
  /** The first attempt is running. */
  isOpening: boolean;
  /** Ends the connection. */
  life: AbortController;
  connecting: Connecting | undefined;
}

/**
 * The connections to the platforms. They open at startup; operators can close and reopen them. While a bot
 * is disconnected, its answers wait in the outbox and incoming messages wait at the platform, as if the
 * gateway were down.
 */
export class Connections {
  readonly #context: ConnectionContext;
  readonly #stages: ConnectionStages;
  readonly #links: readonly Link[];
  /** Serialises changes per bot. */
  readonly #changes = new SerialQueue<Link>();

  constructor(context: ConnectionContext, stages: ConnectionStages) {
    this.#context = context;
    this.#stages = stages;
    this.#links = context.adapters.map((adapter) => ({
      ...{ adapter, isOff: false, isOpening: false },
      ...{ life: new AbortController(), connecting: undefined },
    }));
  }

  /** Slow and failing platforms continue in the background without delaying the others. */
  async start(connected: (adapter: Adapter) => void): Promise<void> {
    const opening = this.#links.map(async (link) => {
      await this.#changes.add(link, () => this.#open(link));
      connected(link.adapter);
    });
    await this.#soon(Promise.all(opening));
  }

  /** Closes all of them. The gateway's abort signal has already ended their connection attempts. */
  async stop(): Promise<void> {
    await Promise.all(this.#links.map((link) => this.#close(link)));
  }

  /** Call when sending has stopped. Messages held for disconnected bots become due at the next start. */
  async end(): Promise<void> {
    for (const link of this.#links) if (link.isOff) await this.#due(link);
  }

  /** Resolves after the first attempt or a timeout. Does nothing unless the bot is disconnected. */
  async connect(platform: string, account: string): Promise<void> {
    const link = this.#linkOf(platform, account);
    await this.#soon(
      this.#changes.add(link, async () => {
        if (!link.isOff || this.#context.stopping.aborted) return;
        link.isOff = false;
        await this.#open(link);
        await this.#release(link);
      }),
    );
  }

  /** Resolves when nothing is sent or received any more. Does nothing if already disconnected. */
  async disconnect(platform: string, account: string): Promise<void> {
    const link = this.#linkOf(platform, account);
    const { adapter } = link;
    const { pace, events, adapterFor, stopping } = this.#context;
    // Doesn't wait for a platform that doesn't answer.
    if (link.isOpening) link.life.abort("disconnected");
    await this.#changes.add(link, async () => {
      if (link.isOff || stopping.aborted) return;
      link.isOff = true;
      pace.hold(adapter);
      const sending = this.#stages.delivery.idle((target) => adapterFor(target) === adapter);
      await settlesWithin(sending, MAX_SENDING_MS);
      link.life.abort("disconnected");
      await this.#close(link);
      await link.connecting?.over();
      events.emit({ type: "platform-disconnected", platform, account });
    });
  }

  states(): ConnectionState[] {
    return this.#links.map(({ adapter, isOff }) => {
      const { platform, account } = adapter;
      const health = adapter.health();
      return isOff
        ? { platform, account, ...health, state: "down", detail: OFF, isOff }
        : { platform, account, ...health, isOff };
    });
  }

  #linkOf(platform: string, account: string): Link {
    const found = this.#links.find(
      ({ adapter }) => adapter.platform === platform && adapter.account === account,
    );
    if (found) return found;
    throw new HermesError("not_found", `There is no bot ${account} on ${platform}.`, {
      hint: "It may have been removed from the configuration.",
    });
  }

  async #open(link: Link): Promise<void> {
    const { adapter } = link;
    const { events, stopping } = this.#context;
    link.life = new AbortController();
    const signal = AbortSignal.any([stopping, link.life.signal]);
    const { menu, intakeOf } = this.#stages;
    link.connecting = new Connecting({ adapter, intake: intakeOf(adapter), menu, events, signal });
    link.isOpening = true;
    await link.connecting.start();
    link.isOpening = false;
  }

  async #close({ adapter }: Link): Promise<void> {
    const { log } = this.#context;
    const { platform, account } = adapter;
    const closed = adapter
      .disconnect()
      .catch((error: unknown) => log.warn({ err: error, platform, account }, "disconnect failed"));
    if (!(await settlesWithin(closed, MAX_DISCONNECT_MS)))
      log.warn({ platform, account }, "platform is slow to disconnect");
  }

  /** Sends what was held back. */
  async #release(link: Link): Promise<void> {
    this.#context.pace.release(link.adapter);
    await this.#due(link);
    this.#stages.delivery.wake();
  }

  /** If this fails, the messages become due a little later anyway. */
  async #due({ adapter: { platform, account } }: Link): Promise<void> {
    const { store, log } = this.#context;
    await store
      .retry({ platform, account })
      .catch((error: unknown) => log.warn({ err: error, platform, account }, "could not wake the outbox"));
  }

  async #soon(work: Promise<unknown>): Promise<void> {
    const enough = new AbortController();
    const signal = AbortSignal.any([this.#context.stopping, enough.signal]);
    const late = sleep(MAX_CONNECT_MS, undefined, { signal }).catch(() => undefined);
    await Promise.race([work, late]).finally(() => enough.abort());
  }
}
