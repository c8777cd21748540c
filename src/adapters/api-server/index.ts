/** Any OpenAI client becomes a chat: its requests in, the answers as they are written out, one turn a request. */
import type { Hono } from "hono";
import { nowSeconds } from "../../clock.js";
import { Guesses } from "../../guesses.js";
import type { EventOutcome, OutboundMessage, Receipt, Target } from "../../message.js";
import { RateLimit } from "../../rate-limit.js";
import type { Adapter, AdapterEvents, CanPreview, Health } from "../adapter.js";
import type { ExchangeParts } from "./exchange.js";
import { ACCOUNT, PLATFORM } from "./ids.js";
import { type ApiParts, apiRoutes } from "./routes.js";
import { isEnd, Waiting } from "./waiting.js";

export { ACCOUNT, PLATFORM } from "./ids.js";

export interface ApiServerOptions
  extends Pick<ExchangeParts, "findSession" | "sessionOf" | "keepImage" | "sessionHeaders"> {
  /** Secrets by name. Without one nobody is let in. */
  keys: Readonly<Record<string, string>>;
  /** The model that answers. */
  model: string;
  /** Others that may be asked for. */
  otherModels: readonly string[];
  timeoutMs: number;
  /** Requests a minute by one key; 0: any number. */
  ratePerMinute: number;
  outcome(eventId: string): Promise<EventOutcome | undefined>;
  clientAddress: ApiParts["clientAddress"];
  log(error: unknown, path: string): void;
}

export interface ApiServerAdapter extends Adapter, CanPreview {
  routes(app: Hono): void;
}

/** How clients may call whoever answers. */
const ALIAS = "hermes";
const MOST_WAITING = 1000;
const LOOK_EVERY_MS = 15_000;

export function apiServerAdapter(options: ApiServerOptions): ApiServerAdapter {
  const { model, otherModels, ratePerMinute } = options;
  const waiting = new Waiting(MOST_WAITING);
  let events: AdapterEvents | undefined;
  const disconnect = () => {
    events = undefined;
  };

  return {
    platform: PLATFORM,
    account: ACCOUNT,
    limits: { length: 1_000_000, unit: "utf16" },

    async connect(given: AdapterEvents, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      events = given;
      signal.addEventListener("abort", disconnect, { once: true });
    },

    /** Intake ends; who waits may still get an answer while the rest of the gateway comes to its end. */
    disconnect: async () => disconnect(),

    /** Served by this very process: being asked is the proof. */
    health(): Health {
      if (events) return { state: "ok", lastProofAt: nowSeconds() };
      return { state: "down", lastProofAt: null, detail: "The API server is not connected" };
    },

    /** Never fails: whoever isn't on the line any more asks again with the same Idempotency-Key, or reads the history. */
    async send(message: OutboundMessage): Promise<Receipt> {
      const { replyTo } = message.target;
      if (replyTo !== null && isEnd(message)) waiting.ended(replyTo, message);
      return { messageIds: [`out:${message.id}`] };
    },

    preview({ replyTo }: Target, _turnId: string, text: string): void {
      if (replyTo !== null) waiting.wrote(replyTo, text);
    },

    routes(app: Hono): void {
      const parts = {
        ...options,
        waiting,
        guesses: new Guesses(),
        rate: ratePerMinute > 0 ? new RateLimit(ratePerMinute) : undefined,
        models: [...new Set([ALIAS, model, ...otherModels])].filter((name) => name !== ""),
        modelFor: (asked: string) => (otherModels.includes(asked) ? asked : undefined),
        receive: () =>
          events && ((message: Parameters<AdapterEvents["receive"]>[0]) => events!.receive(message)),
        lookEveryMs: LOOK_EVERY_MS,
        startedAt: Math.floor(nowSeconds()),
      };
      app.route("/v1", apiRoutes(parts));
    },
  };
}
