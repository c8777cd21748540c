import type { Config } from "../config/schema.js";
import type { InboundMessage, Principal, Target } from "../message.js";
import type { Choice } from "../question.js";
import type { SessionKey, SessionRow } from "../session.js";
import type { QuestionRow, RouteChoice, RouteRow } from "../store/queues.js";
import type { Store } from "../store/store.js";

export type CommandGroup = "conversation" | "turn" | "about";

/** One file per slash command. Help, menus and completion are generated from these declarations. */
export interface Command {
  name: string;
  aliases?: readonly string[];
  /** Arguments as shown in help: `[title]`, `<text>`. */
  usage?: string;
  description: string;
  /** Its section in help. If missing, the command works but isn't listed. */
  group?: CommandGroup;
  /** Only for the chat's admins, if any are configured. */
  adminOnly?: boolean;
  /** "now": runs even during a turn. "idle": waits in the queue for the running turn. */
  when: "now" | "idle";
  /** It changes stored messages, so the transcript is rewritten. */
  rewrites?: true;
  run(call: CommandCall): Promise<CommandOutcome>;
}

export interface CommandCall {
  args: string;
  message: InboundMessage;
  key: SessionKey;
  /** The inbox row: higher ids arrived after the command. */
  inboxId?: number;
  principal: Principal;
  isAdmin: boolean;
  now: number;
  /** The chat's route and session; undefined before its first message. Reading them doesn't count as activity. */
  route: RouteRow | undefined;
  session: SessionRow | undefined;
  gateway: CommandGateway;
  /** Aborted when the command is stopped. Missing if it doesn't wait for the running turn. */
  signal?: AbortSignal;
}

/** The result: a reply, and perhaps a turn. */
export interface CommandOutcome {
  reply?: string;
  /** Asked instead of a reply: the chosen command runs. */
  question?: CommandQuestion;
  /** The agent answers this in the chat's session, as if it had been written; `steer`: in the running turn. */
  turn?: { text: string; steer?: true };
}

export interface CommandQuestion {
  text: string;
  /** The command each choice runs; a choice without one does nothing. */
  choices: readonly { label: string; command?: string; style?: NonNullable<Choice["style"]> }[];
}

/** A chat's agent. */
export interface AgentOfChat {
  current: string;
  /** Without the chat's own choice. */
  configured: string;
  /** What the person may choose. */
  usable: { name: string; description: string | null }[];
}

/** The gateway's functions for commands. */
export interface CommandGateway {
  store: Store;
  config: Config;
  commands: readonly Command[];
  /** Ends the session and opens a new one. */
  startSession(call: CommandCall, options: { title?: string }): Promise<RouteRow>;
  switchSession(call: CommandCall, sessionId: string): Promise<RouteRow | undefined>;
  /** Continues the chat in a copy of the session. */
  branchSession(call: CommandCall, title: string | undefined): Promise<RouteRow | undefined>;
  /** Compresses now. Counts are messages. Undefined if there is too little to summarise. */
  compress(
    call: CommandCall,
    focus: string,
  ): Promise<{ before: number; after: number; title: string | null } | undefined>;
  /** Stops the running turn and cancels what waits; messages after the row `before` stay. */
  stop(key: SessionKey, before?: number): Promise<{ wasRunning: boolean; cancelled: number }>;
  /** Asks the last unanswered question again. False if there is none. */
  askAgain(key: SessionKey): Promise<boolean>;
  /** A turn runs, or waits for the answer to a question. */
  isRunning(key: SessionKey): boolean;
  /** Approvals that this person may give: those of the chat, then, for owners, all others. Oldest first. */
  openApprovals(call: CommandCall): QuestionRow[];
  /** False if it has already been decided. */
  decideApproval(question: QuestionRow, choiceId: string, call: CommandCall): Promise<boolean>;
  /** Starts or stops approving all tool calls in the chat's session. */
  approveAll(call: CommandCall, on: boolean): Promise<void>;
  /** Reloads the MCP servers from the configuration and reconnects them; returns their state. */
  reloadMcp(): Promise<readonly { name: string; state: string; tools: number; detail?: string }[]>;
  waiting(key: SessionKey): number;
  /** Starts a separate session whose answer is posted in this chat. Returns its id. */
  background(call: CommandCall, prompt: string): Promise<string>;
  model(key: SessionKey): Promise<string>;
  agentOf(call: CommandCall): AgentOfChat;
  /** The chat's own model or agent; null for the default. */
  choose(key: SessionKey, choice: RouteChoice): Promise<void>;
  contextLength: number;
  /** The name of a chat → where a schedule's answers go; `origin` is this chat. */
  deliveryOf(call: CommandCall, text: string): Promise<{ deliver: string; target: Target | null }>;
  nextReset(route: RouteRow): { at: number; reason: "idle" | "daily" } | undefined;
}
