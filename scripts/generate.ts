/** `npm run generate` writes the generated files: config/, docs/reference/, docs/diagrams/, tables in pages. */
import { writeFileSync } from "node:fs";
import { generatedFiles } from "./generate/files.js";

for (const { url, text } of await generatedFiles()) writeFileSync(url, text);
