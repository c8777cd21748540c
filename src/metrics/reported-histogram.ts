import type { Metric, Registry } from "prom-client";
import type { Distribution } from "../store/store.js";

/** A histogram with precomputed buckets; prom-client's own only takes single values. */
export class ReportedHistogram {
  readonly type = "histogram";
  readonly aggregator = "sum";
  readonly name: string;
  readonly help: string;
  #reported: Distribution = { bounds: [], counts: [], count: 0, sum: 0 };

  constructor(name: string, help: string, registry: Registry) {
    this.name = name;
    this.help = help;
    // A registry only needs a metric's name and `get`.
    registry.registerMetric(this as unknown as Metric<string>);
  }

  report(distribution: Distribution): void {
    this.#reported = distribution;
  }

  async get() {
    const { name, help, type, aggregator } = this;
    const { bounds, counts, count, sum } = this.#reported;
    let below = 0;
    const buckets = bounds.map((bound, i) => {
      below += counts[i]!;
      return { metricName: `${name}_bucket`, labels: { le: String(bound) }, value: below };
    });
    const values = [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: "+Inf" }, value: count },
      { metricName: `${name}_sum`, labels: {}, value: sum },
      { metricName: `${name}_count`, labels: {}, value: count },
    ];
    return { name, help, type, aggregator, values };
  }

  /** No-op: the counts belong to the source. */
  reset(): void {}
}
