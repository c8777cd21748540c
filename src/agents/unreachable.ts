/** Why a service can't be reached: in words, with the error's code. Never the error's own text, which may hold a key. */
import { field } from "../field.js";

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "no host has this name",
  EAI_AGAIN: "its name can't be looked up; is the network down?",
  ECONNRESET: "it closed the connection",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ETIMEDOUT: "it didn't answer in time",
  UND_ERR_CONNECT_TIMEOUT: "it didn't answer in time",
  UND_ERR_SOCKET: "it closed the connection",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate can't be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  EPROTO: "it doesn't speak HTTPS",
  ERR_SSL_WRONG_VERSION_NUMBER: "it doesn't speak HTTPS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it doesn't speak HTTPS",
};

const MAX_DEPTH = 5;

/** `nothing listens there (ECONNREFUSED)`; undefined if the error isn't about the connection. */
export function unreachableReason(error: unknown): string | undefined {
  for (const inner of causesOf(error)) {
    const code = field(inner, "code");
    if (typeof code === "string" && WORDS[code] !== undefined) return `${WORDS[code]} (${code})`;
    if (field(inner, "name") === "TimeoutError") return "it didn't answer in time";
  }
  return undefined;
}

function causesOf(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && found.length < MAX_DEPTH; at = field(at, "cause")) {
    found.push(at);
    const several = field(at, "errors");
    if (Array.isArray(several)) found.push(...several.slice(0, MAX_DEPTH));
  }
  return found;
}
