/** The schema as the fields of a form. What a form can't edit is a field, too, of the kind "other". */

import { z } from "zod";
import type { Field } from "./field.js";
import { isSecretPath } from "./mask.js";
import { configSchema } from "./schema.js";
import { getIn } from "./tree.js";
import { acceptsNull, leafPaths, schemaAt, unwrap } from "./walk.js";

let made: readonly Field[] | undefined;

/** Every key that takes a value, in the schema's order. */
export function formFields(): readonly Field[] {
  made ??= fieldsOf(configSchema.parse({}));
  return made;
}

function fieldsOf(defaults: unknown): Field[] {
  return leafPaths(configSchema).map((dotted) => {
    const path = dotted.split(".");
    const schema = schemaAt(configSchema, path)!;
    return {
      path,
      ...kindOf(schema, path),
      description: descriptionOf(schema),
      nullable: acceptsNull(schema),
      default: getIn(defaults, path) ?? null,
    };
  });
}

/** What a section is about. */
export function sectionDescription(path: readonly string[]): string {
  const schema = schemaAt(configSchema, path);
  return schema ? descriptionOf(schema) : "";
}

/** Wrappers may hide it. */
function descriptionOf(schema: z.ZodType): string {
  return schema.description ?? unwrap(schema).description ?? "";
}

type Kind = Pick<Field, "kind" | "choices" | "ofLists">;

function kindOf(schema: z.ZodType, path: readonly string[]): Kind {
  const kind = plainKind(unwrap(schema));
  if (!isSecretPath(path)) return kind;
  return { kind: kind.kind === "text" ? "secret" : "other" };
}

function plainKind(schema: z.ZodType): Kind {
  if (schema instanceof z.ZodBoolean) return { kind: "switch" };
  if (schema instanceof z.ZodNumber) return { kind: "number" };
  if (schema instanceof z.ZodEnum) return { kind: "choice", choices: schema.options.map(String) };
  if (schema instanceof z.ZodUnion) {
    // YAML's bare `off` is false: a word for it isn't a choice of its own.
    const words = schema.options.find((one) => one instanceof z.ZodEnum)?.options.map(String);
    if (words) return { kind: "choice", choices: words.filter((word) => word !== "false") };
  }
  if (isText(schema)) return { kind: "text" };
  if (schema instanceof z.ZodArray)
    return { kind: isText(unwrap(schema.element as z.ZodType)) ? "list" : "other" };
  if (schema instanceof z.ZodRecord) {
    const value = plainKind(unwrap(schema.valueType as z.ZodType)).kind;
    if (value === "text") return { kind: "map" };
    if (value === "list") return { kind: "map", ofLists: true };
  }
  return { kind: "other" };
}

/** Ids are text or digits. */
function isText(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodUnion)
    return schema.options.every((one) => one instanceof z.ZodNumber || isText(unwrap(one as z.ZodType)));
  return schema instanceof z.ZodString || schema instanceof z.ZodStringFormat;
}
