/** Validates query parameters and JSON bodies. An error names the wrong field. */
import type { Context } from "hono";
import { z } from "zod";
import { HermesError } from "../errors.js";
import type { Position } from "../store/store.js";

const MAX_ROWS = 200;

export const limit = z.coerce.number().int().min(1).max(MAX_ROWS).optional();
export const seconds = z.coerce.number().finite().optional();
export const whole = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional();
export const text = (maxChars: number) => z.string().min(1).max(maxChars).optional();

/** Drops empty values: forms send them for fields that aren't filled in. */
export function paramsOf<T extends z.ZodRawShape>(c: Context, shape: T): z.infer<z.ZodObject<T>> {
  const query = Object.fromEntries(Object.entries(c.req.query()).filter(([, value]) => value !== ""));
  return checked(z.object(shape), query);
}

export async function bodyOf<T extends z.ZodRawShape>(
  c: Context,
  shape: T,
): Promise<z.infer<z.ZodObject<T>>> {
  // Another site's form could post text/plain without a CORS preflight.
  if (!c.req.header("content-type")?.startsWith("application/json"))
    throw new HermesError("invalid", "Send JSON: Content-Type: application/json");
  return checked(z.object(shape), await c.req.json().catch(() => undefined));
}

function checked<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.join(".") || "the request";
  throw new HermesError("invalid", `${name}: ${issue?.message ?? "is invalid"}`);
}

/** Encodes a list position as an opaque cursor. */
export function toCursor(position: Position | null): string | null {
  return position && Buffer.from(position).toString("base64url");
}

export function fromCursor(cursor: string | undefined): Position | undefined {
  return cursor === undefined ? undefined : Buffer.from(cursor, "base64url").toString();
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>;
}
