import { randomUUID } from "node:crypto";
import { isChatId } from "../adapters/chat-ids.js";
import { monotonicSeconds, nowSeconds } from "../clock.js";
import { deliveryOf } from "../delivery/find-target.js";
import { describeError } from "../errors.js";
import type { CommandVerdict } from "../hooks/verdict.js";
import { type InboundMessage, type Person, targetOf } from "../message.js";
import { BACKGROUND } from "../one-turn.js";
import { nextReset, resetPolicyFor } from "../policies/reset.js";
import { isAdmin, mayUse, type NamedCommand, unknownCommand } from "../routing/admin.js";
import type { Command, CommandCall, CommandGateway, CommandOutcome } from "../routing/commands/command.js";
import { commands, findCommand } from "../routing/commands/index.js";
import { parseCommand } from "../routing/parse-command.js";
import { principalOf } from "../routing/router.js";
import { isolationOf, placesOf, platformConfig, resetSettingsOf } from "../rules.js";
import type { SessionKey, SessionRow } from "../session.js";
import { isShared } from "../sessions/key.js";
import type { AcceptedMessage, InboxRow, RouteRow } from "../store/queues.js";
import type { NewSession } from "../store/store.js";
import type { Inbox } from "../turns/inbox.js";
import type { Lanes } from "../turns/lanes.js";
import type { Aftermath } from "./aftermath.js";
import { aboutMessage, aboutRoute } from "./event-facts.js";
import type { GatewayParts } from "./parts.js";

export interface DeskParts {
  lanes: Lanes;
  inbox: Inbox;
  aftermath: Aftermath;
  isBusy(key: SessionKey): boolean;
  /** The turn that was told to end is over, or takes its time. */
  stopped(key: SessionKey): Promise<void>;
  enter(row: InboxRow): void;
  newSession(message: InboundMessage): Promise<NewSession>;
  wake(): void;
  /** Nothing will be said to it. */
  unanswered(row: InboxRow): void;
}

const MODELS_MAX = 1000;

/** Carries out slash commands: at once where that makes sense, in their place in the line otherwise. */
export class CommandDesk implements CommandGateway {
  readonly commands = commands;
  readonly #parts: GatewayParts;
  readonly #desk: DeskParts;
  /** Models that chats asked for, until the next start. The oldest choice gives way. */
  readonly #models = new Map<SessionKey, string>();

  constructor(parts: GatewayParts, desk: DeskParts) {
    this.#parts = parts;
    this.#desk = desk;
  }

  get store() {
    return this.#parts.store;
  }
  get config() {
    return this.#parts.config;
  }
  get contextLength() {
    return this.#parts.agent.contextLength;
  }

  async run(row: InboxRow, command: Command, args: string): Promise<void> {
    const work = (signal?: AbortSignal) => this.#carryOut(row, command, args, signal);
    if (command.when === "idle") this.#desk.lanes.push({ row, command: work });
    else await this.#desk.lanes.hold(row.sessionKey, () => work());
  }

  async #carryOut(row: InboxRow, command: Command, args: string, signal?: AbortSignal): Promise<void> {
    if (!(await this.store.startCommand(row.id, command.name, this.#parts.bootId))) return;
    const { events } = this.#parts;
    const about = { command: command.name, ...aboutMessage(row) };
    const startedAt = monotonicSeconds();
    events.emit({ type: "command-started", args, ...about });
    const { ok, done, ...outcome } = await this.#outcomeOf(row, command, args, signal);
    await this.#settle(row, done, outcome);
    events.emit({ type: "command-ended", ok, seconds: monotonicSeconds() - startedAt, ...about });
    this.#desk.wake();
  }

  /** A command that only hooks know. */
  isHooked(name: string): boolean {
    return this.#parts.hooks?.wantsCommand(name) ?? false;
  }

  async runHooked(row: InboxRow, name: string): Promise<void> {
    await this.#desk.lanes.hold(row.sessionKey, async () => {
      if (!(await this.store.startCommand(row.id, name, this.#parts.bootId))) return;
      const outcome = this.#refusalOf(row, { name }) ?? (await this.#outcomeOfHooked(row, name));
      await this.#settle(row, outcome.done, outcome);
      this.#desk.wake();
    });
  }

  async #outcomeOfHooked(row: InboxRow, name: string): Promise<Omit<Done, "ok">> {
    const { args } = parseCommand(row.message.text);
    const verdict = await this.#verdictOf(row, name, args);
    const other = verdict?.decision === "rewrite" ? findCommand(verdict.command) : undefined;
    if (verdict?.decision === "rewrite" && other) return this.#runAllowed(row, other, verdict.args);
    return { done: { name }, reply: decided(verdict, name) ?? unknownCommand(name, commands) };
  }

  /** What hooks say to it, then the command itself, or the one that they make of it. */
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
    return this.#parts.hooks?.askAboutCommand({ command, rawCommand, args, message, traceId });
  }

  #askerOf(row: InboxRow) {
    const { origin, platform } = row.message;
    return {
      isDm: origin.chatType === "dm",
      userId: origin.userId ?? null,
      owner: principalOf(row.message, this.config).owner,
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
      // Whoever stopped it is told so.
      if (signal?.aborted) return { ok: false, done: command };
      const { traceId } = row;
      this.#parts.log.error({ err: error, traceId, command: command.name }, "command failed");
      return { ok: false, done: command, reply: `/${command.name} failed: ${wordsFor(error)}` };
    }
  }

