import { configJsonSchema } from "../../src/config/json-schema.js";

/** The text of `config/config.schema.json`. */
export function configJsonSchemaText(): string {
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}
