import { isSecretPath } from "../config/mask.js";
import type { Env } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import type { Secret } from "../secret-redactor.js";

/** Configured tokens and keys. The log redacts them. */
export function secretsOf(config: Config): string[] {
  return configuredSecrets(config).map(({ value }) => value);
}

/**
 * Everything that must not leave the gateway: configured tokens and keys, and variables that are named like one. `.env` is
 * given as another environment.
 *
 * @public
 */
export function allSecrets(config: Config, ...environments: readonly Env[]): Secret[] {
  const variables = environments.flatMap((env) =>
    Object.entries(env).flatMap(([name, value]) => (value && isSecretPath([name]) ? [{ name, value }] : [])),
  );
  return [...configuredSecrets(config), ...variables];
}

function configuredSecrets(config: Config): Secret[] {
  const found: Secret[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === "string" && isSecretPath(path)) {
      found.push({ name: path.join("."), value });
      // A header has the token behind a word such as Bearer.
      const token = value.split(" ").at(-1)!;
      if (token !== value && token !== "") found.push({ name: path.join("."), value: token });
    }
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(config, []);
  return found;
}
