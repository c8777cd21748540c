import type { Tool } from "../agents/backend.js";
import { monotonicSeconds, nowSeconds } from "../clock.js";
import { killPoint } from "../kill-point.js";
import { approvalChoices, approvalFor } from "../policies/approval.js";
import { countCall, type LoopState, NO_CALLS } from "../policies/tool-loop.js";
import { approvalSettingsOf } from "../rules.js";
import type { ChatMessage } from "../session.js";
import type { NewQuestion, ToolCallState, ToolGrant } from "../store/queues.js";
import { withTimeout } from "../timeout.js";
import { openCalls, parseArguments, readCalls } from "../tool-calls.js";
import { TOOL_MAX_CHARS, TOOL_TIMEOUT_MS } from "../tools/limits.js";
import { limitedOutput } from "../tools/output.js";
import type { OfferedTool } from "../tools/registry.js";
import type { ToolAnswer, ToolCall, ToolDefinition, ToolQuestion } from "../tools/tool.js";
import type { Context } from "./context.js";
import { type JournaledCall, kept, nestedId } from "./journal.js";
import { approvalText, newQuestionId, questionMessage } from "./question-message.js";
import type { Turn } from "./turn.js";

const UNKNOWN =
  "Error: the gateway was restarted during this call, so its outcome is unknown. It was not repeated. Check whether it took " +
  "effect before you try again, and tell the user if you can't.";
const EXPIRED = "the question was not answered in time";

/** The tools of one turn as its agent gets them: checks, approves, records, limits and reports every call. */
export class ToolRunner {
  readonly tools: readonly Tool[];
  readonly #context: Context;
  readonly #turn: Turn;
  readonly #offered: ReadonlyMap<string, OfferedTool>;
  readonly #grants: readonly ToolGrant[];
  #loops: LoopState = NO_CALLS;
  #nestedCalls = 0;
  /** Why no further call of this turn may run. */
  #stopped: string | undefined;

  constructor(context: Context, turn: Turn, offered: readonly OfferedTool[], grants: readonly ToolGrant[]) {
    this.#context = context;
    this.#turn = turn;
    this.#grants = grants;
    const older = offered.flatMap((one) => (one.tool.aliases ?? []).map((name) => [name, one] as const));
    this.#offered = new Map([...older, ...offered.map((one) => [one.tool.name, one] as const)]);
    this.tools = offered.map((one) => ({
      name: one.tool.name,
      aliases: one.tool.aliases,
      description: one.tool.description,
      parameters: one.tool.parameters,
      run: (args, signal, callId) => this.#run(one, args, signal, callId),
    }));
  }

  /** Calls of an earlier attempt. */
  remember(messages: readonly ChatMessage[]): void {
    const open = new Set(openCalls(messages).map(({ id }) => id));
    for (const { id, name, arguments: args } of messages.flatMap(readCalls))
      if (!open.has(id)) this.#count(name, parseArguments(args) ?? {});
  }

  /** Stand-ins for tools that were interrupted and are no longer offered: the outcome of their calls is unknown. */
  missing(names: readonly string[]): Tool[] {
    const gone = [...new Set(names)].filter((name) => !this.#offered.has(name));
    return gone.map((name) => ({
      ...{ name, hidden: true, description: "", parameters: {} },
      run: async (_args, _signal, callId) => {
        this.#turn.journal.end(callId, "unknown", UNKNOWN);
        return UNKNOWN;
      },
    }));
  }

  /** Whether the call needs no approval. */
  startsAtOnce(tool: string): boolean {
    const offered = this.#offered.get(tool);
    return offered !== undefined && this.#approvalOf(offered).to === "run";
  }

  async #run(
    offered: OfferedTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    callId: string,
  ): Promise<string> {
    const { journal, about } = this.#turn;
    const { tool } = offered;
    if (!journal.call(callId)) await journal.unannounced(callId, tool.name, JSON.stringify(args));
    const call = journal.call(callId)!;
    const startedAt = nowSeconds();
    const { events } = this.#context;
    events.emit({ type: "tool-started", ...about, tool: tool.name, callId, args });
    const outcome = await this.#outcome(offered, args, signal, callId, call);
    signal.throwIfAborted();
    journal.end(callId, outcome.state, outcome.text);
    await journal.endUnannounced(callId);
    const ok = outcome.state === "done";
    events.emit({ type: "tool-ended", ...about, tool: tool.name, callId, args, ok, startedAt });
    return outcome.text;
  }

