/** `plugin.yaml`, as Hermes Agent has it, with `main` for the module of a JavaScript plugin. */
import { parse } from "yaml";
import { z } from "zod";
import { readRegularSync } from "../regular-file.js";

export const MANIFEST = "plugin.yaml";
const MAX_MANIFEST_CHARS = 100_000;

const variable = z.union([
  z.string().min(1),
  z.object({ name: z.string().min(1), description: z.string().optional(), url: z.string().optional() }),
]);

/** Other keys belong to Hermes Agent. */
const manifestSchema = z.object({
  name: z.string().min(1).optional(),
  version: z.union([z.string(), z.number()]).transform(String).default(""),
  description: z.string().default(""),
  author: z.string().default(""),
  requires_env: z.array(variable).default([]),
  kind: z.string().default("platform"),
  main: z.string().min(1).default("main.mjs"),
});

export type Manifest = z.output<typeof manifestSchema>;

/** Throws an Error with what is wrong. */
export function readManifest(file: string): Manifest {
  const text = readRegularSync(file);
  if (text.length > MAX_MANIFEST_CHARS) throw new Error(`is larger than ${MAX_MANIFEST_CHARS} characters`);
  const parsed = manifestSchema.safeParse(parse(text, { maxAliasCount: 0 }));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error([...(issue?.path ?? []), issue?.message ?? "is not a mapping"].join(" "));
}

export interface RequiredVariable {
  name: string;
  description: string | undefined;
  url: string | undefined;
}

export function requiredVariables({ requires_env }: Manifest): RequiredVariable[] {
  return requires_env.map((entry) =>
    typeof entry === "string"
      ? { name: entry, description: undefined, url: undefined }
      : { name: entry.name, description: entry.description, url: entry.url },
  );
}
