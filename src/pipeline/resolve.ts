import { setImmediate as immediately } from "node:timers/promises";
import { BoundedMap } from "../bounded-map.js";
import { nowSeconds } from "../clock.js";
import { HermesError } from "../errors.js";
import type { InboundMessage } from "../message.js";
import { orderedId } from "../ordered-id.js";
import {
  nextReset,
  type ResetReason,
  type ResetSettings,
  resetPolicyFor,
  resetReason,
} from "../policies/reset.js";
import type { SessionKey } from "../session.js";
import type { Identity } from "../sessions/key.js";
import {
  type AcceptedMessage,
  type AcceptedStart,
  isTakenOver,
  type RouteOpening,
  type RouteRow,
  type StartedTurn,
} from "../store/queues.js";
import { isGateway } from "../store/shared/owner.js";
import type { NewSession } from "../store/store.js";
import type { Context } from "./context.js";
import { aboutRoute } from "./event-facts.js";
import type { ReadAhead, Turn } from "./turn.js";
import { type TurnFacts, turnFactsOf } from "./turn-facts.js";

export interface ResolverStages {
  hasBackgroundWork(key: string): boolean;
  /** A message arrived when its session was due for a reset. */
  ended(route: RouteRow, reason: string): void;
  /** Messages may be added without a turn, because a human is answering. */
  kept(turn: Turn, route: RouteRow): void;
}

/** Attempts: a command or another process may change the route between reading it and starting the turn. */
const MAX_TRIES = 5;

const KNOWN_ROUTES = 4096;

/** How to start the turn of a message in the commit that stores it. */
export interface Prepared {
  /** A promise if a new session needs data first. */
  start: AcceptedStart | Promise<AcceptedStart | undefined>;
  /** If its session continues. */
  ahead?: ReadAhead;
  facts: TurnFacts;
}

/** Session key → the current session, or a new one and why. Starts the turn in the same transaction. */
export class Resolver {
  readonly #context: Context;
  readonly #stages: ResolverStages;
  readonly #isGateway: boolean;
  /** Routes of recent turns, as a cache. The store checks that they are current. */
  readonly #known = new BoundedMap<SessionKey, RouteRow>(KNOWN_ROUTES);

  constructor(context: Context, stages: ResolverStages) {
    this.#context = context;
    this.#stages = stages;
    this.#isGateway = isGateway(context.owners);
  }

