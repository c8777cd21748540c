/** Fields that both APIs share. */
import { z } from "zod";
import { ApiError, invalid } from "./errors.js";

export const toolName = z.string().regex(/^[\w-]{1,64}$/, "must be 1-64 letters, digits, _ or -");
export const parameters = z.record(z.string(), z.unknown());

export function parseWith<T extends z.ZodType>(schema: T, given: unknown): z.output<T> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const param = issue!.path.map(String).join(".");
  throw invalid(`${param === "" ? "The body" : param}: ${issue!.message}`, param || null);
}

/** Reject parameters that can't be honoured instead of ignoring them. */
export function refuseUnsupported(given: unknown, names: readonly string[]): void {
  const body = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  const isSet = (name: string) => body[name] !== undefined && body[name] !== null && body[name] !== false;
  const found = names.find(isSet) ?? (Number(body.n ?? 1) > 1 ? "n" : undefined) ?? jsonFormat(body);
  if (found === undefined) return;
  throw new ApiError(400, "unsupported_parameter", `${found} is not supported here`, { param: found });
}

function jsonFormat({ response_format, text }: Record<string, unknown>): string | undefined {
  const formats = {
    response_format,
    "text.format": (text as { format?: unknown } | null | undefined)?.format,
  };
  const wanted = Object.entries(formats).find(([, format]) => {
    const type = (format as { type?: unknown } | null | undefined)?.type;
    return type !== undefined && type !== "text";
  });
  return wanted?.[0];
}
