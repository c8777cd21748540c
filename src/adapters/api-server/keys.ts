/** Authentication: every key has a name, which is the user id. */
import { bearerOf, isSameSecret } from "../../secret.js";

/** Compares with every key, so that timing reveals nothing. */
export function keyOf(
  authorization: string | undefined,
  keys: Readonly<Record<string, string>>,
): string | undefined {
  const given = bearerOf(authorization);
  if (given === undefined) return undefined;
  const right = Object.entries(keys).filter(([, secret]) => isSameSecret(given, secret));
  return right[0]?.[0];
}
