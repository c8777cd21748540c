/** Checks that a caller knows the secret, and that the call is recent. Pure; comparisons take constant time. */
import { createHmac } from "node:crypto";
import { bearerOf, isSameSecret } from "../../secret.js";

export type SignatureStyle = "github" | "stripe" | "hmac" | "token";

export interface Proof {
  style: SignatureStyle;
  secret: string;
  /** Of hmac and token; null: the usual one. */
  header: string | null;
  toleranceSeconds: number;
}

export interface Call {
  headers: Pick<Headers, "get">;
  body: Uint8Array;
}

export type Refusal = "unsigned" | "wrong_signature" | "too_old";

const HMAC_HEADER = "x-signature-256";

/** Why the call is rejected; undefined if it is authentic. */
export function refusalOf(call: Call, proof: Proof, now: number): Refusal | undefined {
  switch (proof.style) {
    case "github":
      return checkHmac(call, "x-hub-signature-256", proof.secret);
    case "hmac":
      return checkHmac(call, proof.header ?? HMAC_HEADER, proof.secret);
    case "stripe":
      return checkStripe(call, proof, now);
    case "token":
      return checkToken(call, proof);
  }
}

/** `sha256=<hex>`, or the hex alone. */
function checkHmac({ headers, body }: Call, header: string, secret: string): Refusal | undefined {
  const given = headers.get(header);
  if (!given) return "unsigned";
  const hex = given
    .trim()
    .toLowerCase()
    .replace(/^sha256=/, "");
  return isSameSecret(hex, hmac(secret, body)) ? undefined : "wrong_signature";
}

/** `t=<seconds>,v1=<hex>[,v1=…]`: the time is signed with the body, so an old call stays old. */
function checkStripe({ headers, body }: Call, proof: Proof, now: number): Refusal | undefined {
  const header = headers.get("stripe-signature");
  if (!header) return "unsigned";
  const fields = header.split(",").map((field) => field.trim().split("=", 2) as [string, string | undefined]);
  const values = (name: string) => fields.filter(([key]) => key === name).map(([, value]) => value ?? "");
  const [time = ""] = values("t");
  if (!/^\d{1,12}$/.test(time)) return "unsigned";
  const expected = hmac(proof.secret, Buffer.concat([Buffer.from(`${time}.`), body]));
  // Two secrets are in use during a rotation; only a few signatures are checked.
  const right = values("v1")
    .slice(0, 5)
    .map((given) => isSameSecret(given.toLowerCase(), expected));
  if (!right.includes(true)) return "wrong_signature";
  return Math.abs(now - Number(time)) > proof.toleranceSeconds ? "too_old" : undefined;
}

function checkToken({ headers }: Call, { header, secret }: Proof): Refusal | undefined {
  const given = header === null ? bearerOf(headers.get("authorization")) : headers.get(header)?.trim();
  if (!given) return "unsigned";
  return isSameSecret(given, secret) ? undefined : "wrong_signature";
}

function hmac(secret: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}
