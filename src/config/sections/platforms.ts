/** `platforms`: a section for each built-in platform that has one, and any other name for external ones. */

import { z } from "zod";
import type { Platform } from "../../adapters/platform.js";
import { BUILT_IN } from "../../adapters/platforms.js";
import { type DeclaredSettings, externalSchema, withEnabled } from "../../adapters/settings.js";

type Described = Extract<(typeof BUILT_IN)[number], { readonly settings?: DeclaredSettings }>;
type SchemaOf<P> = P extends { readonly settings?: infer S }
  ? NonNullable<S> extends DeclaredSettings<infer Z>
    ? z.ZodPrefault<Z>
    : never
  : never;
type Sections = { [P in Described as SchemaOf<P> extends never ? never : P["name"]]: SchemaOf<P> };

const sections = Object.fromEntries(
  BUILT_IN.flatMap(({ name, summary, settings }: Platform) =>
    settings !== undefined && "schema" in settings
      ? [[name, settings.schema.prefault({}).describe(summary)]]
      : [],
  ),
) as unknown as Sections;

export const platforms = z
  .strictObject(sections)
  .catchall(externalSchema.transform((settings) => withEnabled(settings, ["token"])));
