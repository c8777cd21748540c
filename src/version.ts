import { readFileSync } from "node:fs";
import { packageFile } from "./package-files.js";

export function version(): string {
  const manifest = readFileSync(packageFile("package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
