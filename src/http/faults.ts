/** Turns errors into JSON responses of one shape: `{error: {code, message, hint?}}`. */
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { describeError, type ErrorCode, HermesError } from "../errors.js";
import { hideHome } from "../hide-home.js";
import type { HttpLog } from "./log.js";
import { requestTrace } from "./request-id.js";

const STATUS: Record<ErrorCode, ContentfulStatusCode> = {
  invalid: 400,
  not_found: 404,
  conflict: 409,
  refused: 403,
  unavailable: 503,
  internal: 500,
};

export function fault(c: Context, status: ContentfulStatusCode, code: ErrorCode, message: string): Response {
  return c.json({ error: { code, message } }, status);
}

/** Errors without a code are bugs: logged in full, shown as one sentence. The home's path is hidden. */
export function faultHandler(
  log: HttpLog | undefined,
  home: string | undefined,
): (error: Error, c: Context) => Response {
  const clean = (text: string) => (home === undefined ? text : hideHome(text, home));
  return (error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    const { code, message, hint } = describeError(error);
    if (!(error instanceof HermesError))
      log?.error({ err: error, path: c.req.path, ...requestTrace(c) }, "a request failed");
    const shown = code === "internal" ? "Internal error; see the gateway's log" : clean(message);
    return c.json({ error: { code, message: shown, ...(hint && { hint: clean(hint) }) } }, STATUS[code]);
  };
}
