import type { Context, MiddlewareHandler } from "hono";
import { knownBrowser } from "../../adapters/web/browser.js";
import { HermesError } from "../../errors.js";
import type { Person } from "../../message.js";
import { formatPerson } from "../../people/person.js";
import { WEB } from "../../policies/web-person.js";
import { recordAction } from "../../store/operator-actions.js";
import { remoteAddress } from "../request.js";
import { type Visitor, visitorBy } from "../web/visitor.js";
import type { DashboardOptions } from "./options.js";

export type Note = (c: Context, action: string, fields: object) => Promise<void>;

type Recording = Pick<DashboardOptions, "log" | "store">;

const NOTED = "operator-noted";

/** Records an operator's change or download in the audit and in the log. */
export function operatorLog(options: Recording): Note {
  return (c, action, fields) => record(options, c, { action, fields, outcome: "done" });
}

/** Also records changes that were refused or failed, or that their handler didn't record. */
export function recordChanges(options: Recording): MiddlewareHandler {
  return async (c, next) => {
    await next();
    if (c.req.method === "GET" || c.req.method === "HEAD" || c.get(NOTED)) return;
    const action = c.req.path.slice(c.req.path.indexOf("/dashboard/") + "/dashboard/".length);
    const failure = c.error instanceof HermesError ? c.error.code : `failed (${c.res.status})`;
    const outcome = c.res.ok ? "done" : failure;
    await record(options, c, { action: action.slice(0, 200), fields: {}, outcome });
  };
}

/** Skips the record of a POST that changes nothing, such as a preview. */
export function skipRecord(c: Context): void {
  c.set(NOTED, true);
}

async function record(
  { log, store }: Recording,
  c: Context,
  entry: { action: string; fields: object; outcome: string },
): Promise<void> {
  c.set(NOTED, true);
  const { action, fields, outcome } = entry;
  const from = remoteAddress(c);
  log.info({ action, ...fields, from, ...(outcome === "done" ? {} : { outcome }) }, "operator");
  await recordAction(store, { ...entry, from, who: await whoOf(c, store) });
}

/** The person who is signed in to the web chat in this browser, or `owner` for the token. */
async function whoOf(c: Context, store: Recording["store"]): Promise<string> {
  const visitor = await signedInAs(c, store);
  return visitor ? formatPerson({ platform: WEB, userId: visitor.id }) : "owner";
}

async function signedInAs(c: Context, store: Recording["store"]): Promise<Visitor | undefined> {
  const browser = knownBrowser(c);
  const visitor = browser === undefined ? undefined : await visitorBy(browser, store);
  return visitor?.signedIn ? visitor : undefined;
}

/** Who answers a question from the dashboard. The chat shows the name. */
export async function deciderOf(
  c: Context,
  store: Recording["store"],
): Promise<Person & { userName: string }> {
  const visitor = await signedInAs(c, store);
  if (!visitor) return DECIDER;
  return { platform: WEB, userId: visitor.id, userName: visitor.name ?? OPERATOR_NAME };
}

const OPERATOR_NAME = "Operator";
/** Someone with the token who isn't signed in as a person. */
const DECIDER = { platform: "dashboard", userId: "owner", userName: OPERATOR_NAME };

/** The name of the decider without a person; null for people. */
export function deciderName(decider: Person): string | null {
  return formatPerson(decider) === formatPerson(DECIDER) ? OPERATOR_NAME : null;
}

export function gone(message: string): HermesError {
  return new HermesError("not_found", message, { hint: "It may have been handled already." });
}
