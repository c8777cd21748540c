/** Who asks: every key has a name, and the name is the person. */
import { bearerOf, isSameSecret } from "../../secret.js";

/** Every key is compared, so that the time tells nothing. */
export function keyOf(
  authorization: string | undefined,
  keys: Readonly<Record<string, string>>,
): string | undefined {
  const given = bearerOf(authorization);
  if (given === undefined) return undefined;
  const right = Object.entries(keys).filter(([, secret]) => isSameSecret(given, secret));
  return right[0]?.[0];
}
