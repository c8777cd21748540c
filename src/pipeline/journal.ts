import type { TurnMessage, TurnUsage } from "../agents/backend.js";
import { HermesError } from "../errors.js";
import { killPoint } from "../kill-point.js";
import type { NewMessage, SessionId } from "../session.js";
import type {
  EndedToolCall,
  InboxRow,
  NewToolCall,
  RecordedSteps,
  StepEntry,
  ToolCaller,
  ToolCallRow,
  ToolCallState,
  TurnStep,
} from "../store/queues.js";
import { truncated } from "../text-limits.js";
import { type Call, splitCalls } from "../tool-calls.js";
import type { Context } from "./context.js";

/** A tool call of the turn. */
export interface JournaledCall {
  /** The idempotency key. */
  readonly id: string;
  readonly tool: string;
  state: ToolCallState;
  /** An earlier attempt started it without recording a result. */
  interrupted: boolean;
  /** Who approved it. */
  decidedBy?: string | undefined;
  /** No message of the backend announced it. */
  unannounced?: true;
  /** Its result in an earlier attempt. */
  result?: string | undefined;
}

export interface JournalParts {
  store: Pick<Context["store"], "recordStep">;
  turnId: string;
  bootId: string;
  caller: ToolCaller;
  /** The client's own tools: the client runs them, so they aren't recorded. */
  clientTools: readonly { name: string }[];
  /** Whether the call can start without an approval. */
  startsAtOnce(tool: string): boolean;
}

/** Roles of journal entries that aren't part of the conversation. */
const SENT = "prompt_sent";
const ARRIVED = "prompt_arrived";
const CALL_MADE = "call_made";
const INTERNAL: ReadonlySet<string> = new Set([SENT, ARRIVED, CALL_MADE]);
/** How much of arguments and results the audit keeps. */
const MAX_KEPT_CHARS = 2000;

/**
 * Records what a turn does, step by step: the model's message before its calls run, and each result before the next step.
 * A turn without calls records nothing. After a crash the turn resumes after its last record.
 */
export class Journal {
  readonly #parts: JournalParts;
  readonly #calls = new Map<string, JournaledCall>();
  readonly #entries: StepEntry[];
  /** Unannounced calls of earlier attempts. A backend that repeats one gets the recorded result. */
  readonly #earlier: ToolCallRow[] = [];
  /** Recorded calls without a result, in execution order. */
  #open: string[] = [];
  #ended: EndedToolCall | undefined;
  #newSteps = 0;
  /** Number of calls so far, for idempotency keys: models and backends may reuse call ids. */
  #made: number;

