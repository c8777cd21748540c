/** The JSON schema of `config.yaml`, for editors. */

import { z } from "zod";
import { configSchema } from "./schema.js";

export function configJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configSchema, { target: "draft-7", io: "input" }),
    title: "Hermes Gateway config.yaml",
  };
}
