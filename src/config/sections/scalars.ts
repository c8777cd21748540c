/** Types of single values. */

import { z } from "zod";
import { linearPattern } from "../../linear-pattern.js";
import { didYouMean } from "../nearest.js";
import { systemZone } from "../system-zone.js";

// The configuration is checked once or twice in a process: compiled checks would only take start time and memory.
z.config({ jitless: true });

/** Ids are text: some have more digits than a number can represent. Bare digits are accepted, too. */
export const id = z.union([z.string().min(1), z.number()]).transform(String);

/** A regular expression, matched in linear time; lists of these are never split at commas. */
export const pattern = z.string().superRefine((text, context) => {
  try {
    linearPattern(text);
  } catch (error) {
    const why = (error as Error).message.replace("error parsing regexp: ", "");
    const message = `is not a regular expression that RE2 can match (no lookahead, no back references): ${why}`;
    context.addIssue({ code: "custom", message });
  }
});

export const text = z.string().min(1);
export const httpUrl = z.url({ protocol: /^https?$/ });
export const seconds = z.number().positive();
export const share = z.number().min(0).max(1);

/** Null is the machine's zone, resolved here. */
export const zone = z
  .string()
  .superRefine((name, context) => {
    if (isZone(name)) return;
    const hint = didYouMean(name, Intl.supportedValuesOf("timeZone"));
    context.addIssue({ code: "custom", message: `is not an IANA time zone such as Europe/Berlin${hint}` });
  })
  .nullable()
  .default(null)
  .transform((name) => name ?? systemZone());

export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** A list that may be omitted; `prefault` (not `default`) so that the JSON schema shows it. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.array(item).prefault([]);
}

/** An optional value: null, never undefined, so that `config show` can print it. */
export function orNull<T extends z.ZodType>(inner: T) {
  return inner.nullable().default(null as never);
}

/** Values for `config.example.yaml` where a key has no default of its own, as YAML. */
export const samples = z.registry<{ yaml: string }>();

export function sample<T extends z.ZodType>(schema: T, yaml: string): T {
  samples.add(schema, { yaml });
  return schema;
}
