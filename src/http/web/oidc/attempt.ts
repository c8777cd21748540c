/** One attempt to sign in: everything that binds the issuer's answer to this browser is made from one secret in its cookie. */
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

/** Once. Undefined: of another browser, used, expired, or never begun. */
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
  return { state: made("state", secret), nonce: made("nonce", secret), verifier: made("verifier", secret) };
}

/** The database has nothing that an answer could be made with. */
function recordId({ state }: Attempt): string {
  return made("record", state);
}

function made(what: string, secret: string): string {
  return createHash("sha256").update(`hermes oidc ${what} ${secret}`).digest("base64url");
}
