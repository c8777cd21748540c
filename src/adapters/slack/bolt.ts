/** Bolt's App on our own receiver: Slack gets its acknowledgement after the inbox has stored the event. */
import type { App, Receiver } from "@slack/bolt";
import { settlesWithin } from "../../timeout.js";
import type { SlackLog } from "./config.js";
import type { Identity, SlackCommand, SlackEvent, SlackPress } from "./payloads.js";
import { quietLogger } from "./quiet-logger.js";

export interface Delivery {
  body: unknown;
  retryNum?: number | undefined;
  retryReason?: string | undefined;
}

export interface InboxReceiverParts {
  /** Runs the transport until the adapter stops; rejects when only an operator can help. */
  run(): Promise<void>;
  onFailure(error: unknown): void;
  closing: AbortSignal;
  /** How long `stop` waits for deliveries that are being stored. */
  closeMs: number;
  log: SlackLog;
}

export interface Listeners {
  event(event: SlackEvent): Promise<void>;
  command(command: SlackCommand): Promise<void>;
  press(press: SlackPress): Promise<void>;
}

const RATE_LIMITED = "Slack is holding back events: this workspace sends more than 30,000 an hour";

class ListenerError extends Error {}

/**
 * Bolt acknowledges events before it runs the listeners, so its `ack` only records the response. The transport sends
 * that response once `take` resolves.
 */
export class InboxReceiver implements Receiver {
  readonly #parts: InboxReceiverParts;
  readonly #pending = new Set<Promise<unknown>>();
  #app: App | undefined;

  constructor(parts: InboxReceiverParts) {
    this.#parts = parts;
  }

  init(app: App): void {
    this.#app = app;
  }

  async start(): Promise<void> {
    await this.#parts.run();
  }

  async stop(): Promise<void> {
    await settlesWithin(Promise.allSettled(this.#pending), this.#parts.closeMs);
  }

  /** Resolves with the response when the event is stored. Rejects when it isn't: don't acknowledge it then. */
  async take(delivery: Delivery): Promise<unknown> {
    if (this.#parts.closing.aborted) throw new Error("The Slack adapter is stopping");
    const work = this.#dispatch(delivery);
    this.#pending.add(work);
    try {
      return await work;
    } catch (error) {
      this.#parts.onFailure(error);
      throw error;
    } finally {
      this.#pending.delete(work);
    }
  }

  async #dispatch({ body, retryNum, retryReason }: Delivery): Promise<unknown> {
    let response: unknown;
    const ack = async (value?: unknown) => {
      response = value;
    };
    const content = (body ?? {}) as Record<string, unknown>;
    const { log } = this.#parts;
    if (content.type === "app_rate_limited") log("warn", RATE_LIMITED);
    const retry = { ...(retryNum ? { retryNum } : {}), ...(retryReason ? { retryReason } : {}) };
    try {
      await this.#app!.processEvent({ body: content, ack, ...retry });
    } catch (error) {
      if (error instanceof ListenerError) throw error;
      // Bolt itself can't read it, and a redelivery would look the same.
      log("warn", "Skipped a payload from Slack with an unknown shape");
    }
    return response;
  }
}

export async function createApp(
  receiver: InboxReceiver,
  { teamId, userId, botId }: Identity,
  listeners: Listeners,
): Promise<App> {
  const BoltApp = await loadApp();
  const app = new BoltApp({
    receiver,
    // Bolt acknowledges and drops what it can't authorise. It also changes the object, so each event gets its own.
    authorize: async () => ({ teamId, botUserId: userId, ...(botId === undefined ? {} : { botId }) }),
    // `normalise` ignores our own messages, but edits of them by others must come through.
    ignoreSelf: false,
    convoStore: false,
    logger: quietLogger(),
  });
  // Distinguishes a failed listener from a payload that Bolt can't read.
  app.error(async (error) => {
    throw new ListenerError("A listener failed", { cause: error });
  });
  app.event("message", async ({ event }) => await listeners.event(event as SlackEvent));
  app.event("app_mention", async ({ event }) => await listeners.event(event as SlackEvent));
  app.command(/.*/, async ({ command, ack }) => {
    await listeners.command(command);
    await ack();
  });
  app.action(/^q:/, async ({ body, ack }) => {
    await listeners.press(body as SlackPress);
    await ack();
  });
  return app;
}

/** Bolt's index would load express too, for a receiver that we don't use. */
async function loadApp(): Promise<typeof App> {
  const { default: loaded } = await import("@slack/bolt/dist/App.js");
  // Vitest unwraps the default export of CommonJS modules, Node and the bundle don't.
  return "default" in loaded ? loaded.default : loaded;
}
