import type { Person } from "../../message.js";
import type { ToolFacts } from "../../people/types.js";
import type { RuleAbout } from "../../policies/tool-access.js";
import type { AskMode } from "../../tools/tool.js";

export interface ShownTool {
  name: string;
  description: string;
  toolset: string;
  sets: readonly string[];
  effect: "read" | "write";
  from: { kind: "built in" | "library" } | { kind: "MCP server"; server: string };
  default: { allow: readonly string[]; ask: AskMode };
  /** The configured rules about it, most specific first. */
  rules: RuleAbout[];
  /** Why it can't be used now; null if it can. */
  unavailable: string | null;
}

export interface ToolsAnswer {
  tools: ShownTool[];
  /** Names in the configuration that match no tool. */
  problems: string[];
}

/** `because`: why the person may or may not talk to the bot. */
export type ExplainAnswer = ToolFacts & { name: string | null; because: string };

export interface ShownGrant {
  /** `*`: every tool. */
  tool: string;
  person?: Person & { name: string | null };
  session?: { id: string; title: string | null };
  by: { name: string | null; id: string };
  at: number;
}

export interface GrantsAnswer {
  grants: ShownGrant[];
}

export type { AskMode };
