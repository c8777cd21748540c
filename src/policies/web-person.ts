/** Ids of web chat users who are known from another platform, or who operate the gateway. */
import { createHash } from "node:crypto";

export const WEB = "web";

/** The web user id for an identity (`telegram:4711`): deterministic, and no browser can have it. */
export function webPersonOf(identity: string): string {
  return createHash("sha256").update(`hermes web person ${identity}`).digest("hex").slice(0, 32);
}

/** The person who starts the gateway. */
export const OPERATOR = webPersonOf("operator");

/** True for the operator, and for owners who signed in with an identity of another platform. */
export function isWebOwner(
  { platform, userId }: { platform: string; userId?: string | null },
  owners: readonly string[],
): boolean {
  if (platform !== WEB || !userId) return false;
  return userId === OPERATOR || owners.some((owner) => webPersonOf(owner) === userId);
}
