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
  pass: ["initialize", "tools_call", "sse-retry"],
  leftOut: {
    "servers can't ask people anything": ["elicitation-*"],
    "OAuth isn't there; servers that need a token get it by `headers`": ["auth/*"],
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
