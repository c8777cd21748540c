import { parseEnvFile } from "../config/dotenv.js";
import { isSecretPath } from "../config/mask.js";
import { type Env, homePaths } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { readRegularSync } from "../regular-file.js";
import type { Secret } from "../secret-redactor.js";

/** Configured tokens and keys. The log redacts them. */
export function secretsOf(config: Config): string[] {
  return configuredSecrets(config).map(({ value }) => value);
}

/**
 * Everything that must not leave the gateway: configured tokens and keys, and variables that are named like one. `.env` is
 * given as another environment.
 */
export function allSecrets(config: Config, ...environments: readonly Env[]): Secret[] {
  const variables = environments.flatMap((env) =>
    Object.entries(env).flatMap(([name, value]) => (value && isSecretPath([name]) ? [{ name, value }] : [])),
  );
  return [...configuredSecrets(config), ...variables];
}

/** With those of the process and of `.env`. */
export function homeSecrets(home: string, config: Config, env: Env): Secret[] {
  return allSecrets(config, env, envFile(homePaths(home).envFile));
}

/** Empty without a readable file: loading the configuration has reported that. */
function envFile(file: string): Env {
  try {
    const { variables } = parseEnvFile(readRegularSync(file));
    return Object.fromEntries([...variables].map(([name, { value }]) => [name, value]));
  } catch {
    return {};
  }
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
