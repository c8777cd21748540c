import { isSecretPath } from "../config/mask.js";
import type { Config } from "../config/schema.js";

/** Configured tokens and keys. The log redacts them. */
export function secretsOf(config: Config): string[] {
  const found: string[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === "string" && isSecretPath(path)) found.push(value);
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(config, []);
  return found;
}
