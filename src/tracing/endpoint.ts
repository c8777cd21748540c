import { withoutTrailing } from "../trailing.js";

/** OpenTelemetry's standard variables; setting an endpoint enables tracing. */
export function tracesUrl(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.OTEL_SDK_DISABLED === "true") return undefined;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return (
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || (base ? `${withoutTrailing(base, "/")}/v1/traces` : undefined)
  );
}
