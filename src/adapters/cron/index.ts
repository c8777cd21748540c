/** Time as a platform: what is due comes in as messages. What goes out to it is kept in its session and nowhere else. */
import { nowSeconds } from "../../clock.js";
import type { OutboundMessage, Receipt } from "../../message.js";
import type { Adapter, AdapterEvents, Health } from "../adapter.js";
import { ACCOUNT, type DueRun, messageOf, PLATFORM } from "./normalise.js";

export type { DueRun } from "./normalise.js";

export interface CronOptions {
  /** What is due now. It is asked for again until it was received. */
  due(now: number): Promise<readonly DueRun[]>;
  failed(error: unknown): void;
  everyMs?: number;
}

const EVERY_MS = 1000;

export function cronAdapter({ due, failed, everyMs = EVERY_MS }: CronOptions): Adapter {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let lastLookAt: number | null = null;
  let problem: string | undefined;

  async function look(events: AdapterEvents): Promise<void> {
    try {
      for (const run of await due(nowSeconds())) await events.receive(messageOf(run));
      lastLookAt = nowSeconds();
      problem = undefined;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      failed(error);
    }
  }

  return {
    platform: PLATFORM,
    account: ACCOUNT,
    limits: { length: 1_000_000, unit: "utf16" },

    async connect(events: AdapterEvents, signal: AbortSignal): Promise<void> {
      const next = async () => {
        looking = look(events);
        await looking;
        if (!signal.aborted) timer = setTimeout(() => void next(), everyMs);
      };
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
      if (!signal.aborted) void next();
    },

    async disconnect(): Promise<void> {
      clearTimeout(timer);
      await looking;
      clearTimeout(timer);
    },

    health(): Health {
      if (problem === undefined) return { state: lastLookAt ? "ok" : "down", lastProofAt: lastLookAt };
      return { state: "degraded", lastProofAt: lastLookAt, detail: problem };
    },

    /** Nobody reads along: the session has the answer. */
    async send({ id }: OutboundMessage): Promise<Receipt> {
      return { messageIds: [`${PLATFORM}:${id}`] };
    },
  };
}
