import type { Context } from "hono";
import { HermesError } from "../../errors.js";
import { remoteAddress } from "../request.js";
import type { DashboardOptions } from "./options.js";

export type Note = (c: Context, action: string, fields: object) => void;

/** Every change of an operator is a line of the log. */
export function operatorLog({ log }: Pick<DashboardOptions, "log">): Note {
  return (c, action, fields) => log.info({ action, ...fields, from: remoteAddress(c) }, "operator");
}

export function gone(message: string): HermesError {
  return new HermesError("not_found", message, { hint: "It may have been handled already." });
}
