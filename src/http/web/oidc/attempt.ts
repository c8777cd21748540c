/** A sign-in attempt. State, nonce and PKCE verifier are derived from one secret in the browser's cookie. */
import { createHash, randomBytes } from "node:crypto";
import { PLATFORM } from "../../../adapters/web/normalise.js";
import { nowSeconds } from "../../../clock.js";
import { isSameSecret } from "../../../secret.js";
import type { Store } from "../../../store/store.js";

const ATTEMPT = "oidc";
export const ATTEMPT_SECONDS = 600;

export interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
}

export async function newAttempt(store: Pick<Store, "saveRecord">): Promise<Attempt & { secret: string }> {
  const secret = randomBytes(32).toString("base64url");
  const attempt = attemptOf(secret);
  const id = recordId(attempt);
  const record = { platform: PLATFORM, kind: ATTEMPT, owner: id, id, value: {} };
  await store.saveRecord({ ...record, expiresAt: nowSeconds() + ATTEMPT_SECONDS });
  return { ...attempt, secret };
}

/** Ends an attempt. Undefined if it is unknown, used or expired, or belongs to another browser. */
export async function takeAttempt(
  store: Pick<Store, "removeRecords">,
  secret: string | undefined,
  state: string | undefined,
): Promise<Attempt | undefined> {
  if (secret === undefined || state === undefined || !/^[\w-]{43}$/.test(secret)) return undefined;
  const attempt = attemptOf(secret);
  if (!isSameSecret(attempt.state, state)) return undefined;
  const taken = await store.removeRecords({ platform: PLATFORM, kind: ATTEMPT, id: recordId(attempt) });
  return taken.length > 0 ? attempt : undefined;
}

function attemptOf(secret: string): Attempt {
  return {
    state: derived("state", secret),
    nonce: derived("nonce", secret),
    verifier: derived("verifier", secret),
  };
}

/** A hash, so that the database has nothing that could complete the sign-in. */
function recordId({ state }: Attempt): string {
  return derived("record", state);
}

function derived(what: string, secret: string): string {
  return createHash("sha256").update(`hermes oidc ${what} ${secret}`).digest("base64url");
}
