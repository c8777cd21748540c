/** What an operator can change. Browsers prove where they come from before it gets here (`checkOrigin`). */
import type { Hono } from "hono";
import { z } from "zod";
import { HermesError } from "../../errors.js";
import { gone, operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import { bodyOf } from "./params.js";
import { sessionActionRoutes } from "./session-actions.js";

export function actionRoutes(api: Hono, options: DashboardOptions): void {
  const { store, gateway } = options;
  const note = operatorLog(options);
  sessionActionRoutes(api, options);

  api.post("/dead/retry", async (c) => {
    const { id, all } = await bodyOf(c, {
      id: z
        .string()
        .regex(/^(in|out):\d+$/, "like in:12 or out:34")
        .optional(),
      all: z.literal(true).optional(),
    });
    if (id === undefined && !all) throw new HermesError("invalid", "id: which one, or all: true");
    const retried = await gateway.retryDead(id);
    if (retried === 0 && id !== undefined) throw gone(`No dead message has the id ${id} (any more).`);
    note(c, "retry", { id: id ?? "all", retried });
    return c.json({ retried });
  });

  api.post("/pairing/approve", async (c) => {
    const { id } = await bodyOf(c, { id: z.string().min(1).max(100) });
    if (!(await store.settlePairing({ id, approved: true })))
      throw gone("That request is not there any more.");
    note(c, "approve", { id });
    return c.json({ approved: id });
  });

  api.post("/pairing/deny", async (c) => {
    const { id } = await bodyOf(c, { id: z.string().min(1).max(100) });
    if (!(await store.settlePairing({ id, approved: false })))
      throw gone("That request is not there any more.");
    note(c, "deny", { id });
    return c.json({ denied: id });
  });

  api.post("/pairing/revoke", async (c) => {
    const person = await bodyOf(c, {
      platform: z.string().min(1).max(100),
      userId: z.string().min(1).max(200),
    });
    if (!(await store.revokePairing(person.platform, person.userId)))
      throw gone(`${person.userId} is not paired on ${person.platform}.`);
    note(c, "revoke", person);
    return c.json({ revoked: person });
  });
}
