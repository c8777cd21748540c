/** Text → the type of its key. Files, variables and flags all go through here, so they agree. */

import { z } from "zod";
import { pattern } from "./sections/scalars.js";
import { define, isTree, type Tree } from "./tree.js";
import { acceptsNull, childSchema, unwrap } from "./walk.js";

/** A value as written, with YAML's own interpretation for keys without a schema. */
export class Written {
  readonly text: string;
  readonly value: unknown;

  constructor(text: string, value: unknown = text) {
    this.text = text;
    this.value = value;
  }
}

const WORDS: Record<string, boolean> = {
  true: true,
  "1": true,
  yes: true,
  on: true,
  false: false,
  "0": false,
  no: false,
  off: false,
};

/**
 * Values that don't fit are returned as they are, for the check to report. `undefined` means unset, which is how Hermes
 * treats a null for a key that takes none.
 */
export function coerce(schema: z.ZodType | undefined, value: unknown): unknown {
  if (value === null) return schema === undefined || acceptsNull(schema) ? null : undefined;
  if (typeof value === "string") return coerceWritten(schema, new Written(value));
  if (value instanceof Written) return coerceWritten(schema, value);
  if (Array.isArray(value))
    return value.map((item) => coerce(schema && childSchema(schema, "0"), item) ?? null);
  if (isTree(value)) return coerceTree(schema, value);
  return value;
}

function coerceTree(schema: z.ZodType | undefined, tree: Tree): Tree {
  const result: Tree = {};
  for (const [key, below] of Object.entries(tree)) {
    const value = coerce(schema && childSchema(schema, key), below);
    if (value !== undefined) define(result, key, value);
  }
  return result;
}

function coerceWritten(schema: z.ZodType | undefined, { text, value }: Written): unknown {
  const inner = schema && unwrap(schema);
  if (inner === undefined || inner instanceof z.ZodUnknown) return value;
  if (inner instanceof z.ZodBoolean) {
    const word = text.trim().toLowerCase();
    return Object.hasOwn(WORDS, word) ? WORDS[word] : text;
  }
  if (inner instanceof z.ZodNumber) return isNumber(text) ? Number(text) : text;
  if (inner instanceof z.ZodArray) return splitList(inner, text);
  return text;
}

/** "a, b" is a list of two, except of regular expressions, which may contain commas. */
function splitList(list: z.ZodArray, text: string): unknown {
  if (unwrap(list.element as z.ZodType) instanceof z.ZodObject) return text;
  if (list.element === pattern) return [text];
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function isNumber(text: string): boolean {
  return /^\s*[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) && Number.isFinite(Number(text));
}
