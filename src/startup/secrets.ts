import { parseEnvFile } from "../config/dotenv.js";
import { isSecretPath } from "../config/mask.js";
import { type Env, homePaths } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { storedLogins } from "../mcp/token-files.js";
import { readRegularSync } from "../regular-file.js";
import { type Secret, SecretSet } from "../secrets/secret-set.js";

/** Configured tokens and keys. The log redacts them. */
export function secretsOf(config: Config): string[] {
  return configuredSecrets(config).map(({ value }) => value);
}

/**
 * Everything that must not leave the gateway: configured tokens and keys, and variables named like one.
 * `.env` is passed as a second environment.
 */
export function allSecrets(config: Config, ...environments: readonly Env[]): Secret[] {
  const variables = environments.flatMap((env) =>
    Object.entries(env).flatMap(([name, value]) => (value && isSecretPath([name]) ? [{ name, value }] : [])),
  );
  return [...configuredSecrets(config), ...variables];
}

/** Secrets of the configuration, the process and `.env`, and MCP logins, which may be renewed later. */
export function homeSecrets(home: string, config: Config, env: Env): SecretSet {
  return new SecretSet([...allSecrets(config, env, envFile(homePaths(home).envFile)), ...storedLogins(home)]);
}

/** Empty if the file can't be read: loading the configuration has already reported that. */
function envFile(file: string): Env {
  try {
    const { variables } = parseEnvFile(readRegularSync(file));
    return Object.fromEntries([...variables].map(([name, { value }]) => [name, value]));
  } catch {
    return {};
  }
}

function configuredSecrets(config: Config): Secret[] {
  const secrets: Secret[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === "string" && isSecretPath(path)) {
      secrets.push({ name: path.join("."), value });
      // In a header the token follows a scheme such as Bearer.
      const token = value.split(" ").at(-1)!;
      if (token !== value && token !== "") secrets.push({ name: path.join("."), value: token });
    }
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(config, []);
  return secrets;
}
