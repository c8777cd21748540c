/** OpenAI clients as chats: each request is a message, and its turn's answer the response, streamed on request. */
import type { Hono } from "hono";
import { nowSeconds } from "../../clock.js";
import { LoginThrottle } from "../../login-throttle.js";
import type { EventOutcome, Target } from "../../message.js";
import { RateLimit } from "../../rate-limit.js";
import type { Adapter, AdapterEvents, CanPreview, Health } from "../adapter.js";
import { singlePart } from "../kit/single-part.js";
import type { ExchangeParts } from "./exchange.js";
import { ACCOUNT, PLATFORM } from "./ids.js";
import { isEnd, PendingRequests } from "./pending.js";
import { type ApiParts, apiRoutes } from "./routes.js";

export interface ApiServerOptions
  extends Pick<ExchangeParts, "findSession" | "sessionOf" | "keepImage" | "sessionHeaders"> {
  /** Secrets by name. Without any, all requests are rejected. */
  keys: Readonly<Record<string, string>>;
  /** The model that answers. */
  model: string;
  /** Other models that clients may request. */
  otherModels: readonly string[];
  timeoutMs: number;
  /** Requests per minute and key; 0 means unlimited. */
  ratePerMinute: number;
  outcome(eventId: string): Promise<EventOutcome | undefined>;
  clientAddress: ApiParts["clientAddress"];
  log(error: unknown, path: string): void;
}

export interface ApiServerAdapter extends Adapter, CanPreview {
  routes(app: Hono): void;
}

/** A model name that always works. */
const ALIAS = "hermes";
const MAX_PENDING = 1000;
const CHECK_EVERY_MS = 15_000;

export function apiServerAdapter(options: ApiServerOptions): ApiServerAdapter {
  const { model, otherModels, ratePerMinute } = options;
  const pending = new PendingRequests(MAX_PENDING);
  let events: AdapterEvents | undefined;
  const disconnect = () => {
    events = undefined;
  };

  return {
    platform: PLATFORM,
    account: ACCOUNT,
    limits: { length: 1_000_000, unit: "utf16" },
    pullsReplies: true,

    async connect(given: AdapterEvents, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      events = given;
      signal.addEventListener("abort", disconnect, { once: true });
    },

    /** Takes no more requests; pending ones may still be answered during the shutdown. */
    disconnect: async () => disconnect(),

    /** Served by this process: it runs. */
    health(): Health {
      if (events) return { state: "ok", lastProofAt: nowSeconds() };
      return { state: "down", lastProofAt: null, detail: "The API server is not connected" };
    },

    /** Never fails: a client that has left retries with the same Idempotency-Key, or reads the history. */
    ...singlePart(async (message) => {
      const { replyTo } = message.target;
      if (replyTo !== null && isEnd(message)) pending.ended(replyTo, message);
      return `out:${message.id}`;
    }),

    preview({ replyTo }: Target, _turnId: string, text: string): void {
      if (replyTo !== null) pending.wrote(replyTo, text);
    },

    routes(app: Hono): void {
      const parts = {
        ...options,
        pending,
        throttle: new LoginThrottle(),
        rate: ratePerMinute > 0 ? new RateLimit(ratePerMinute) : undefined,
        models: [...new Set([ALIAS, model, ...otherModels])].filter((name) => name !== ""),
        modelFor: (wanted: string) => (otherModels.includes(wanted) ? wanted : undefined),
        receive: () =>
          events && ((message: Parameters<AdapterEvents["receive"]>[0]) => events!.receive(message)),
        checkEveryMs: CHECK_EVERY_MS,
        startedAt: Math.floor(nowSeconds()),
      };
      app.route("/v1", apiRoutes(parts));
    },
  };
}
