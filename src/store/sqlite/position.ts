import { HermesError } from "../../errors.js";
import type { Position } from "../common.js";

/** A position is the JSON of the values by which a list is ordered. */
export function toPosition(...values: readonly (number | string)[]): Position {
  return JSON.stringify(values);
}

/** Parses a position made by `toPosition`; throws on anything else. */
export function fromPosition<T extends readonly ("number" | "string")[]>(
  position: Position,
  ...types: T
): Values<T> {
  const values = parse(position);
  const fits = Array.isArray(values) && values.length === types.length;
  if (!fits || values.some((value, i) => typeof value !== types[i]))
    throw new HermesError("invalid", "Invalid position in this list.");
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