  /** The words go out with the row's end. A turn takes the row over: it then stands for what the agent is asked. */
  async #settle(row: InboxRow, command: Done["done"], outcome: CommandOutcome): Promise<void> {
    const target = targetOf(row.message);
    const replies = outcome.reply ? [{ target, kind: "command" as const, text: outcome.reply }] : [];
    const route = command.rewrites ? await this.store.getRoute(row.sessionKey) : undefined;
    if (route) this.#parts.messagesChanged(route.sessionId);
    const settled = { inboxId: row.id, state: "done", reason: `/${command.name}`, replies } as const;
    const follow = outcome.turn && followUp(row, command.name, outcome.turn.text);
    const next = await this.store.settleMessage({ ...settled, ...(follow ? { follow } : {}) });
    if (!next && replies.length === 0) this.#desk.unanswered(row);
    if (next && outcome.turn?.steer) this.#desk.lanes.steer(next);
    else if (next) this.#desk.lanes.push({ row: next });
  }

  async #callOf(row: InboxRow, args: string): Promise<CommandCall> {
    const route = await this.store.getRoute(row.sessionKey);
    return {
      args,
      message: row.message,
      key: row.sessionKey,
      inboxId: row.id,
      principal: principalOf(row.message, this.config),
      isAdmin: false,
      now: nowSeconds(),
      route,
      session: route && (await this.store.getSession(route.sessionId)),
      gateway: this,
    };
  }

  // ── what commands may do ──────────────────────────────────────────────────────────────────────────────────────

  async startSession(call: CommandCall, { title }: { title?: string }): Promise<RouteRow> {
    const session = await this.#desk.newSession(call.message);
    const before = call.route;
    const route = await this.#open(call, { ...session, ...(title ? { title } : {}) }, "session_reset");
    const { events } = this.#parts;
    const how = { reason: "manual", endReason: "session_reset" } as const;
    if (before && !before.expiredReason)
      events.emit({ type: "session-reset", ...how, ...aboutRoute(before) });
    events.emit({ type: "session-started", ...aboutRoute(route) });
    return route;
  }

  async switchSession(call: CommandCall, sessionId: string): Promise<RouteRow | undefined> {
    // A chat without a route yet gets one first: there is nothing to switch otherwise.
    if (!call.route) await this.startSession(call, {});
    const route = await this.store.switchRoute(call.key, sessionId, "session_switch");
    return this.#changed(route);
  }

  async branchSession(call: CommandCall, title: string | undefined): Promise<RouteRow | undefined> {
    const { session, key: sessionKey } = call;
    if (!session) return undefined;
    if (!call.route) await this.startSession(call, {});
    const owner = this.#ownerOfCopy(call, session);
    const named = title === undefined ? {} : { title };
    const wanted = { sessionKey, sessionId: session.id, ...named, ...(owner ? { owner } : {}) };
    const route = this.#changed(await this.store.branchRoute(wanted));
    if (route) this.#parts.messagesChanged(route.sessionId);
    return route;
  }

  /** A copy of what several people share is the asker's own in a chat of their own. */
  #ownerOfCopy({ message, principal }: CommandCall, { user_id }: SessionRow): Person | undefined {
    const shared = isShared(message.origin, isolationOf(this.config));
    return user_id === null && !shared ? principal : undefined;
  }

  async compress(call: CommandCall, focus: string) {
    const { route } = call;
    if (!route) return undefined;
    const place = { key: call.key, epoch: route.epoch, sessionId: route.sessionId };
    const done = await this.#desk.aftermath.compress(place, { focus, reason: "asked" }, call.signal);
    return done && { before: done.before, after: done.after, title: done.child.title };
  }

  async stop(key: SessionKey, before?: number): Promise<{ wasRunning: boolean; cancelled: number }> {
    const cancelled = await this.store.cancelWaiting(key, "stopped", before);
    const wasRunning = this.#desk.lanes.abort(key, "stopped", before ?? Number.POSITIVE_INFINITY);
    for (const row of cancelled) this.#desk.unanswered(row);
    if (wasRunning || cancelled.length > 0) await this.#desk.stopped(key);
    return { wasRunning, cancelled: cancelled.length };
  }

  async askAgain(key: SessionKey): Promise<boolean> {
    const rows = await this.store.askAgain(key);
    for (const row of rows) this.#desk.lanes.push({ row });
    return rows.length > 0;
  }

  isRunning(key: SessionKey): boolean {
    return this.#desk.lanes.isRunning(key);
  }

  waiting(key: SessionKey): number {
    return this.#desk.lanes.waiting(key);
  }

  /** A message of its own with a session of its own: as durable as any other. */
  async background(call: CommandCall, prompt: string): Promise<string> {
    const id = randomUUID().slice(0, 8);
    const message = {
      ...call.message,
      eventId: `background:${id}`,
      text: prompt,
      fromCommand: true as const,
    };
    const row = await this.#desk.inbox.accept(message, `${call.key}${BACKGROUND}${id}`);
    if (row) this.#desk.lanes.push({ row });
    return id;
  }

  model(key: SessionKey): string {
    return this.#models.get(key) ?? this.#parts.agent.model;
  }

  modelFor(key: SessionKey): string | undefined {
    return this.#models.get(key);
  }

  setModel(key: SessionKey, model: string | undefined): void {
    this.#models.delete(key);
    if (model !== undefined) this.#models.set(key, model);
    const oldest = this.#models.keys().next().value;
    if (this.#models.size > MODELS_MAX && oldest !== undefined) this.#models.delete(oldest);
  }

  deliveryOf(call: CommandCall, text: string) {
    const places = { ...placesOf(this.config), isChatId, origin: targetOf(call.message) };
    return deliveryOf(this.store, text, places);
  }

  nextReset(route: RouteRow): { at: number; reason: "idle" | "daily" } | undefined {
    return nextReset(resetPolicyFor(route.origin, resetSettingsOf(this.config)), {
      lastUserActivity: route.lastUserActivity,
      now: nowSeconds(),
      timeZone: this.config.timezone,
      hasBackgroundWork: false,
    });
  }

  async #open(call: CommandCall, session: NewSession, endReason: string): Promise<RouteRow> {
    const route = await this.store.openRoute({
      sessionKey: call.key,
      origin: call.message.origin,
      tuple: this.#desk.inbox.tupleOf(call.message),
      session,
      expectedSessionId: (await this.store.getRoute(call.key))?.sessionId ?? null,
      endReason,
      flags: { isFreshReset: true },
      at: call.now,
    });
    return this.#changed(route)!;
  }

  #changed(route: RouteRow | undefined): RouteRow | undefined {
    if (route) this.#parts.routesChanged();
    return route;
  }
}

/** What came of it, and which command it was in the end. */
type Done = CommandOutcome & { ok: boolean; done: Pick<Command, "name" | "rewrites"> };

/** What the asker can do something about is said; where the database lies and what it lacks is the operator's. */
function wordsFor(error: unknown): string {
  const { code, message } = describeError(error);
  const isOurs = code === "internal" || code === "unavailable";
  return isOurs ? "something went wrong here. The operator's log says what." : message;
}

/** What a chat is told when hooks have decided; undefined: they leave it to the command. */
function decided(verdict: CommandVerdict | undefined, name: string): string | undefined {
  if (verdict?.decision === "deny") return verdict.message ?? `/${name} was denied.`;
  return verdict?.decision === "handled" ? (verdict.message ?? "") : undefined;
}

/** What the agent is asked in the command's place: a message of its own, in the same chat. */
function followUp({ message, sessionKey }: InboxRow, command: string, text: string): AcceptedMessage {
  const eventId = `${message.eventId}/${command}`;
  return { message: { ...message, eventId, text, fromCommand: true }, sessionKey, receivedAt: nowSeconds() };
}
