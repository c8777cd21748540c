import type { Context, Hono } from "hono";
import type { NotReady } from "../policies/readiness.js";

export interface HealthOptions {
  /** Why the gateway isn't ready. Empty if it is. */
  problems?: () => Promise<readonly NotReady[]>;
  metrics?: { contentType: string; text(): Promise<string> };
}

/**
 * `/healthz`: the event loop responds. `/readyz`: messages are accepted and processed. Both are public,
 * because supervisors and load balancers have no token. `/metrics` is guarded like all other paths.
 */
export function healthRoutes(app: Hono, { problems, metrics }: HealthOptions): void {
  app.get("/healthz", (c) => c.json({ status: "ok" }));
  if (problems) app.get("/readyz", async (c) => readyz(c, await problems()));
  if (!metrics) return;
  app.get("/metrics", async (c) => {
    const text = await metrics.text();
    return c.body(text, 200, { "Content-Type": metrics.contentType, "Cache-Control": "no-store" });
  });
}

function readyz(c: Context, problems: readonly NotReady[]): Response {
  c.header("Cache-Control", "no-store");
  if (problems.length === 0) return c.json({ status: "ready" });
  return c.json({ status: "not ready", problems }, 503);
}

export const HEALTH_PATHS = ["/healthz", "/readyz"] as const;
