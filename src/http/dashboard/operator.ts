import type { Context, MiddlewareHandler } from "hono";
import { knownBrowser } from "../../adapters/web/browser.js";
import { HermesError } from "../../errors.js";
import type { Person } from "../../message.js";
import { formatPerson } from "../../people/person.js";
import { recordAction } from "../../store/operator-actions.js";
import { WEB } from "../../web-person.js";
import { remoteAddress } from "../request.js";
import { type Visitor, visitorBy } from "../web/visitor.js";
import type { DashboardOptions } from "./options.js";

export type Note = (c: Context, action: string, fields: object) => Promise<void>;

type Recording = Pick<DashboardOptions, "log" | "store">;

const NOTED = "operator-noted";

/** Every change of an operator, and every look that takes data along, is a row of the audit and a line of the log. */
export function operatorLog(options: Recording): Note {
  return (c, action, fields) => record(options, c, { action, fields, outcome: "done" });
}

/** Changes that were refused or failed are rows of the audit, too, and so is what its handler didn't note. */
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

/** A POST that changed nothing, such as a preview, leaves no row. */
export function onlyLooked(c: Context): void {
  c.set(NOTED, true);
}

async function record(
  { log, store }: Recording,
  c: Context,
  what: { action: string; fields: object; outcome: string },
): Promise<void> {
  c.set(NOTED, true);
  const { action, fields, outcome } = what;
  const from = remoteAddress(c);
  log.info({ action, ...fields, from, ...(outcome === "done" ? {} : { outcome }) }, "operator");
  await recordAction(store, { ...what, from, who: await whoOf(c, store) });
}

/** The token says that it is the owner; a browser that is signed in to the web chat says which person. */
async function whoOf(c: Context, store: Recording["store"]): Promise<string> {
  const visitor = await signedInAs(c, store);
  return visitor ? formatPerson({ platform: WEB, userId: visitor.id }) : "owner";
}

async function signedInAs(c: Context, store: Recording["store"]): Promise<Visitor | undefined> {
  const browser = knownBrowser(c);
  const visitor = browser === undefined ? undefined : await visitorBy(browser, store);
  return visitor?.signedIn ? visitor : undefined;
}

/** Who decides for the operator: the chat shows the name. */
export async function deciderOf(
  c: Context,
  store: Recording["store"],
): Promise<Person & { userName: string }> {
  const visitor = await signedInAs(c, store);
  if (!visitor) return DECIDER;
  return { platform: WEB, userId: visitor.id, userName: visitor.name ?? OPERATOR_NAME };
}

const OPERATOR_NAME = "Operator";
/** Has the token, and isn't signed in as a person. */
const DECIDER = { platform: "dashboard", userId: "owner", userName: OPERATOR_NAME };

/** The name of a decider who is no person of a chat. */
export function deciderName(decider: Person): string | null {
  return formatPerson(decider) === formatPerson(DECIDER) ? OPERATOR_NAME : null;
}

export function gone(message: string): HermesError {
  return new HermesError("not_found", message, { hint: "It may have been handled already." });
}
