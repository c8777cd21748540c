import { setTimeout as sleep } from "node:timers/promises";
import type { Adapter, AdapterEvents, Health, MenuCommand } from "../adapters/adapter.js";
import { HermesError } from "../errors.js";
import { SerialQueue } from "../serial-queue.js";
import { settlesWithin } from "../timeout.js";
import { Connecting } from "./connect.js";
import type { Context } from "./context.js";
import type { Delivery } from "./deliver.js";

export interface AdapterRunnerStages {
  delivery: Pick<Delivery, "idle" | "wake">;
  menu: readonly MenuCommand[];
  intakeOf(adapter: Adapter): AdapterEvents;
}

export interface AdapterState extends Health {
  platform: string;
  account: string;
  /** Disconnected by an operator. */
  isOff: boolean;
}

type AdapterRunnerContext = Pick<
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

interface Slot {
  adapter: Adapter;
  isOff: boolean;
  /** The first attempt is running. */
  isOpening: boolean;
  /** Ends the uplink, or the attempts to open it. */
  life: AbortController;
  connecting: Connecting | undefined;
}

/**
 * Connects the adapters to their platforms at startup; operators can disconnect and reconnect them. While a bot
 * is disconnected, its answers wait in the outbox and incoming messages wait at the platform, as if the
 * gateway were down.
 */
export class AdapterRunner {
  readonly #context: AdapterRunnerContext;
  readonly #stages: AdapterRunnerStages;
  readonly #slots: readonly Slot[];
  /** Serialises changes per adapter. */
  readonly #changes = new SerialQueue<Slot>();

  constructor(context: AdapterRunnerContext, stages: AdapterRunnerStages) {
    this.#context = context;
    this.#stages = stages;
    this.#slots = context.adapters.map((adapter) => ({
      ...{ adapter, isOff: false, isOpening: false },
      ...{ life: new AbortController(), connecting: undefined },
    }));
  }

  /** Slow and failing platforms continue in the background without delaying the others. */
  async start(connected: (adapter: Adapter) => void): Promise<void> {
    const opening = this.#slots.map(async (slot) => {
      await this.#changes.add(slot, () => this.#open(slot));
      connected(slot.adapter);
    });
    await this.#soon(Promise.all(opening));
  }

  /** Disconnects all of them. The gateway's abort signal has already ended their attempts to connect. */
  async stop(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => this.#close(slot)));
  }

  /** Call when sending has stopped. Messages held for disconnected bots become due at the next start. */
  async end(): Promise<void> {
    for (const slot of this.#slots) if (slot.isOff) await this.#due(slot);
  }

  /** Resolves after the first attempt or a timeout. Does nothing unless the bot is disconnected. */
  async connect(platform: string, account: string): Promise<void> {
    const slot = this.#slotOf(platform, account);
    await this.#soon(
      this.#changes.add(slot, async () => {
        if (!slot.isOff || this.#context.stopping.aborted) return;
        slot.isOff = false;
        await this.#open(slot);
        await this.#release(slot);
      }),
    );
  }

  /** Resolves when nothing is sent or received any more. Does nothing if already disconnected. */
  async disconnect(platform: string, account: string): Promise<void> {
    const slot = this.#slotOf(platform, account);
    const { adapter } = slot;
    const { pace, events, adapterFor, stopping } = this.#context;
    // Doesn't wait for a platform that doesn't answer.
    if (slot.isOpening) slot.life.abort("disconnected");
    await this.#changes.add(slot, async () => {
      if (slot.isOff || stopping.aborted) return;
      slot.isOff = true;
      pace.hold(adapter);
      const sending = this.#stages.delivery.idle((target) => adapterFor(target) === adapter);
      await settlesWithin(sending, MAX_SENDING_MS);
      slot.life.abort("disconnected");
      await this.#close(slot);
      await slot.connecting?.over();
      events.emit({ type: "platform-disconnected", platform, account });
    });
  }

  states(): AdapterState[] {
    return this.#slots.map(({ adapter, isOff }) => {
      const { platform, account } = adapter;
      const health = adapter.health();
      return isOff
        ? { platform, account, ...health, state: "down", detail: OFF, isOff }
        : { platform, account, ...health, isOff };
    });
  }

  #slotOf(platform: string, account: string): Slot {
    const found = this.#slots.find(
      ({ adapter }) => adapter.platform === platform && adapter.account === account,
    );
    if (found) return found;
    throw new HermesError("not_found", `There is no bot ${account} on ${platform}.`, {
      hint: "It may have been removed from the configuration.",
    });
  }

  async #open(slot: Slot): Promise<void> {
    const { adapter } = slot;
    const { events, stopping } = this.#context;
    slot.life = new AbortController();
    const signal = AbortSignal.any([stopping, slot.life.signal]);
    const { menu, intakeOf } = this.#stages;
    slot.connecting = new Connecting({ adapter, intake: intakeOf(adapter), menu, events, signal });
    slot.isOpening = true;
    await slot.connecting.start();
    slot.isOpening = false;
  }

  async #close({ adapter }: Slot): Promise<void> {
    const { log } = this.#context;
    const { platform, account } = adapter;
    const closed = adapter
      .disconnect()
      .catch((error: unknown) => log.warn({ err: error, platform, account }, "disconnect failed"));
    if (!(await settlesWithin(closed, MAX_DISCONNECT_MS)))
      log.warn({ platform, account }, "platform is slow to disconnect");
  }

  /** Sends what was held back. */
  async #release(slot: Slot): Promise<void> {
    this.#context.pace.release(slot.adapter);
    await this.#due(slot);
    this.#stages.delivery.wake();
  }

  /** If this fails, the messages become due a little later anyway. */
  async #due({ adapter: { platform, account } }: Slot): Promise<void> {
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
