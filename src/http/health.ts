import type { Hono } from "hono";

/** Alive: the event loop answers. Whether messages are processed is another question. */
export function healthRoutes(app: Hono): void {
  app.get("/healthz", (c) => c.json({ status: "ok" }));
}

export const HEALTH_PATHS = ["/healthz"] as const;
