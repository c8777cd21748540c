/** `npm run generate` writes the generated files: config/config.schema.json, config.example.yaml, the README's table. */
import { writeFileSync } from "node:fs";
import { generatedFiles } from "./generate/files.js";

for (const { url, text } of generatedFiles()) writeFileSync(url, text);
