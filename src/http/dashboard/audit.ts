/** The audit: tool calls and operator actions. */
import type { Hono } from "hono";
import { z } from "zod";
import { operatorActions } from "../../store/operator-actions.js";
import { fromCursor, limit, paramsOf, text, toCursor, withoutUndefined } from "../params.js";
import type { ActionsAnswer, AuditAnswer } from "./audit-types.js";
import type { DashboardOptions } from "./options.js";

const CALL_STATES = ["waiting", "running", "done", "failed", "denied", "unknown", "stopped"] as const;

export function auditRoutes(api: Hono, { reports, store }: DashboardOptions): void {
  api.get("/audit", async (c) => {
    const query = paramsOf(c, {
      tool: text(100),
      platform: text(100),
      user: text(200),
      state: z.enum(CALL_STATES).optional(),
      before: text(400),
      limit,
    });
    const { user: userId, before, ...rest } = query;
    const filter = withoutUndefined({ ...rest, userId, before: fromCursor(before) });
    const { calls, next } = await reports.toolCalls(filter);
    return c.json({ calls, next: toCursor(next) } satisfies AuditAnswer);
  });

  api.get("/audit/actions", async (c) => {
    const query = paramsOf(c, { action: text(200), before: text(400), limit });
    const { actions, next } = await operatorActions(store, { ...query, before: fromCursor(query.before) });
    return c.json({ actions, next: toCursor(next) } satisfies ActionsAnswer);
  });
}
