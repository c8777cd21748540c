import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Adapter, Cursor, MenuCommand, MessageRef } from "./adapters/adapter.js";
import { commands } from "./commands/index.js";
import type { OutgoingRules } from "./media/outgoing.js";
import type { InboundMessage, Person, Target } from "./message.js";
import { AdapterRunner, type AdapterState } from "./pipeline/adapter-runner.js";
import { After } from "./pipeline/after.js";
import { AgentQuestions } from "./pipeline/agent-questions.js";
import { choose } from "./pipeline/chat-choices.js";
import { CommandRunner } from "./pipeline/command-runner.js";
import { type Context, contextOf } from "./pipeline/context.js";
import { Delivery } from "./pipeline/deliver.js";
import { earlyTurn } from "./pipeline/early-turn.js";
import { aboutRoute } from "./pipeline/event-facts.js";
import { Finisher } from "./pipeline/finish.js";
import { MemoryFlushes } from "./pipeline/memory-flush.js";
import { outgoingRules } from "./pipeline/outgoing.js";
import type { GatewayParts } from "./pipeline/parts.js";
import { Previews } from "./pipeline/previews.js";
import { type GivenAnswer, Questions } from "./pipeline/questions.js";
import { Queue } from "./pipeline/queue.js";
import { Reactions } from "./pipeline/reactions.js";
import { Inbox, Receiver } from "./pipeline/receive.js";
import { Refill } from "./pipeline/refill.js";
import { Resolver } from "./pipeline/resolve.js";
import { Router } from "./pipeline/route.js";
import { Turns } from "./pipeline/run.js";
import { showTools } from "./pipeline/shown-tools.js";
import type { Turn } from "./pipeline/turn.js";
import type { SessionId, SessionKey } from "./session.js";
import { ENDED } from "./sessions/reset-notice.js";
import type {
  HumanReply,
  NewReply,
  OutboxRow,
  Penalty,
  QuestionRow,
  RouteChoice,
  RouteRow,
} from "./store/queues.js";
import { isGateway } from "./store/shared/owner.js";
import { Sweep } from "./upkeep/sweep.js";

const MAX_ATTEMPTS = 3;
const TIDY_INTERVAL_MS = 15_000;
/** How long a stop waits for the turn to end. */
const MAX_STOP_MS = 2000;
const GAVE_UP =
  "I was interrupted several times while answering and gave up. Please send your message again.";
const INTERRUPTED_COMMAND =
  "I was restarted in the middle of that command. Check /status, and repeat the command if it had no effect.";

type Decider = Person & { userName: string | null };

/**
 * Starts, stops and connects the stages of the pipeline: receive (durable, then acknowledged) → route → queue
 * → resolve → run → finish (one commit) → deliver. Data flows one way; every reply is one more row in the
 * outbox.
 */
export class Gateway {
  readonly #context: Context;
  readonly #stages: Stages;
  readonly #stopping = new AbortController();
  readonly #sweep: Sweep;
  readonly #endShownTools: () => void;
  #recovered = false;
  #started = false;
  #tidyTimer: NodeJS.Timeout | undefined;

