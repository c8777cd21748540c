/** The operator's actions on dead letters and pairings. `checkOrigin` has already checked the origin. */
import type { Hono } from "hono";
import { z } from "zod";
import { HermesError } from "../../errors.js";
import { bodyOf } from "../params.js";
import { gone, operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import { sessionActionRoutes } from "./session-actions.js";

const letter = z.string().regex(/^(in|out):\d{1,15}$/, "must look like in:12 or out:34");
const letters = z.array(letter).min(1).max(200);

export function actionRoutes(api: Hono, options: DashboardOptions): void {
  const { store, gateway } = options;
  const note = operatorLog(options);
  sessionActionRoutes(api, options);

  api.post("/dead/retry", async (c) => {
    const { id, ids, all } = await bodyOf(c, {
      ...{ id: letter.optional(), ids: letters.optional(), all: z.literal(true).optional() },
    });
    const selected = ids ?? (id === undefined ? undefined : [id]);
    if (selected === undefined && !all) throw new HermesError("invalid", "Set ids, or all: true");
    const retried = await gateway.retryDead(selected);
    if (retried === 0 && selected)
      throw gone(`No dead message has the id ${selected.join(", ")} (any more).`);
    await note(c, "retry", { ids: selected ?? "all", retried });
    return c.json({ retried });
  });

  api.post("/dead/discard", async (c) => {
    const { ids } = await bodyOf(c, { ids: letters });
    const { cancelled: discarded } = await store.cancelMessages({ dead: ids });
    if (discarded === 0) throw gone(`No dead message has the id ${ids.join(", ")} (any more).`);
    await note(c, "discard", { ids, discarded });
    return c.json({ discarded });
  });

  api.post("/pairing/approve", async (c) => {
    const { id } = await bodyOf(c, { id: z.string().min(1).max(100) });
    if (!(await store.settlePairing({ id, approved: true })))
      throw gone("That request doesn't exist any more.");
    await note(c, "approve", { id });
    return c.json({ approved: id });
  });

  api.post("/pairing/deny", async (c) => {
    const { id } = await bodyOf(c, { id: z.string().min(1).max(100) });
    if (!(await store.settlePairing({ id, approved: false })))
      throw gone("That request doesn't exist any more.");
    await note(c, "deny", { id });
    return c.json({ denied: id });
  });

  api.post("/pairing/revoke", async (c) => {
    const person = await bodyOf(c, {
      platform: z.string().min(1).max(100),
      userId: z.string().min(1).max(200),
    });
    if (!(await store.settlePairing({ platform: person.platform, revoked: person.userId })))
      throw gone(`${person.userId} is not paired on ${person.platform}.`);
    await note(c, "revoke", person);
    return c.json({ revoked: person });
  });
}
