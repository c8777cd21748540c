/** The small words that the sections are made of. */

import { z } from "zod";
import { linearPattern } from "../../linear-pattern.js";
import { didYouMean } from "../nearest.js";
import { systemZone } from "../system-zone.js";

/** Ids are text: a Discord id has more digits than a number can keep. Editors may still show bare digits as fine. */
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

/** Null means: as the machine's clock is set. Resolved here, so that no rule has to ask. */
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

/** A list whose input may be left out; `prefault` (not `default`) so that the JSON schema shows it. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.array(item).prefault([]);
}

/** A value that may be absent, and is then null: never undefined, so that `show` can print it. */
export function orNull<T extends z.ZodType>(inner: T) {
  return inner.nullable().default(null as never);
}
