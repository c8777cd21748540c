/** Masks secrets in fault lists, `config show` and logs. */

import { isTree } from "./tree.js";

const SECRET = /(?:token|secret|password|passphrase|api_?keys?|private_?key|credentials?)$/i;

/** What MCP servers and agents get besides: headers, and variables with such names. */
const SERVER_SECRET = /key|token|secret|pass|auth|cred|cookie/i;

/** Whether the value at this path, or anything above it, is named like a secret. */
export function isSecretPath(path: readonly PropertyKey[]): boolean {
  return path.some((key) => SECRET.test(String(key))) || isServerSecret(path);
}

function isServerSecret(path: readonly PropertyKey[]): boolean {
  const [section, , kind, header] = path;
  if (section === "mcp_servers" && kind === "headers" && header !== undefined) return true;
  const variable = path.includes("env") ? path[path.indexOf("env") + 1] : undefined;
  return variable !== undefined && SERVER_SECRET.test(String(variable));
}

/** Shows the end of a long secret, nothing of a short one. */
function maskSecret(secret: string): string {
  return secret.length < 20 ? "****" : `****${secret.slice(-4)}`;
}

/** A copy with every secret masked, the passwords in addresses too. */
export function maskSecrets<T>(value: T, path: readonly PropertyKey[] = []): T {
  return mask(value, path) as T;
}

function mask(value: unknown, path: readonly PropertyKey[]): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, path));
  if (isTree(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, below]) => [key, mask(below, [...path, key])]),
    );
  if (value === null || value === undefined) return value;
  if (isSecretPath(path)) return maskSecret(String(value));
  return typeof value === "string" ? value.replace(/(\/\/)[^/@\s]+@/g, "$1****@") : value;
}
