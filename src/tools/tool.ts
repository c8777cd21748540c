import type { EventUsage } from "../events.js";
import type { Principal, Room, Target } from "../message.js";
import type { ToolRestriction } from "../policies/tool-access.js";
import type { Choice } from "../question.js";
import type { SessionId, SessionKey } from "../session.js";

/** A registered tool. The pipeline decides who may call it, asks for approval if needed, and records every call. */
export interface ToolDefinition {
  name: string;
  /** Older names, which rules, toolsets and stored conversations may still use. */
  aliases?: readonly string[];
  toolset: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  /** `read` changes nothing: paired people may use it by default. `write` is for owners by default. */
  effect: "read" | "write";
  /** Whether a call that a crash interrupted may run again. Otherwise the agent learns that its outcome is unknown. */
  repeat: "safe" | "never";
  /** Who may use it if the configuration doesn't say: `owner`, `paired`, `everyone`, a person. Default: by its effect. */
  allow?: readonly ("owner" | "paired" | "everyone" | `${string}:${string}`)[];
  /** When to ask for approval if the configuration doesn't say. Default: never. */
  ask?: AskMode;
  /** Restrictions that configured rules can't lift. */
  restrictions?: readonly ToolRestriction[];
  /** Default: see `limits.ts`. */
  timeoutMs?: number;
  /** Longer output goes to a file, and the agent gets its beginning and its end. */
  maxChars?: number;
  /** Why it can't be used at the moment (a missing key, say); undefined: it can. Checked once per turn. */
  unavailable?(): string | undefined | Promise<string | undefined>;
  /** Returns the result text for the model, also for the model's own mistakes. Rejects only on internal errors. */
  run(args: Record<string, unknown>, call: ToolCall): Promise<string>;
}

/** `once` remembers the approval per person, `session` per session, `always` asks every time. */
export type AskMode = "never" | "once" | "session" | "always";

/** One tool call: its principal, chat and identity. */
export interface ToolCall {
  /** The same after a restart: pass it to services that recognise repeats. */
  idempotencyKey: string;
  principal: Principal;
  session: { id: SessionId; key: SessionKey; source: string };
  /** Where the answer of the turn goes. */
  target: Target;
  /** The room that reads the answer; undefined: a direct chat. */
  room: Room | undefined;
  /** Several people write in this session. */
  shared: boolean;
  /** Started by a schedule or a webhook, so no person is waiting. */
  unattended: boolean;
  signal: AbortSignal;
  /**
   * Asks the person and resolves with the answer; undefined: none came in time. The turn is suspended meanwhile and the
   * tool runs again from its start when the answer is there, so it must not change anything before it asks.
   */
  ask(question: ToolQuestion): Promise<ToolAnswer | undefined>;
  /** For tools that let a helper work; undefined if they can't here. */
  nested?: NestedCalls | undefined;
}

/** A helper's work within a call, recorded and limited like all calls, and repeated with its call. */
export interface NestedCalls {
  run(
    tool: ToolDefinition,
    args: Record<string, unknown>,
    session: ToolCall["session"],
    signal: AbortSignal,
  ): Promise<string>;
  /** A model request of the helper: it counts for the cost of the turn. */
  spent(usage: EventUsage): void;
}

export interface ToolQuestion {
  text: string;
  choices: readonly Choice[];
  /** The next message of the person answers the question too. */
  acceptsText?: boolean;
  timeoutSeconds?: number;
}

export interface ToolAnswer {
  /** Undefined: the person answered in their own words. */
  choiceId?: string | undefined;
  text: string;
}
