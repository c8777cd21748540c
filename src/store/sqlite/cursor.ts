import { HermesError } from "../../errors.js";
import type { Cursor } from "../common.js";

/** Positions are the values by which a list is ordered, as JSON. */
export function toCursor(...values: readonly (number | string)[]): Cursor {
  return JSON.stringify(values);
}

/** The values of a cursor that `toCursor` made; what wasn't made by it is refused. */
export function fromCursor<T extends readonly ("number" | "string")[]>(
  cursor: Cursor,
  ...types: T
): Values<T> {
  const values = parse(cursor);
  const fits = Array.isArray(values) && values.length === types.length;
  if (!fits || values.some((value, i) => typeof value !== types[i]))
    throw new HermesError("invalid", "That is no position in this list.");
  return values as unknown as Values<T>;
}

type Values<T extends readonly ("number" | "string")[]> = {
  [K in keyof T]: T[K] extends "number" ? number : string;
};

function parse(cursor: Cursor): unknown {
  try {
    return JSON.parse(cursor);
  } catch {
    return undefined;
  }
}
