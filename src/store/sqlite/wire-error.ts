import { describeError, type ErrorCode, HermesError } from "../../errors.js";
import { explainFault } from "./faults.js";

/** An error as data, to cross threads. */
export interface WireError {
  code: ErrorCode;
  message: string;
  hint: string | undefined;
  stack: string | undefined;
}

export function toWire(error: unknown, path: string): WireError {
  const cause = explainFault(error, path);
  return { ...describeError(cause), stack: error instanceof Error ? error.stack : undefined };
}

/** Keep the stack of internal errors. */
export function fromWire({ code, message, hint, stack }: WireError): HermesError {
  const error = new HermesError(code, message, { hint });
  if (stack && code === "internal") error.stack = stack;
  return error;
}

export const storeClosed = () => new HermesError("unavailable", "The store is closed.");

/** More pending writes mean that the disk can't keep up: fail instead of filling the memory. */
export const MAX_PENDING = 100_000;

export const tooManyPending = () =>
  new HermesError("unavailable", "The database can't keep up: too many writes are waiting.", {
    hint: "Check the disk and other processes that hold state.db.",
  });
