/** Writes `config/config.schema.json` from the schema: `npx tsx scripts/write-config-schema.ts`. */

import { writeFileSync } from "node:fs";
import { configJsonSchemaText } from "../src/config/json-schema.js";

writeFileSync(new URL("../config/config.schema.json", import.meta.url), configJsonSchemaText());
