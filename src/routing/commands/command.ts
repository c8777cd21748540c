import type { Config } from "../../config/schema.js";
import type { InboundMessage, Principal, Target } from "../../message.js";
import type { SessionKey, SessionRow } from "../../session.js";
import type { RouteRow } from "../../store/queues.js";
import type { Store } from "../../store/store.js";

export type CommandGroup = "conversation" | "turn" | "about";

/** One slash command, one file. Help, menus and completion come from these declarations. */
export interface Command {
  name: string;
  aliases?: readonly string[];
  /** As help shows it: `[title]`, `<text>`. */
  usage?: string;
  description: string;
  /** Where help shows it. Left out: it works, but help and menus don't name it. */
  group?: CommandGroup;
  /** Only for admins of the chat, where the configuration names some. */
  adminOnly?: boolean;
  /** "now": also while a turn runs. "idle": after the running turn, in its place in the queue. */
  when: "now" | "idle";
  /** What was said is changed by it: the transcript is written anew. */
  rewrites?: true;
  run(call: CommandCall): Promise<CommandOutcome>;
}

export interface CommandCall {
  args: string;
  message: InboundMessage;
  key: SessionKey;
  /** The inbox row: what is younger came after the command. */
  inboxId?: number;
  principal: Principal;
  isAdmin: boolean;
  now: number;
  /** The chat's route and session; undefined before its first message. Looking doesn't count as activity. */
  route: RouteRow | undefined;
  session: SessionRow | undefined;
  gateway: CommandGateway;
  /** Ends when it is stopped. Left out: it acts at once. */
  signal?: AbortSignal;
}

/** What comes of it: words for the chat, and perhaps a turn. */
export interface CommandOutcome {
  reply?: string;
  /** The agent answers this in the chat's session, as if it had been written; `steer`: in the turn that is running. */
  turn?: { text: string; steer?: true };
}

/** What commands may do to the gateway. */
export interface CommandGateway {
  store: Store;
  config: Config;
  commands: readonly Command[];
  /** Ends the session and opens a new one. */
  startSession(call: CommandCall, options: { title?: string }): Promise<RouteRow>;
  switchSession(call: CommandCall, sessionId: string): Promise<RouteRow | undefined>;
  /** The chat goes on in a copy of the call's session. */
  branchSession(call: CommandCall, title: string | undefined): Promise<RouteRow | undefined>;
  /** Summarises now; the counts are messages. Undefined when there is too little to summarise. */
  compress(
    call: CommandCall,
    focus: string,
  ): Promise<{ before: number; after: number; title: string | null } | undefined>;
  /** Stops the running turn and forgets what waits; what came after the row `before` stays. */
  stop(key: SessionKey, before?: number): Promise<{ wasRunning: boolean; cancelled: number }>;
  /** What was asked last and got no answer is asked again, as it was. False: there is no such thing. */
  askAgain(key: SessionKey): Promise<boolean>;
  isRunning(key: SessionKey): boolean;
  waiting(key: SessionKey): number;
  /** A separate session; its answer comes to this chat when it is done. */
  background(call: CommandCall, prompt: string): Promise<string>;
  model(key: SessionKey): string;
  setModel(key: SessionKey, model: string | undefined): void;
  contextLength: number;
  /** Words for a chat → where a schedule's answers go; `origin` is this chat. */
  deliveryOf(call: CommandCall, text: string): Promise<{ deliver: string; target: Target | null }>;
  nextReset(route: RouteRow): { at: number; reason: "idle" | "daily" } | undefined;
}
