import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicSeconds, nowSeconds } from "../clock.js";
import { isAdmin, mayUse, type NamedCommand, unknownCommand } from "../commands/admin.js";
import type {
  Command,
  CommandCall,
  CommandGateway,
  CommandOutcome,
  CommandQuestion,
} from "../commands/command.js";
import { commands, findCommand } from "../commands/index.js";
import { parseCommand } from "../commands/parse-command.js";
import type { CommandVerdict } from "../hooks/verdict.js";
import { type Person, targetOf } from "../message.js";
import { BACKGROUND } from "../one-turn.js";
import { nextReset, resetPolicyFor } from "../policies/reset.js";
import { knownTargetsOf, platformConfig } from "../rules.js";
import type { SessionKey, SessionRow } from "../session.js";
import type { InboxRow, QuestionRow, RouteChoice, RouteRow } from "../store/queues.js";
import type { NewSession } from "../store/store.js";
import { deliveryOf } from "../targets/find-target.js";
import type { After } from "./after.js";
import { askerOf } from "./asker.js";
import { agentOf, choose, modelOf } from "./chat-choices.js";
import { type Done, decided, followUp, wordsFor } from "./command-outcome.js";
import type { Context } from "./context.js";
import type { Delivery } from "./deliver.js";
import { aboutMessage, aboutRoute } from "./event-facts.js";
import type { Previews } from "./previews.js";
import { questionMessage } from "./question-message.js";
import type { Questions } from "./questions.js";
import type { Queue } from "./queue.js";
import type { Inbox } from "./receive.js";
import type { Resolver } from "./resolve.js";
import { turnFactsOf } from "./turn-facts.js";

export interface CommandStages {
  queue: Queue;
  inbox: Inbox;
  resolver: Resolver;
  after: After;
  previews: Previews;
  delivery: Delivery;
  questions: Questions;
}

/** How long /stop waits for the turn and its preview to end. */
const MAX_STOP_MS = 2000;

/** Runs slash commands, immediately where that is safe, otherwise in queue order. */
export class CommandRunner implements CommandGateway {
  readonly commands = commands;
  readonly reloadMcp = async () => (await this.#context.mcp?.reload()) ?? [];
  readonly #context: Context;
  readonly #stages: CommandStages;

  constructor(context: Context, stages: CommandStages) {
    this.#context = context;
    this.#stages = stages;
  }

  get store() {
    return this.#context.store;
  }
  get config() {
    return this.#context.config;
  }
  get contextLength() {
    return this.#context.agent.contextLength;
  }

  async run(row: InboxRow, command: Command, args: string): Promise<void> {
    const work = (signal?: AbortSignal) => this.#carryOut(row, command, args, signal);
    if (command.when === "idle") this.#stages.queue.lanes.push({ row, command: work });
    else await this.#stages.queue.lanes.hold(row.sessionKey, () => work());
  }

  /** A pressed button of a command's question, as a command: `/model gpt-5`. */
  async runChosen(row: InboxRow, text: string): Promise<void> {
    const { command: name, args } = parseCommand(text);
    const command = findCommand(name ?? "");
    if (command) return this.run(row, command, args);
    await this.store.settleMessage({ inboxId: row.id, state: "done", reason: "answer", replies: [] });
  }

  async #carryOut(row: InboxRow, command: Command, args: string, signal?: AbortSignal): Promise<void> {
    if (!(await this.#start(row, command.name))) return;
    const { events } = this.#context;
    const about = { command: command.name, ...aboutMessage(row) };
    const startedAt = monotonicSeconds();
    events.emit({ type: "command-started", args, ...about });
    const { ok, done, ...outcome } = await this.#outcomeOf(row, command, args, signal);
    await this.#settle(row, done, outcome);
    events.emit({ type: "command-ended", ok, seconds: monotonicSeconds() - startedAt, ...about });
    this.#stages.delivery.wake();
  }

  /** False if it has run, or was cancelled. */
  async #start(row: InboxRow, command: string): Promise<boolean> {
    const { bootId } = this.#context;
    return (await this.store.startMessage({ inboxId: row.id, bootId, command })) !== undefined;
  }

  /** A command that only hooks implement. */
  isHooked(name: string): boolean {
    return this.#context.hooks?.wantsCommand(name) ?? false;
  }

  async runHooked(row: InboxRow, name: string): Promise<void> {
    await this.#stages.queue.lanes.hold(row.sessionKey, async () => {
      if (!(await this.#start(row, name))) return;
      const outcome = this.#refusalOf(row, { name }) ?? (await this.#outcomeOfHooked(row, name));
      await this.#settle(row, outcome.done, outcome);
      this.#stages.delivery.wake();
    });
  }

  async #outcomeOfHooked(row: InboxRow, name: string): Promise<Omit<Done, "ok">> {
    const { args } = parseCommand(row.message.text);
    const verdict = await this.#verdictOf(row, name, args);
    const other = verdict?.decision === "rewrite" ? findCommand(verdict.command) : undefined;
    if (verdict?.decision === "rewrite" && other) return this.#runAllowed(row, other, verdict.args);
    return { done: { name }, reply: decided(verdict, name) ?? unknownCommand(name, commands) };
  }

