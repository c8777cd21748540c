import { HermesError } from "../../errors.js";
import type { Position } from "../common.js";

/** Positions are the values by which a list is ordered, as JSON. */
export function toPosition(...values: readonly (number | string)[]): Position {
  return JSON.stringify(values);
}

/** The values of a position that `toPosition` made; what wasn't made by it is refused. */
export function fromPosition<T extends readonly ("number" | "string")[]>(
  position: Position,
  ...types: T
): Values<T> {
  const values = parse(position);
  const fits = Array.isArray(values) && values.length === types.length;
  if (!fits || values.some((value, i) => typeof value !== types[i]))
    throw new HermesError("invalid", "That is no position in this list.");
  return values as unknown as Values<T>;
}

type Values<T extends readonly ("number" | "string")[]> = {
  [K in keyof T]: T[K] extends "number" ? number : string;
};

function parse(position: Position): unknown {
  try {
    return JSON.parse(position);
  } catch {
    return undefined;
  }
}
