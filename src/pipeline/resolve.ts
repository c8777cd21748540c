import { nowSeconds } from "../clock.js";
import { HermesError } from "../errors.js";
import { audienceOf, type InboundMessage, type Principal } from "../message.js";
import {
  nextReset,
  type ResetReason,
  type ResetSettings,
  resetPolicyFor,
  resetReason,
} from "../policies/reset.js";
import type { RouteOpening, RouteRow, StartedTurn } from "../store/queues.js";
import { isGateway } from "../store/shared/owner.js";
import type { NewSession } from "../store/store.js";
import type { Context } from "./context.js";
import { aboutRoute } from "./event-facts.js";
import type { Turn } from "./turn.js";

export interface ResolverStages {
  hasBackgroundWork(key: string): boolean;
  /** A message found the session of a route due for a reset. */
  ended(route: RouteRow, reason: string): void;
}

/** Between reading a route and starting a turn, a command or another process may change it. */
const MAX_TRIES = 5;

/** key → the live session, or a new one with the reason why. The turn starts in the same transaction. */
export class Resolver {
  readonly #context: Context;
  readonly #stages: ResolverStages;

  constructor(context: Context, stages: ResolverStages) {
    this.#context = context;
    this.#stages = stages;
  }

  /** Undefined: its messages don't wait any more. */
  async start(turn: Turn): Promise<StartedTurn | undefined> {
    const { store } = this.#context;
    const { first, key } = turn;
    let route = first.route === undefined ? await store.getRoute(key) : (first.route ?? undefined);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const started = await this.#tryStart(turn, route);
      if (started) return started;
      const current = await store.getRoute(key);
      if (current?.epoch === route?.epoch) return undefined;
      route = current;
    }
    throw new HermesError("unavailable", "The chat's session keeps changing");
  }

  async #tryStart(turn: Turn, route: RouteRow | undefined): Promise<StartedTurn | undefined> {
    const { store, bootId, config, reset, routesChanged, events } = this.#context;
    const { first, key, inboxIds, id: turnId } = turn;
    const now = nowSeconds();
    const hasBackgroundWork = this.#stages.hasBackgroundWork(key);
    const question = { now, timeZone: config.timezone, hasBackgroundWork, reset };
    const reason = route && dueReason(route, question);
    const goesOn = route !== undefined && reason === undefined;
    if (goesOn) turn.readAhead(route.sessionId, store.getConversation(route.sessionId));
    const started = await store.startTurn({
      ...{ sessionKey: key, inboxIds, bootId, turnId, at: now, earlierTurnId: first.turnId },
      expectedEpoch: route?.epoch ?? null,
      open: goesOn ? undefined : await this.#openingFor(turn, reason),
    });
    if (!started?.opened) return started;
    routesChanged();
    // Sessions that the sweep ended were reported then.
    if (reason && route && !route.expiredReason) this.#stages.ended(route, reason);
    events.emit({ type: "session-started", ...aboutRoute(started.route) });
    return started;
  }

  async #openingFor({ first, tuple, principal, shared }: Turn, reset?: string): Promise<RouteOpening> {
    const { message } = first;
    return {
      origin: message.origin,
      tuple,
      session: await this.newSession(message, principal, shared),
      reset,
      // A process that serves one account runs the memory turn itself.
      memoryFlush: isGateway(this.#context.owners),
    };
  }

  async newSession(message: InboundMessage, principal: Principal, shared: boolean): Promise<NewSession> {
    const { agent, systemPrompt } = this.#context;
    const { request, task, origin } = message;
    return {
      ...(request?.sessionId ? { id: request.sessionId } : {}),
      source: message.platform,
      user_id: shared ? null : principal.userId,
      room: audienceOf(message),
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

/** Why this session ends: the sweep found it due, or it is due now. */
export function dueReason(route: RouteRow, question: ResetQuestion): ResetReason | "suspended" | undefined {
  if (route.suspended) return "suspended";
  if (route.expiredReason) return route.expiredReason as ResetReason;
  return resetReason(resetPolicyFor(route.origin, question.reset), clockOf(route, question));
}

/** A whole second, at or before the moment at which a session that isn't due may become due. */
export function notDueBefore(route: RouteRow, question: ResetQuestion): number {
  const next = nextReset(resetPolicyFor(route.origin, question.reset), clockOf(route, question));
  return next ? Math.floor(next.at) : Number.POSITIVE_INFINITY;
}

function clockOf({ lastUserActivity }: RouteRow, { now, timeZone, hasBackgroundWork }: ResetQuestion) {
  return { lastUserActivity, now, timeZone, hasBackgroundWork };
}