  constructor(parts: JournalParts, recorded: RecordedSteps | undefined) {
    this.#parts = parts;
    this.#entries = [...(recorded?.entries ?? [])];
    this.#made = recorded?.calls.length ?? 0;
    const made = new Set(
      this.#entries.flatMap(({ message }) =>
        message.role === CALL_MADE ? (message.tool_call_id ?? []) : [],
      ),
    );
    for (const call of recorded?.calls ?? []) {
      const { id, callId, tool, state } = call;
      if (made.has(id)) this.#earlier.push(call);
      if (isNested(id) || made.has(id)) continue;
      this.#calls.set(callId, { id, tool, state, interrupted: state === "running" });
      if (state === "waiting" || state === "running") this.#open.push(callId);
    }
  }

  /** Everything recorded so far, including earlier attempts. */
  get messages(): TurnMessage[] {
    return this.#entries
      .map(({ message }) => message as TurnMessage)
      .filter(({ role }) => !INTERNAL.has(role));
  }

  /** Where the prompt was sent, for an agent that keeps its own conversation: the agent and its conversation. */
  get sent(): { agent: string; conversation: string } | undefined {
    const entry = this.#entries.find(({ message }) => message.role === SENT);
    return entry && { agent: entry.message.tool_name ?? "", conversation: entry.message.tool_call_id ?? "" };
  }

  /** Call before sending the prompt: it is never sent twice. */
  async sending(agent: string, conversation: string): Promise<void> {
    const message = { role: SENT, content: null, tool_name: agent, tool_call_id: conversation };
    await this.#record({ entries: [{ message }] });
    killPoint("prompt-recorded");
  }

  /** The agent has shown that it received the prompt. */
  get hasArrived(): boolean {
    return this.#entries.some(({ message }) => message.role === ARRIVED);
  }

  async arrived(): Promise<void> {
    await this.#record({ entries: [{ message: { role: ARRIVED, content: null } }] });
    killPoint("prompt-arrived");
  }

  get usages(): TurnUsage[] {
    return this.#entries.flatMap(({ usage }) => (usage ? [usage as TurnUsage] : []));
  }

  /** Rows added to the running turn, in order. */
  get taken(): number[] {
    return this.#entries.flatMap(({ inboxId }) => inboxId ?? []);
  }

  /** Steps of this attempt. A turn that makes progress starts with a fresh attempt count. */
  get hasProgress(): boolean {
    return this.#newSteps > 0;
  }

  /** Tools with calls that an earlier attempt started but didn't finish. */
  get interrupted(): string[] {
    const known = [...this.#calls.values()].flatMap(({ tool, interrupted }) => (interrupted ? tool : []));
    return [...known, ...this.#earlier.flatMap(({ tool, state }) => (state === "running" ? tool : []))];
  }

  call(callId: string): JournaledCall | undefined {
    return this.#calls.get(callId);
  }

  /** Records a message of the agent if the turn continues after it. `taken`: the inbox row it was added from. */
  async message(
    message: TurnMessage,
    {
      calls,
      usage,
      taken,
    }: { calls: readonly Call[]; usage: TurnUsage | undefined; taken?: InboxRow | undefined },
  ): Promise<void> {
    const entry: StepEntry = { message: message as NewMessage, usage, inboxId: taken?.id };
    if (message.role === "assistant") return this.#round(calls, entry);
    const isResult = message.role === "tool";
    const ended = isResult ? this.#endOf(message) : undefined;
    await this.#record({ entries: [entry], ended: ended ? [ended] : [], starting: this.#next() });
    killPoint(isResult ? "result-recorded" : "steering-recorded");
  }

  /** Ends a call; recorded together with its result. */
  end(callId: string, state: EndedToolCall["state"], result: string): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    call.state = state;
    this.#ended = { id: call.id, state, result: kept(result), decidedBy: call.decidedBy };
  }

  /** Call before running a call that had to wait. */
  async start(callId: string): Promise<void> {
    const call = this.#calls.get(callId);
    if (call?.state !== "waiting") return;
    call.state = "running";
    await this.#record({ entries: [], starting: call.id });
    killPoint("call-started");
  }

  /**
   * A backend runs a call without announcing it in a message. After a crash it restarts its turn, so a call
   * with the same tool and arguments is matched with the recorded one.
   */
  async unannounced(callId: string, tool: string, args: string): Promise<void> {
    const isSame = (call: ToolCallRow) => call.tool === tool && call.arguments === kept(args);
    const at = this.#earlier.findIndex(isSame);
    if (at !== -1) {
      const { id, state, result } = this.#earlier.splice(at, 1)[0]!;
      const interrupted = state === "running";
      const about = { id, tool, state, interrupted, unannounced: true } as const;
      this.#calls.set(callId, { ...about, result: result ?? undefined });
      return;
    }
    const call = this.#add({ id: callId, name: tool, arguments: args });
    this.#calls.get(callId)!.unannounced = true;
    const message = { role: CALL_MADE, content: null, tool_call_id: call.id };
    await this.#record({ entries: [{ message }], calls: [call], starting: this.#next() });
  }

  /** Records the end of an unannounced call immediately: no message with its result may follow. */
  async endUnannounced(callId: string): Promise<void> {
    const ended = this.#ended;
    if (!ended || !this.#calls.get(callId)?.unannounced) return;
    this.#ended = undefined;
    this.#open = this.#open.filter((id) => id !== callId);
    await this.#record({ entries: [], ended: [ended] });
  }

  /** For the audit: a nested call starts or ends. */
  async nested(change: Pick<TurnStep, "calls" | "ended" | "starting">, sessionId: SessionId): Promise<void> {
    const { store, turnId, bootId, caller } = this.#parts;
    const about = { turnId, bootId, caller: { ...caller, sessionId }, position: this.#entries.length };
    const isHeld = await store.recordStep({ ...about, entries: [], isNested: true, ...change });
    if (!isHeld) throw new HermesError("conflict", "The turn lost its inbox rows");
  }

  async #round(made: readonly Call[], entry: StepEntry): Promise<void> {
    if (made.length === 0) return;
    const { ours } = splitCalls(made, this.#parts.clientTools);
    if (ours.length === 0) return;
    const calls = ours.map((call) => this.#add(call));
    await this.#record({ entries: [entry], calls, starting: this.#next() });
    killPoint("calls-recorded");
  }

  #add(call: Call): NewToolCall {
    const id = `${this.#parts.turnId}.${this.#made++}`;
    this.#calls.set(call.id, { id, tool: call.name, state: "waiting", interrupted: false });
    this.#open.push(call.id);
    return { id, callId: call.id, tool: call.name, arguments: kept(call.arguments) };
  }

  /** The state of a call that never reached its tool: unknown name or invalid arguments. */
  #endOf({ tool_call_id: callId, content }: TurnMessage): EndedToolCall | undefined {
    const call = callId === undefined ? undefined : this.#calls.get(callId);
    if (!call) return undefined;
    this.#open = this.#open.filter((id) => id !== callId);
    const ended = this.#ended;
    this.#ended = undefined;
    if (ended?.id === call.id) return ended;
    call.state = "failed";
    return { id: call.id, state: "failed", result: kept(String(content ?? "")) };
  }

  /** The next call, if it can start immediately. */
  #next(): string | undefined {
    const callId = this.#open[0];
    const call = callId === undefined ? undefined : this.#calls.get(callId);
    if (call?.state !== "waiting" || !this.#parts.startsAtOnce(call.tool)) return undefined;
    call.state = "running";
    return call.id;
  }

  async #record(step: Pick<TurnStep, "entries" | "calls" | "ended" | "starting">): Promise<void> {
    const { store, turnId, bootId, caller } = this.#parts;
    const position = this.#entries.length;
    const isHeld = await store.recordStep({ turnId, bootId, position, caller, ...step });
    if (!isHeld) throw new HermesError("conflict", "The turn lost its inbox rows");
    this.#entries.push(...step.entries);
    this.#newSteps += 1;
  }
}

/** The number of a nested call. Contains the boot id because a repeat is a new call. */
export function nestedId(call: JournaledCall, bootId: string, number: number): string {
  return `${call.id}/${bootId.slice(0, 8)}.${number}`;
}

function isNested(id: string): boolean {
  return id.includes("/");
}

export function kept(text: string): string {
  return truncated(text, MAX_KEPT_CHARS, "text");
}