  async #outcome(
    offered: OfferedTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    callId: string,
    call: JournaledCall,
  ): Promise<Outcome> {
    const { tool } = offered;
    if (call.result !== undefined && isOver(call.state)) return { state: call.state, text: call.result };
    if (call.interrupted && tool.repeat === "never") return { state: "unknown", text: UNKNOWN };
    const note = this.#count(tool.name, args);
    if (this.#stopped !== undefined) return { state: "denied", text: this.#stopped };
    // A call that an earlier attempt started has been approved.
    const refusal = call.interrupted ? undefined : await this.#refusal(offered, args, call);
    if (refusal !== undefined)
      return { state: "denied", text: `Error: the call was denied: ${refusal}. Don't try it another way.` };
    await this.#turn.journal.start(callId);
    const ended = await this.#execute(offered, args, signal, call);
    return note === "" ? ended : { ...ended, text: `${ended.text}\n\n${note}` };
  }

  /** Counts the turn's calls, including earlier attempts. Warns the model about repeats, then stops them. */
  #count(name: string, args: Record<string, unknown>): string {
    const { state, verdict, note } = countCall(this.#loops, { name, args });
    this.#loops = state;
    if (verdict === "stop") this.#stopped = note;
    return note;
  }

  async #execute(
    { tool }: OfferedTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    call: JournaledCall,
    more: Partial<ToolCall> = {},
  ): Promise<Outcome> {
    const { homeDir, secrets } = this.#context;
    // Redact before the result is stored anywhere.
    const clean = secrets.of("tool_result", { sessionId: this.#turn.session.id });
    const timeoutMs = tool.timeoutMs ?? TOOL_TIMEOUT_MS;
    const late = AbortSignal.timeout(timeoutMs);
    const startedAt = monotonicSeconds();
    try {
      const running = tool.run(args, { ...this.#callOf(call, AbortSignal.any([signal, late])), ...more });
      const text = await withTimeout(running, timeoutMs, {
        message: `${tool.name} gave no result within ${timeoutMs / 1000} s`,
      });
      killPoint("tool-ran");
      const output = await limitedOutput(clean.redact(text), {
        home: homeDir,
        key: call.id,
        maxChars: tool.maxChars ?? TOOL_MAX_CHARS,
      });
      return { state: "done", text: output };
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      const { log } = this.#context;
      const seconds = monotonicSeconds() - startedAt;
      log.warn({ err: error, tool: tool.name, traceId: this.#turn.first.traceId, seconds }, "tool failed");
      return { state: "failed", text: `Error: ${clean.redact(reason)}` };
    }
  }

  #callOf(call: JournaledCall, signal: AbortSignal): ToolCall {
    const { principal, session, key, replyTarget, room, shared, about } = this.#turn;
    const { events } = this.#context;
    let asked = 0;
    let askedAt = nowSeconds();
    return {
      idempotencyKey: call.id,
      principal,
      session: { id: session.id, key, source: session.source },
      target: replyTarget,
      room,
      shared,
      unattended: this.#unattended !== undefined,
      signal,
      ask: (question) => this.#ask(question, `${call.id}/${asked++}`),
      nested: {
        run: (tool, args, helper, signal) => this.#nested(call, tool, args, helper, signal),
        spent: (usage) => {
          this.#turn.spent(usage);
          events.emit({ type: "turn-usage", ...about, usage, startedAt: askedAt });
          askedAt = nowSeconds();
        },
      },
    };
  }

  /** A helper's call, with the rights of the call that started the helper. */
  async #nested(
    within: JournaledCall,
    tool: ToolDefinition,
    args: Record<string, unknown>,
    session: ToolCall["session"],
    signal: AbortSignal,
  ): Promise<string> {
    const { journal, about } = this.#turn;
    const { events, bootId } = this.#context;
    const id = nestedId(within, bootId, this.#nestedCalls++);
    const facts = { ...about, tool: tool.name, callId: id, args };
    const startedAt = nowSeconds();
    const call = { id, callId: id, tool: tool.name, arguments: kept(JSON.stringify(args)) };
    await journal.nested({ calls: [call], starting: id }, session.id);
    events.emit({ type: "tool-started", ...facts });
    const journaled: JournaledCall = { id, tool: tool.name, state: "running", interrupted: false };
    const more = { session, nested: undefined, ask: async () => undefined };
    const { state, text } = await this.#execute({ tool, ask: "never" }, args, signal, journaled, more);
    await journal.nested({ ended: [{ id, state, result: kept(text) }] }, session.id);
    events.emit({ type: "tool-ended", ...facts, ok: state === "done", startedAt });
    return text;
  }

  // ── questions ─────────────────────────────────────────────────────────────────────────────────────────────────

  #approvalOf({ tool, ask }: OfferedTool) {
    const { name, aliases } = tool;
    const question = { tool: name, aliases, ask, granted: this.#grants, unattended: this.#unattended };
    return approvalFor(question, approvalSettingsOf(this.#context.config));
  }

  /** Why the call may not run; undefined if it may. Suspends the turn until a person decides. */
  async #refusal(
    offered: OfferedTool,
    args: Record<string, unknown>,
    call: JournaledCall,
  ): Promise<string | undefined> {
    const approval = this.#approvalOf(offered);
    if (approval.to === "deny") return approval.reason;
    if (approval.to === "run") return undefined;
    const answer = await this.#decision(call.id, () => this.#approval(offered, args, call));
    if (!answer) return EXPIRED;
    const { platform, userId } = answer.by;
    call.decidedBy = `${platform}:${userId}`;
    return answer.choiceId === "deny" ? "a person said no" : undefined;
  }

  get #unattended() {
    return this.#turn.unattended;
  }

  async #ask(question: ToolQuestion, callId: string): Promise<ToolAnswer | undefined> {
    if (this.#unattended) return undefined;
    const answer = await this.#decision(callId, () => this.#toolQuestion(question, callId));
    return answer && { choiceId: answer.choiceId, text: answer.text };
  }

  /** The answer to a call's question; undefined if it timed out. Suspends the turn while it is open. */
  async #decision(callId: string, ask: () => Promise<NewQuestion>) {
    const { store } = this.#context;
    let [known] = await store.listQuestions({ callId });
    // The answer may arrive at the same moment; the store decides which one wins.
    if (known?.state === "open" && known.secondsLeft < 1)
      known = (await store.decideQuestion(known.id, { state: "expired" }))?.question;
    if (known && known.state !== "open") return known.answer ?? undefined;
    const question = await ask();
    return this.#suspend(known ? { ...question, id: known.id, timeoutSeconds: known.secondsLeft } : question);
  }

  #suspend(question: NewQuestion): never {
    const { running } = this.#turn;
    this.#turn.suspension = question;
    running.controller.abort("suspended");
    running.controller.signal.throwIfAborted();
    throw new Error("unreachable");
  }

  async #approval(
    { tool, ask }: OfferedTool,
    args: Record<string, unknown>,
    call: JournaledCall,
  ): Promise<NewQuestion> {
    const text = approvalText(tool.name, args, this.#turn);
    const choices = approvalChoices(ask);
    const inHome = this.#context.config.approvals.ask_in === "home";
    return this.#question({ text, choices }, { kind: "approval", callId: call.id, inHome });
  }

  #toolQuestion(question: ToolQuestion, callId: string): Promise<NewQuestion> {
    return this.#question(question, { kind: "clarify", callId, inHome: false });
  }

  async #question(
    { text, choices, acceptsText = false, timeoutSeconds }: ToolQuestion,
    { kind, callId, inHome }: { kind: NewQuestion["kind"]; callId: string; inHome: boolean },
  ): Promise<NewQuestion> {
    const { principal, key, replyTarget } = this.#turn;
    const id = newQuestionId();
    const view = { id, text, choices };
    const message = await questionMessage(this.#context, replyTarget, view, inHome);
    const { platform, userId } = principal;
    return {
      ...{ id, kind, sessionKey: key, text, choices, acceptsText, callId, message },
      // Even without a home channel: then only owners can decide.
      asked: inHome ? null : { platform, userId },
      timeoutSeconds: timeoutSeconds ?? this.#context.config.approvals.timeout,
    };
  }
}

function isOver(state: ToolCallState): state is Outcome["state"] {
  return state === "done" || state === "failed" || state === "denied" || state === "unknown";
}

interface Outcome {
  state: "done" | "failed" | "denied" | "unknown";
  text: string;
}
