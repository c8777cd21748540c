import { randomUUID } from "node:crypto";
import type { Position } from "./common.js";
import type { Records } from "./queues.js";
import { OPERATOR } from "./queues.js";

/** Audit records of operator actions, kept as long as tool calls. */

export interface OperatorAction {
  id: string;
  /** `owner`, or `web:<id>` if the browser is also signed in as a person. */
  who: string;
  /** The request's remote address. */
  from: string;
  action: string;
  /** Details, as JSON. */
  fields: string;
  /** `done`, or why it was refused. */
  outcome: string;
  at: number;
}

export interface OperatorActionQuery {
  action?: string | undefined;
  before?: Position | undefined;
  limit?: number | undefined;
}

export interface OperatorActionPage {
  actions: OperatorAction[];
  next: Position | null;
}

const MAX_FIELDS = 20;
const MAX_FIELD_CHARS = 1000;
const MAX_OUTCOME = 500;
const LIMIT = 50;
const MAX_LIMIT = 200;

export async function recordAction(
  store: Pick<Records, "saveRecord">,
  { who, from, action, fields, outcome }: Omit<OperatorAction, "id" | "at" | "fields"> & { fields: object },
): Promise<void> {
  const value = { from, fields: JSON.stringify(shortened(fields)), outcome: outcome.slice(0, MAX_OUTCOME) };
  await store.saveRecord({ platform: OPERATOR, kind: action, owner: who, id: randomUUID(), value });
}

/** Long values are cut to the beginning of their JSON. */
function shortened(fields: object): object {
  const kept = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .slice(0, MAX_FIELDS);
  return Object.fromEntries(
    kept.map(([name, value]) => {
      const json = JSON.stringify(value) ?? "null";
      return [name, json.length <= MAX_FIELD_CHARS ? value : `${json.slice(0, MAX_FIELD_CHARS)}…`];
    }),
  );
}

/** Newest first. */
export async function operatorActions(
  store: Pick<Records, "listRecords">,
  { action, before, limit = LIMIT }: OperatorActionQuery = {},
): Promise<OperatorActionPage> {
  const most = Math.min(limit, MAX_LIMIT);
  const newest = { limit: most + 1, before };
  const kind = action === undefined ? {} : { kind: action };
  const rows = await store.listRecords({ platform: OPERATOR, ...kind, newest });
  const shown = rows.slice(0, most);
  return {
    actions: shown.map(({ id, kind: name, owner, value, createdAt }) => ({
      ...{ id, who: owner, action: name, at: createdAt },
      ...(value as Pick<OperatorAction, "from" | "fields" | "outcome">),
    })),
    next: rows.length > most ? shown.at(-1)!.position : null,
  };
}