  /** Undefined if the turn must start separately. */
  prepare(accepted: AcceptedMessage, identity: Identity, mayRead: boolean): Prepared | undefined {
    const { bootId } = this.#context;
    const { sessionKey: key } = accepted;
    const route = this.#known.get(key);
    const at = nowSeconds();
    const start = { bootId, turnId: orderedId(), at };
    if (!route && !mayRead) return undefined;
    if (route && dueReason(route, this.#question(key, at)) !== undefined) return undefined;
    const facts = turnFactsOf(accepted, this.#context, identity);
    if (!route) return { start: this.#startOpening(accepted.message, facts, start), facts };
    const { epoch, sessionId, lastUserActivity } = route;
    return {
      start: { ...start, expected: { epoch, sessionId, lastUserActivity } },
      ahead: this.#readAhead(route),
      facts,
    };
  }

  #readAhead({ sessionId }: RouteRow): ReadAhead {
    const messages = this.#context.store.getConversation(sessionId);
    // The rejection is handled where the promise is awaited; it may never be.
    messages.catch(() => undefined);
    return { sessionId, messages };
  }

  #startOpening(
    message: InboundMessage,
    facts: TurnFacts,
    start: Omit<AcceptedStart, "expected">,
  ): Promise<AcceptedStart | undefined> {
    return this.#openingFor(facts, message).then(
      (open) => ({ ...start, expected: null, open }),
      // The message is accepted anyway; its turn reports the error.
      () => undefined,
    );
  }

  /** Undefined if its messages are no longer waiting. */
  async start(turn: Turn): Promise<StartedTurn | undefined> {
    const started = (await this.#takeOver(turn)) ?? (await this.#startWaiting(turn));
    if (!started) return undefined;
    if (turn.end === undefined) this.#known.set(turn.key, started.route);
    else this.#known.delete(turn.key);
    return started;
  }

  /** For a turn that started with its message. */
  async #takeOver(turn: Turn): Promise<StartedTurn | undefined> {
    const { early } = turn.running;
    if (!early) return undefined;
    const { started, ahead } = early;
    // The acknowledgement goes out first. A request gets none.
    if (!turn.isRequest) await immediately();
    if (ahead) turn.readAhead(ahead);
    if (started.opened) this.#opened(started.route);
    return started;
  }

  async #startWaiting(turn: Turn): Promise<StartedTurn | undefined> {
    const { store } = this.#context;
    const { first, key } = turn;
    let route = first.route === undefined ? await store.getRoute(key) : (first.route ?? undefined);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const started = await this.#tryStart(turn, route);
      if (started) return started;
      const current = await store.getRoute(key);
      if (current?.epoch === route?.epoch && current?.humanUntil === route?.humanUntil) return undefined;
      route = current;
    }
    throw new HermesError("unavailable", "The chat's session keeps changing");
  }

  async #tryStart(turn: Turn, route: RouteRow | undefined): Promise<StartedTurn | undefined> {
    const { store, bootId } = this.#context;
    const { first, key, inboxIds, id: turnId } = turn;
    const now = nowSeconds();
    const reason = route && dueReason(route, this.#question(key, now));
    const goesOn = route !== undefined && reason === undefined;
    const isKept = goesOn && isTakenOver(route, now);
    if (goesOn && !isKept) turn.readAhead(this.#readAhead(route));
    const started = await store.startTurn({
      ...{ sessionKey: key, inboxIds, bootId, turnId, at: now, earlierTurnId: first.turnId },
      expectedEpoch: route?.epoch ?? null,
      open: goesOn ? undefined : await this.#openingFor(turn, first.message, reason),
      keep: isKept ? turn.kept : undefined,
    });
    if (!started && isKept) this.#stages.kept(turn, route);
    if (!started?.opened) return started;
    // Sessions that the sweep ended were reported by the sweep.
    if (reason && route && !route.expiredReason) this.#stages.ended(route, reason);
    this.#opened(started.route);
    return started;
  }

  #opened(route: RouteRow): void {
    const { routesChanged, events } = this.#context;
    routesChanged();
    events.emit({ type: "session-started", ...aboutRoute(route) });
  }

  #question(key: SessionKey, now: number): ResetQuestion {
    const { config, reset } = this.#context;
    return { now, timeZone: config.timezone, hasBackgroundWork: this.#stages.hasBackgroundWork(key), reset };
  }

  async #openingFor(
    facts: Pick<TurnFacts, "tuple" | "principal" | "shared" | "room">,
    message: InboundMessage,
    reset?: string,
  ): Promise<RouteOpening> {
    return {
      origin: message.origin,
      tuple: facts.tuple,
      session: await this.newSession(message, facts),
      reset,
      // A process that serves one account runs the memory turn itself.
      memoryFlush: this.#isGateway,
    };
  }

  async newSession(
    message: InboundMessage,
    { principal, shared, room }: Pick<TurnFacts, "principal" | "shared" | "room">,
  ): Promise<NewSession> {
    const { agent, systemPrompt } = this.#context;
    const { request, task, origin } = message;
    return {
      ...(request?.sessionId ? { id: request.sessionId } : {}),
      source: message.platform,
      user_id: shared ? null : principal.userId,
      room,
      model: agent.model,
      system_prompt: await systemPrompt({ origin, shared, principal, task }),
    };
  }
}

export interface ResetQuestion {
  now: number;
  timeZone: string;
  hasBackgroundWork: boolean;
  reset: ResetSettings;
}

/** Why this session ends: the sweep expired it, or it is due now. */
export function dueReason(route: RouteRow, question: ResetQuestion): ResetReason | "suspended" | undefined {
  if (route.suspended) return "suspended";
  if (route.expiredReason) return route.expiredReason as ResetReason;
  if (isTakenOver(route, question.now)) return undefined;
  return resetReason(resetPolicyFor(route.origin, question.reset), clockOf(route, question));
}

/** A whole second at or before the session can become due. */
export function notDueBefore(route: RouteRow, question: ResetQuestion): number {
  const next = nextReset(resetPolicyFor(route.origin, question.reset), clockOf(route, question));
  return next ? Math.floor(Math.max(next.at, route.humanUntil ?? 0)) : Number.POSITIVE_INFINITY;
}

function clockOf({ lastUserActivity }: RouteRow, { now, timeZone, hasBackgroundWork }: ResetQuestion) {
  return { lastUserActivity, now, timeZone, hasBackgroundWork };
}