  constructor(parts: GatewayParts) {
    const ended = (route: RouteRow, reason: string) => this.#sessionEnded(route, reason);
    // Every open call to a platform listens to it.
    setMaxListeners(0, this.#stopping.signal);
    this.#context = contextOf(parts, this.#stopping.signal);
    this.#stages = connectStages(this.#context, ended);
    this.#endShownTools = showTools(this.#context);
    this.#sweep = new Sweep(parts, (key) => this.#stages.queue.isBusy(key), ended);
  }

  /** Resumes pending work of earlier runs, then accepts messages. */
  async start(): Promise<void> {
    const { store, bootId, adapters, events, log, owners, pace } = this.#context;
    await store.retry("misdated");
    const notices = { dead: GAVE_UP, interrupted: INTERRUPTED_COMMAND };
    const recovered = await store.recover(bootId, MAX_ATTEMPTS, notices, owners);
    const { waiting, dead, unsettled, penalties } = recovered;
    pace.load(penalties);
    if (waiting + dead.length + unsettled.length > 0) {
      log.info({ waiting, dead: dead.length, unsettled: unsettled.length }, "resumed pending work");
    }
    this.#recovered = true;
    this.#stages.delivery.start();
    await this.#stages.questions.refresh();
    await this.#stages.refill.readWaiting();
    await this.#connectAll(unsettled);
    // A process that serves one account leaves housekeeping to the main gateway.
    if (isGateway(owners)) this.#sweep.start();
    this.#stages.refill.start();
    this.#tidyTimer = setInterval(() => this.#tidy(), TIDY_INTERVAL_MS);
    this.#started = true;
    events.emit({ type: "gateway-started", platforms: adapters.map(({ platform }) => platform) });
  }

  /** Stops receiving, then gives turns a grace period. Unfinished work stays in the database. */
  async stop(): Promise<void> {
    const { config, events } = this.#context;
    events.emit({ type: "gateway-stopping" });
    this.#stages.refill.stop();
    clearInterval(this.#tidyTimer);
    this.#stopping.abort("shutdown");
    await this.#stages.adapterRunner.stop();
    await this.#stages.refill.idle();
    this.#stages.router.stop();
    await this.#stages.queue.lanes.close(config.agent.restart_drain_timeout * 1000);
    await this.#sweep.stop();
    await this.#stages.memoryFlushes.idle();
    await this.#stages.questions.idle();
    await this.#stages.after.idle();
    await this.#closeAgents();
    await this.#stages.delivery.close();
    await this.#stages.adapterRunner.end();
    this.#endShownTools();
  }

  /** Resolves once the message is stored; it is processed afterwards. */
  receive(message: InboundMessage, cursor?: Cursor): Promise<void> {
    return this.#stages.receiver.receive(message, cursor);
  }

  /** Withdraws a waiting message. False if its turn has started, or it is unknown. */
  withdraw(message: MessageRef): Promise<boolean> {
    return this.#stages.receiver.withdraw(message);
  }

  /** Throws while messages can't be stored. */
  requireAccepting(): void {
    this.#stages.receiver.requireAccepting();
  }

  /** Call after adding to the outbox. Has no effect until startup has recovered the queues. */
  wake(): void {
    if (this.#recovered) this.#stages.delivery.wake();
  }

  /** Interrupts the running turn of a chat; the partial answer is kept. False if none is running. */
  interrupt(key: SessionKey): boolean {
    const { queue, questions, refill } = this.#stages;
    if (queue.lanes.abort(key, "interrupted")) return true;
    if (!queue.lanes.isSuspended(key)) return false;
    // A turn that waits for an answer is stopped, and its question withdrawn.
    refill.track(queue.lanes.endSuspended(key).then(() => questions.refresh()));
    return true;
  }

  /**
   * Stops the running turn of a chat; waiting messages stay. Resolves when the turn has ended, or after a
   * timeout. False if none is running.
   */
  async stopTurn(key: SessionKey): Promise<boolean> {
    const { queue, questions } = this.#stages;
    const wasRunning = queue.lanes.abort(key, "stopped");
    const ended = queue.lanes.over(key).then(() => queue.lanes.endSuspended(key));
    const wasSuspended = await Promise.race([ended, sleep(MAX_STOP_MS, false, { ref: false })]);
    if (wasSuspended) await questions.refresh();
    return wasRunning || wasSuspended;
  }

  /**
   * Until this time a human answers in the chat, and its running turn is interrupted. Null ends the takeover.
   * False if there is no such chat.
   */
  async takeOver(key: SessionKey, until: number | null): Promise<boolean> {
    if (!(await this.#context.store.setRouteChoice(key, { humanUntil: until }))) return false;
    if (until !== null) this.interrupt(key);
    return true;
  }

  /** Sends a human's answer and adds it to the session. Returns the outbox row. */
  async replyAsHuman(reply: NewReply & { asHuman: HumanReply }, key?: string): Promise<number> {
    const id = await this.#context.store.enqueueReply(reply, key);
    this.#context.messagesChanged(reply.asHuman.sessionId);
    this.wake();
    return id;
  }

  /** Whether a turn of the chat is running, suspended or about to start. */
  isBusy(key: SessionKey): boolean {
    return this.#stages.queue.isBusy(key);
  }

  /** Sets a chat's model and agent from its next turn on; null restores the default. */
  choose(key: SessionKey, choice: RouteChoice): Promise<void> {
    return choose(this.#context, key, choice);
  }

  /** The choices of a chat without a route; otherwise the route has them. */
  choiceOf(key: SessionKey): RouteChoice {
    return this.#context.choices.get(key);
  }

  /** Ends a chat's session: its next message opens a new one. False if the chat no longer uses it. */
  async endSession(route: RouteRow): Promise<boolean> {
    this.interrupt(route.sessionKey);
    return this.#sweep.end(route, ENDED);
  }

  /** Deletes a session with its messages and its route. */
  async deleteSession(id: SessionId): Promise<boolean> {
    const { store, messagesChanged, routesChanged } = this.#context;
    const { routes } = await store.listRoutes({ sessionId: id });
    for (const { sessionKey } of routes) this.interrupt(sessionKey);
    if ((await store.deleteSessions([id])) === 0) return false;
    messagesChanged(id);
    routesChanged();
    return true;
  }

  /** Answers an open question for `by`, who may decide it; null withdraws it. False: already decided. */
  decideQuestion(question: QuestionRow, answer: GivenAnswer | null, by: Decider): Promise<boolean> {
    const { questions } = this.#stages;
    if (answer === null) return questions.end(question.id, "withdrawn");
    return questions.decideAs(by, question, answer);
  }

  /** Allowed folders and size limits for files sent to a chat. */
  outgoingRules(target: Target): OutgoingRules {
    return outgoingRules(this.#context, target);
  }

  get depth() {
    return this.#stages.queue.lanes.depth;
  }

  /** Messages are accepted, and every platform has connected or exceeded its time. */
  get isStarted(): boolean {
    return this.#started;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  get openPenalties(): Penalty[] {
    return this.#context.pace.open;
  }

  /** Retries these dead letters now, or all. Returns how many. */
  async retryDead(ids?: readonly string[]): Promise<number> {
    const { store } = this.#context;
    const queries = ids ? ids.map((id) => ({ id })) : [{}];
    let retried = 0;
    for (const query of queries) retried += (await store.retry(query)).retried;
    if (this.#recovered) this.#stages.refill.track(this.#stages.refill.readWaiting());
    this.wake();
    return retried;
  }

  /** The current state of the platforms. */
  health(): AdapterState[] {
    return this.#stages.adapterRunner.states();
  }

  /** Connects a disconnected bot. Resolves after the first attempt or a timeout. */
  connectPlatform(platform: string, account: string): Promise<void> {
    return this.#stages.adapterRunner.connect(platform, account);
  }

  /** Disconnects a bot until it is connected again or the gateway restarts. Answers stay in the outbox. */
  disconnectPlatform(platform: string, account: string): Promise<void> {
    return this.#stages.adapterRunner.disconnect(platform, account);
  }

  /** Once connected, a platform can check sends that a crash interrupted. */
  async #connectAll(unsettled: readonly OutboxRow[]): Promise<void> {
    const { adapterFor } = this.#context;
    const { refill, delivery, previews, adapterRunner } = this.#stages;
    const rowsOf = (adapter?: Adapter) => unsettled.filter(({ target }) => adapterFor(target) === adapter);
    const connecting = adapterRunner.start((adapter) => {
      refill.track(delivery.settleUnknown(rowsOf(adapter)));
      refill.track(previews.settleOld());
    });
    refill.track(delivery.settleUnknown(rowsOf()));
    await connecting;
  }

  async #closeAgents(): Promise<void> {
    const { agent, agents, log } = this.#context;
    const all = [agent, ...[...agents.values()].map(({ backend }) => backend)];
    for (const result of await Promise.allSettled(all.map((one) => one.close?.())))
      if (result.status === "rejected") log.warn({ err: result.reason }, "an agent could not be closed");
  }

  /** Cleans up what chats still show after a crash. */
  #tidy(): void {
    const { refill, previews, questions } = this.#stages;
    refill.track(previews.settle());
    refill.track(questions.refresh());
  }

  #sessionEnded(route: RouteRow, reason: string): void {
    const about = { reason, endReason: "session_reset", ...aboutRoute(route) } as const;
    this.#context.events.emit({ type: "session-reset", ...about });
    if (!isGateway(this.#context.owners)) this.#stages.memoryFlushes.runNow(route);
    // The memory flush is a task in the inbox.
    else this.#stages.refill.soon();
  }
}

interface Stages {
  receiver: Receiver;
  router: Router;
  queue: Queue;
  refill: Refill;
  previews: Previews;
  delivery: Delivery;
  after: After;
  memoryFlushes: MemoryFlushes;
  questions: Questions;
  adapterRunner: AdapterRunner;
}

/** Each stage knows the next one. The few calls in the other direction are callbacks. */
function connectStages(context: Context, ended: (route: RouteRow, reason: string) => void): Stages {
  const inbox = new Inbox(context);
  const delivery = new Delivery(context);
  const previews = new Previews(context);
  const after = new After(context);
  const hasBackgroundWork = (key: SessionKey) => queue.hasBackgroundWork(key);
  const kept = ({ first }: Turn, { sessionId }: RouteRow) => {
    context.messagesChanged(sessionId);
    previews.dismiss(first);
  };
  const resolver = new Resolver(context, { hasBackgroundWork, ended, kept });
  const turns = new Turns(context, {
    ...{ resolver, previews, after, reactions: new Reactions(context) },
    finisher: new Finisher(context, { after, delivery, asked: (id) => questions.asked(id) }),
    questions: {
      ask: (turn, question, signal) => agentQuestions.ask(turn, question, signal),
      withdraw: (turn) => agentQuestions.withdraw(turn),
    },
    retrySoon: () => refill.soon(),
    track: (work, { traceId }) => refill.track(work, traceId),
  });
  const queue = new Queue(context, {
    run: (key, rows, running) => turns.run(key, rows, running),
    refill: () => refill.readWaiting(),
    onError: (error, key) => {
      context.log.error({ err: error, sessionKey: key }, "turn failed");
      refill.soon();
    },
  });
  const memoryFlushes = new MemoryFlushes(context, queue.lanes);
  const questions = new Questions(context, queue.lanes);
  const agentQuestions = new AgentQuestions(context, { questions, lanes: queue.lanes, delivery });
  const stages = { questions, queue, inbox, resolver, after, previews, delivery, memoryFlushes };
  const router = new Router(context, { ...stages, commandRunner: new CommandRunner(context, stages) });
  const refill = new Refill(context, { lanes: queue.lanes, route: (row) => router.route(row) });
  const receiver = new Receiver(context, inbox, {
    earlyTurn: (accepted, identity) => earlyTurn({ router, queue, resolver, after }, accepted, identity),
    accepted: (row) => refill.track(router.route(row), row.traceId),
    changeSteering: (key, inboxId, text) => queue.lanes.changeSteering(key, inboxId, text),
  });
  const adapterRunner = new AdapterRunner(context, {
    ...{ delivery, menu: menu() },
    intakeOf: (adapter) => receiver.eventsOf(adapter),
  });
  return {
    receiver,
    router,
    queue,
    refill,
    previews,
    delivery,
    after,
    memoryFlushes,
    questions,
    adapterRunner,
  };
}

/** Commands for a platform's menu. */
function menu(): MenuCommand[] {
  return commands
    .filter((command) => command.group !== undefined)
    .map(({ name, description, usage }) => ({ name, description, ...(usage ? { usage } : {}) }));
}
