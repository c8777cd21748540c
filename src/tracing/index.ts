import {
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";
import type { Events, EventUsage, GatewayEvent } from "../events.js";
import type { TraceId } from "../trace-id.js";
import { type FinishedSpan, rootId, spanOf } from "./spans.js";

/** Exports spans to a collector (OTLP over HTTP) in the background; drops them if it is unreachable. */
export interface TracingOptions {
  /** The collector's traces URL. */
  url: string;
  version: string;
  bootId: string;
  /** Called when exporting starts to fail or recovers. */
  onExport(ok: boolean, reason: string | undefined): void;
}

export interface Tracing {
  /** Flushes briefly. */
  close(): Promise<void>;
}

const CLOSE_MS = 2000;
/** Turns whose usage is summed at once. */
const MAX_TURNS = 1000;

export function startTracing(events: Events, options: TracingOptions): Tracing {
  const ids = new ChosenIds();
  const exporter = watchedExporter(new OTLPTraceExporter({ url: options.url }), options);
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({
      "service.name": process.env.OTEL_SERVICE_NAME || "hermes-gateway",
      "service.version": options.version,
      "service.instance.id": options.bootId,
    }).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer("hermes-gateway", options.version);
  const stop = events.watch("tracing", recorder(tracer, ids));
  return {
    close: async () => {
      stop();
      // The exporter reports its failures itself.
      await Promise.race([provider.shutdown().catch(() => undefined), after(CLOSE_MS)]);
    },
  };
}

function recorder(tracer: Tracer, ids: ChosenIds): (event: GatewayEvent) => void {
  const usages = new Map<string, EventUsage[]>();
  return (event) => {
    if (event.type === "turn-usage") remember(usages, event.turnId, event.usage);
    const turnId = event.type === "turn-ended" ? event.turnId : "";
    const span = spanOf(event, usages.get(turnId) ?? []);
    usages.delete(turnId);
    if (span) record(tracer, ids, span);
  };
}

function remember(usages: Map<string, EventUsage[]>, turnId: string, usage: EventUsage): void {
  const known = usages.get(turnId);
  if (known) known.push(usage);
  else usages.set(turnId, [usage]);
  if (usages.size > MAX_TURNS) usages.delete(usages.keys().next().value!);
}

const KINDS = {
  consumer: SpanKind.CONSUMER,
  producer: SpanKind.PRODUCER,
  internal: SpanKind.INTERNAL,
} as const;

function record(tracer: Tracer, ids: ChosenIds, finished: FinishedSpan): void {
  const { name, traceId, spanId, parentId, kind, startedAt, endedAt, attributes, error, links } = finished;
  ids.next = { traceId, spanId };
  const span = tracer.startSpan(
    name,
    {
      kind: KINDS[kind],
      startTime: startedAt * 1000,
      attributes,
      links: links.map((other) => ({ context: spanContext(other, rootId(other)) })),
    },
    parentId === undefined ? ROOT_CONTEXT : childOf(traceId, parentId),
  );
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
  span.end(endedAt * 1000);
}

function childOf(traceId: TraceId, parentId: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, spanContext(traceId, parentId));
}

function spanContext(traceId: TraceId, spanId: string) {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

/** Ids for the next span, if they aren't random. */
class ChosenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  next: { traceId: TraceId; spanId: string | undefined } | undefined;

  generateTraceId = () => this.next?.traceId ?? this.#random.generateTraceId();
  generateSpanId = () => this.next?.spanId ?? this.#random.generateSpanId();
}

const SUCCESS = 0;

function watchedExporter(exporter: SpanExporter, { onExport }: TracingOptions): SpanExporter {
  let worked: boolean | undefined;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const ok = result.code === SUCCESS;
        // Once per change, not per batch.
        if (ok !== (worked ?? true)) onExport(ok, result.error?.message);
        worked = ok;
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