  /** Runs hooks first, then the command, or the one a hook rewrote it to. */
  async #outcomeOf(row: InboxRow, command: Command, args: string, signal?: AbortSignal): Promise<Done> {
    const refusal = this.#refusalOf(row, command);
    if (refusal) return refusal;
    const verdict = await this.#verdictOf(row, command.name, args);
    const reply = decided(verdict, command.name);
    if (reply !== undefined) return { ok: verdict?.decision === "handled", done: command, reply };
    const other = verdict?.decision === "rewrite" ? findCommand(verdict.command) : undefined;
    if (verdict?.decision !== "rewrite" || !other) return this.#runAllowed(row, command, args, signal);
    return this.#runAllowed(row, other, verdict.args, signal);
  }

  async #verdictOf(row: InboxRow, command: string, args: string): Promise<CommandVerdict | undefined> {
    const { message, traceId } = row;
    const rawCommand = parseCommand(message.text).command ?? command;
    return this.#context.hooks?.askAboutCommand({ command, rawCommand, args, message, traceId });
  }

  #askerOf(row: InboxRow) {
    const { origin, platform } = row.message;
    return {
      isDm: origin.chatType === "dm",
      userId: origin.userId ?? null,
      owner: askerOf(row.message, this.#context).principal.owner,
      settings: platformConfig(this.config, platform),
    };
  }

  #refusalOf(row: InboxRow, command: NamedCommand): Done | undefined {
    const permission = mayUse(command, this.#askerOf(row));
    return permission.ok ? undefined : { ok: false, done: command, reply: permission.reason };
  }

  async #runAllowed(row: InboxRow, command: Command, args: string, signal?: AbortSignal): Promise<Done> {
    const refusal = this.#refusalOf(row, command);
    if (refusal) return refusal;
    const call = { ...(await this.#callOf(row, args)), ...(signal && { signal }) };
    try {
      const isAdministrator = isAdmin(this.#askerOf(row));
      return { ok: true, done: command, ...(await command.run({ ...call, isAdmin: isAdministrator })) };
    } catch (error) {
      // /stop has its own reply.
      if (signal?.aborted) return { ok: false, done: command };
      const { traceId } = row;
      this.#context.log.error({ err: error, traceId, command: command.name }, "command failed");
      return { ok: false, done: command, reply: `/${command.name} failed: ${wordsFor(error)}` };
    }
  }

  /** Stores the reply, and the question for the agent if there is one, in the transaction that ends the row. */
  async #settle(row: InboxRow, command: Done["done"], outcome: CommandOutcome): Promise<void> {
    const target = targetOf(row.message);
    if (outcome.question) await this.#ask(row, outcome.question);
    const replies = outcome.reply ? [{ target, kind: "command" as const, text: outcome.reply }] : [];
    const route = command.rewrites ? await this.store.getRoute(row.sessionKey) : undefined;
    if (route) this.#context.messagesChanged(route.sessionId);
    const settled = { inboxId: row.id, state: "done", reason: `/${command.name}`, replies } as const;
    const follow = outcome.turn && followUp(row, command.name, outcome.turn.text);
    const next = await this.store.settleMessage({ ...settled, ...(follow ? { follow } : {}) });
    if (!next && replies.length === 0) this.#stages.previews.dismiss(row);
    if (next && outcome.turn?.steer) this.#stages.queue.lanes.steer(next);
    else if (next) this.#stages.queue.lanes.push({ row: next });
  }

  /** The id comes from the command's row, so the question is asked once even if the row is settled twice. */
  async #ask(row: InboxRow, { text, choices: wanted }: CommandQuestion): Promise<void> {
    const { principal } = askerOf(row.message, this.#context);
    // Ids equal list positions, so a typed number is unambiguous.
    const numbered = wanted.map((choice, i) => ({ id: String(i + 1), ...choice }));
    const choices = numbered.map(({ command: _, ...choice }) => choice);
    const commands = numbered.flatMap(({ id, command }) => (command === undefined ? [] : [[id, command]]));
    const view = { id: `c${row.id}`, text, choices };
    const message = await questionMessage(this.#context, targetOf(row.message), view, false);
    await this.store.askQuestion({
      ...{ ...view, message, kind: "command", sessionKey: row.sessionKey, acceptsText: false },
      asked: { platform: principal.platform, userId: principal.userId },
      commands: Object.fromEntries(commands),
      timeoutSeconds: this.config.approvals.timeout,
    });
    await this.#stages.questions.asked(view.id);
  }

  async #callOf(row: InboxRow, args: string): Promise<CommandCall> {
    const route = await this.store.getRoute(row.sessionKey);
    return {
      args,
      message: row.message,
      key: row.sessionKey,
      inboxId: row.id,
      principal: askerOf(row.message, this.#context).principal,
      isAdmin: false,
      now: nowSeconds(),
      route,
      session: route && (await this.store.getSession(route.sessionId)),
      gateway: this,
    };
  }

  // ── what commands may do ──────────────────────────────────────────────────────────────────────────────────────

  async startSession(call: CommandCall, { title }: { title?: string }): Promise<RouteRow> {
    const facts = turnFactsOf({ message: call.message, sessionKey: call.key }, this.#context);
    const session = await this.#stages.resolver.newSession(call.message, facts);
    const before = call.route;
    const route = await this.#open(call, { ...session, ...(title ? { title } : {}) }, "session_reset");
    const { events } = this.#context;
    const how = { reason: "manual", endReason: "session_reset" } as const;
    if (before && !before.expiredReason)
      events.emit({ type: "session-reset", ...how, ...aboutRoute(before) });
    events.emit({ type: "session-started", ...aboutRoute(route) });
    return route;
  }

  async switchSession(call: CommandCall, sessionId: string): Promise<RouteRow | undefined> {
    // A chat needs a route before it can be switched.
    if (!call.route) await this.startSession(call, {});
    const to = { sessionKey: call.key, sessionId, endReason: "session_switch" };
    return this.#changed(await this.store.switchRoute(to));
  }

  async branchSession(call: CommandCall, title: string | undefined): Promise<RouteRow | undefined> {
    const { session, key } = call;
    if (!session) return undefined;
    if (!call.route) await this.startSession(call, {});
    const owner = this.#ownerOfCopy(call, session);
    const named = title === undefined ? {} : { title };
    const copy = { ...named, ...(owner ? { owner } : {}) };
    const to = { sessionKey: key, sessionId: session.id, endReason: "session_switch", copy };
    const route = this.#changed(await this.store.switchRoute(to));
    if (route) this.#context.messagesChanged(route.sessionId);
    return route;
  }

  /** A copy of a shared session belongs to the asker if it continues in their own chat. */
  #ownerOfCopy({ message, principal }: CommandCall, { user_id }: SessionRow): Person | undefined {
    const { shared } = askerOf(message, this.#context);
    return user_id === null && !shared ? principal : undefined;
  }

  async compress(call: CommandCall, focus: string) {
    const { route } = call;
    if (!route) return undefined;
    const at = { key: call.key, epoch: route.epoch, sessionId: route.sessionId };
    const done = await this.#stages.after.compress(at, { focus, reason: "asked" }, call.signal);
    return done && { before: done.before, after: done.after, title: done.child.title };
  }

  async stop(key: SessionKey, before?: number): Promise<{ wasRunning: boolean; cancelled: number }> {
    const { lanes } = this.#stages.queue;
    const wasSuspended = await lanes.endSuspended(key);
    const { rows: cancelled } = await this.store.cancelMessages({
      sessionKey: key,
      reason: "stopped",
      before,
    });
    const wasRunning = lanes.abort(key, "stopped", before ?? Number.POSITIVE_INFINITY);
    for (const row of cancelled) this.#stages.previews.dismiss(row);
    if (wasRunning || wasSuspended || cancelled.length > 0) await this.#stopped(key);
    return { wasRunning: wasRunning || wasSuspended, cancelled: cancelled.length };
  }

  async askAgain(key: SessionKey): Promise<boolean> {
    const { rows } = await this.store.retry({ sessionKey: key });
    for (const row of rows) this.#stages.queue.lanes.push({ row });
    return rows.length > 0;
  }

  isRunning(key: SessionKey): boolean {
    const { lanes } = this.#stages.queue;
    return lanes.isRunning(key) || lanes.isSuspended(key);
  }

  openApprovals({ key, principal }: CommandCall): QuestionRow[] {
    return this.#stages.questions.approvalsFor(principal, key);
  }

  async decideApproval(question: QuestionRow, choiceId: string, call: CommandCall): Promise<boolean> {
    const { userName = null } = call.message.origin;
    return this.#stages.questions.decideAs({ ...call.principal, userName }, question, { choiceId });
  }

  async approveAll({ session, principal }: CommandCall, on: boolean): Promise<void> {
    const by = `${principal.platform}:${principal.userId}`;
    if (session) await this.store.setGrant({ sessionId: session.id }, "*", on ? by : null);
  }

  waiting(key: SessionKey): number {
    return this.#stages.queue.lanes.waiting(key);
  }

  /** Queues a message with its own session, as durable as any other. */
  async background(call: CommandCall, prompt: string): Promise<string> {
    const id = randomUUID().slice(0, 8);
    const message = {
      ...call.message,
      eventId: `background:${id}`,
      text: prompt,
      fromCommand: true as const,
    };
    const { inbox } = this.#stages;
    const row = await inbox.accept(inbox.address(message, { sessionKey: `${call.key}${BACKGROUND}${id}` }));
    if (row) this.#stages.queue.lanes.push({ row });
    return id;
  }

  model = (key: SessionKey) => modelOf(this.#context, key);
  agentOf = (call: CommandCall) => agentOf(this.#context, call);
  choose = (key: SessionKey, choice: RouteChoice) => choose(this.#context, key, choice);

  deliveryOf(call: CommandCall, text: string) {
    const targets = { ...knownTargetsOf(this.config), origin: targetOf(call.message) };
    return deliveryOf(this.store, text, targets);
  }

  nextReset(route: RouteRow): { at: number; reason: "idle" | "daily" } | undefined {
    return nextReset(resetPolicyFor(route.origin, this.#context.reset), {
      lastUserActivity: route.lastUserActivity,
      now: nowSeconds(),
      timeZone: this.config.timezone,
      hasBackgroundWork: false,
    });
  }

  async #open(call: CommandCall, session: NewSession, endReason: string): Promise<RouteRow> {
    const route = await this.store.switchRoute({
      sessionKey: call.key,
      origin: call.message.origin,
      tuple: askerOf(call.message, this.#context).tuple,
      session,
      expectedSessionId: (await this.store.getRoute(call.key))?.sessionId ?? null,
      endReason,
      flags: { isFreshReset: true },
      at: call.now,
    });
    return this.#changed(route)!;
  }

  /** Gives the stopped turn's preview a moment to get its final text before /stop replies. */
  async #stopped(key: SessionKey): Promise<void> {
    const { queue, previews, questions } = this.#stages;
    const enough = new AbortController();
    const timeout = sleep(MAX_STOP_MS, undefined, { signal: enough.signal }).catch(() => undefined);
    const over = queue.lanes
      .over(key)
      // The turn may have asked a question in the meantime.
      .then(() => queue.lanes.endSuspended(key))
      .then(() => Promise.all([previews.settle({ sessionKey: key }), questions.refresh()]));
    await Promise.race([over, timeout]);
    enough.abort();
  }

  #changed(route: RouteRow | undefined): RouteRow | undefined {
    if (route) this.#context.routesChanged();
    return route;
  }
}
