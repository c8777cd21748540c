/** Did a request fail before a connection stood? Then nothing has arrived, and sending it again repeats nothing. Pure. */
const BEFORE_A_REQUEST = new Set([
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

/** The network went away under a connection that stood: the same codes, and the request may have arrived. */
const STOOD = /\b(?:read|write) E[A-Z]+\b/;

export function neverConnected(error: unknown): boolean {
  for (const { code, message } of errorsWithin(error)) {
    if (typeof message === "string" && STOOD.test(message)) return false;
    if (typeof code === "string" && BEFORE_A_REQUEST.has(code)) return true;
    // Without it, a connection that stood has gone silent.
    if (typeof message === "string" && /\bconnect ETIMEDOUT\b/.test(message)) return true;
  }
  return false;
}

const DEEPEST = 5;

interface Layer {
  code?: unknown;
  name?: unknown;
  message?: unknown;
}

/** HTTP clients hide the socket's error within their own, each under another name. The outermost first. */
export function* errorsWithin(error: unknown): Generator<Layer> {
  let at: unknown = error;
  for (let depth = 0; depth < DEEPEST && typeof at === "object" && at !== null; depth++) {
    yield at as Layer;
    const { original, error: inner, cause } = at as Record<"original" | "error" | "cause", unknown>;
    at = original ?? inner ?? cause;
  }
}
