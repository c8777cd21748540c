/** Whether a request failed before it connected, so that nothing arrived and a retry is safe. Pure. */
const BEFORE_REQUEST = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "ENETDOWN",
  "EHOSTUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** The same codes on an established connection: the request may have arrived. */
const WAS_CONNECTED = /\b(?:read|write) E[A-Z]+\b/;

export function neverConnected(error: unknown): boolean {
  for (const { code, message } of errorsWithin(error)) {
    if (typeof message === "string" && WAS_CONNECTED.test(message)) return false;
    if (typeof code === "string" && BEFORE_REQUEST.has(code)) return true;
    // Without "connect", an established connection went silent.
    if (typeof message === "string" && /\bconnect ETIMEDOUT\b/.test(message)) return true;
  }
  return false;
}

const MAX_DEPTH = 5;

interface Layer {
  code?: unknown;
  name?: unknown;
  message?: unknown;
}

/** The error and the errors nested in it, outermost first. HTTP clients wrap the socket's error under different names. */
export function* errorsWithin(error: unknown): Generator<Layer> {
  let at: unknown = error;
  for (let depth = 0; depth < MAX_DEPTH && typeof at === "object" && at !== null; depth++) {
    yield at as Layer;
    const { original, error: inner, cause } = at as Record<"original" | "error" | "cause", unknown>;
    at = original ?? inner ?? cause;
  }
}
