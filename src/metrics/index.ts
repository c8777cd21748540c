import { collectDefaultMetrics, Registry } from "prom-client";
import type { Events } from "../events.js";
import { type Catalogue, createCatalogue } from "./catalogue.js";
import { eventCounter } from "./count-events.js";
import { type MetricsSource, StateGauges } from "./state-gauges.js";

export type { MetricsSource } from "./state-gauges.js";

/** Counters fed by events, and gauges read at scrape time. */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #registry = new Registry();
  readonly #catalogue: Catalogue;

  constructor(events: Events, build: { version: string; node: string }) {
    collectDefaultMetrics({ register: this.#registry });
    this.#catalogue = createCatalogue(this.#registry);
    this.#catalogue.build.set(build, 1);
    events.watch("metrics", eventCounter(this.#catalogue));
  }

  hookCalled(hook: string, outcome: "ok" | "failed" | "timeout" | "dropped"): void {
    this.#catalogue.hooks.inc({ hook, outcome });
  }

  #gauges: StateGauges | undefined;

  /** Source of the scrape-time gauges; they are missing until it is set. */
  readFrom(source: MetricsSource): void {
    this.#gauges = new StateGauges(this.#catalogue, this.#registry, source);
  }

  async text(): Promise<string> {
    await this.#gauges?.refresh();
    return this.#registry.metrics();
  }
}
