/** The JSON schema of `config.yaml`: editors complete and check from it. */

import { z } from "zod";
import { configSchema } from "./schema.js";

export function configJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configSchema, { target: "draft-7", io: "input" }),
    title: "Hermes Gateway config.yaml",
  };
}

/** The text of `config/config.schema.json`. */
export function configJsonSchemaText(): string {
  return `${JSON.stringify(configJsonSchema(), null, 2)}\n`;
}
