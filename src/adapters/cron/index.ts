/** Schedules as a platform: due runs come in as messages. Answers to it are kept in their session only. */
import { nowSeconds } from "../../clock.js";
import type { Adapter, AdapterEvents, Health } from "../adapter.js";
import { singlePart } from "../kit/single-part.js";
import { ACCOUNT, type DueRun, messageOf, PLATFORM } from "./normalise.js";

export type { DueRun } from "./normalise.js";

export interface CronOptions {
  /** The runs that are due now; repeated until they are received. */
  due(now: number): Promise<readonly DueRun[]>;
  failed(error: unknown): void;
  everyMs?: number;
}

const EVERY_MS = 1000;

export function cronAdapter({ due, failed, everyMs = EVERY_MS }: CronOptions): Adapter {
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> = Promise.resolve();
  let lastCheckAt: number | null = null;
  let problem: string | undefined;

  async function check(events: AdapterEvents): Promise<void> {
    try {
      for (const run of await due(nowSeconds())) await events.receive(messageOf(run));
      lastCheckAt = nowSeconds();
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
        checking = check(events);
        await checking;
        if (!signal.aborted) timer = setTimeout(() => void next(), everyMs);
      };
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
      if (!signal.aborted) void next();
    },

    async disconnect(): Promise<void> {
      clearTimeout(timer);
      await checking;
      clearTimeout(timer);
    },

    health(): Health {
      if (problem === undefined) return { state: lastCheckAt ? "ok" : "down", lastProofAt: lastCheckAt };
      return { state: "degraded", lastProofAt: lastCheckAt, detail: problem };
    },

    /** There is no chat to send to: the session has the answer. */
    ...singlePart(async ({ id }) => `${PLATFORM}:${id}`),
  };
}
