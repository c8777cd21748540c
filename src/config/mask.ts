/** Masks secrets in fault lists, `config show` and logs. */

import { isTree } from "./tree.js";

const SECRET = /(?:token|secret|password|passphrase|api_?keys?|private_?key|credentials?)$/i;

/** Whether the value at this path, or anything above it, is named like a secret. */
export function isSecretPath(path: readonly PropertyKey[]): boolean {
  return path.some((key) => SECRET.test(String(key)));
}

/** Shows the end of a long secret, nothing of a short one. */
function maskSecret(secret: string): string {
  return secret.length < 20 ? "****" : `****${secret.slice(-4)}`;
}

/** A copy with every secret masked, the passwords in addresses too. */
export function maskSecrets<T>(value: T, path: readonly PropertyKey[] = []): T {
  return mask(value, isSecretPath(path)) as T;
}

function mask(value: unknown, secret: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(item, secret));
  if (isTree(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, below]) => [key, mask(below, secret || isSecretPath([key]))]),
    );
  }
  if (value === null || value === undefined) return value;
  if (secret) return maskSecret(String(value));
  return typeof value === "string" ? value.replace(/(\/\/)[^/@\s]+@/g, "$1****@") : value;
}
