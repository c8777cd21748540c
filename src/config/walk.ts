/** Looks up keys in the schema, for the loader, the hints and the example. */

import { z } from "zod";

/** The schema without its defaults, nullability and transforms. */
export function unwrap(schema: z.ZodType): z.ZodType {
  let inner = schema;
  for (;;) {
    if (isWrapper(inner)) inner = inner.unwrap() as z.ZodType;
    else if (inner instanceof z.ZodPipe) inner = inner.in as z.ZodType;
    else return inner;
  }
}

export function acceptsNull(schema: z.ZodType): boolean {
  let inner = schema;
  for (;;) {
    if (inner instanceof z.ZodNullable) return true;
    if (isWrapper(inner)) inner = inner.unwrap() as z.ZodType;
    else if (inner instanceof z.ZodPipe) inner = inner.in as z.ZodType;
    else return inner instanceof z.ZodUnknown;
  }
}

function isWrapper(schema: z.ZodType) {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  );
}

/** The schema of one key below `schema`; undefined when there is no such key. */
export function childSchema(schema: z.ZodType, key: string): z.ZodType | undefined {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) {
    const shape = inner.shape as Record<string, z.ZodType>;
    if (Object.hasOwn(shape, key)) return shape[key];
    const rest = inner.def.catchall as z.ZodType | undefined;
    return rest instanceof z.ZodNever ? undefined : rest;
  }
  if (inner instanceof z.ZodRecord) return inner.valueType as z.ZodType;
  if (inner instanceof z.ZodArray) return inner.element as z.ZodType;
  return undefined;
}

export function schemaAt(schema: z.ZodType, path: readonly string[]): z.ZodType | undefined {
  let at: z.ZodType | undefined = schema;
  for (const key of path) at = at && childSchema(at, key);
  return at;
}

/** The named keys below a schema; none for lists, records and plain values. */
export function keysOf(schema: z.ZodType | undefined): string[] {
  const inner = schema && unwrap(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** Every key that takes a value, dotted; lists and records count as one value. */
export function leafPaths(schema: z.ZodType, above: readonly string[] = []): string[] {
  const keys = keysOf(schema);
  if (keys.length === 0) return [above.join(".")];
  return keys.flatMap((key) => leafPaths(childSchema(schema, key)!, [...above, key]));
}
