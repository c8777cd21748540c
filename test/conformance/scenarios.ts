/** The scenarios of the package: those that pass, and why the others don't apply. */
export interface Scenarios {
  pass: readonly string[];
  /** By reason. A name that ends in `*` means all that begin so. */
  leftOut: Readonly<Record<string, readonly string[]>>;
}

export const PACKAGE = "@modelcontextprotocol/conformance";
/** The last one that runs on Node 20. */
export const VERSION = "0.1.13";

export const CLIENT: Scenarios = {
  pass: [
    "initialize",
    "tools_call",
    "sse-retry",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/resource-mismatch",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-metadata-backcompat",
    "auth/2025-03-26-oauth-endpoint-fallback",
  ],
  leftOut: {
    "servers can't ask people anything": ["elicitation-*"],
    "its metadata names another issuer than the one that was asked for, which the SDK refuses (RFC 8414)": [
      "auth/metadata-var2",
      "auth/metadata-var3",
    ],
    "the gateway has no public address for a document about itself": ["auth/basic-cimd"],
    "a person logs in again for more rights: the gateway doesn't open browsers": ["auth/scope-step-up"],
    "logins are made by people": ["auth/client-credentials-*"],
  },
};

export const SERVER: Scenarios = {
  pass: [
    "server-initialize",
    "ping",
    "tools-list",
    "dns-rebinding-protection",
    "server-sse-polling",
    "server-sse-multiple-streams",
  ],
  leftOut: {
    "it calls a tool that only test servers have": ["tools-call-*", "json-schema-2020-12"],
    "the server asks its clients nothing": ["elicitation-*"],
    "the server has no resources": ["resources-*"],
    "the server has no prompts, so there is nothing to complete": ["prompts-*", "completion-complete"],
    "the server sends no logs": ["logging-set-level"],
  },
};

/** Why it is left out; undefined: it isn't. */
export function reasonFor(name: string, { leftOut }: Scenarios): string | undefined {
  const isMeant = (pattern: string) =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  return Object.keys(leftOut).find((reason) => leftOut[reason]!.some(isMeant));
}
