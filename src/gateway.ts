import { setTimeout as sleep } from "node:timers/promises";
import PQueue from "p-queue";
import type { Adapter, AdapterEvents, Cursor, Health, MenuCommand } from "./adapters/adapter.js";
import { nowSeconds } from "./clock.js";
import { KEPT_FOLDERS, MEDIA_FOLDERS } from "./config/paths.js";
import { Delivery } from "./delivery/deliver.js";
import { Pace } from "./delivery/pace.js";
import { Unfinished } from "./delivery/unfinished.js";
import { Aftermath } from "./gateway/aftermath.js";
import { burstWaitMs } from "./gateway/burst.js";
import { CommandDesk } from "./gateway/commands.js";
import { Connecting } from "./gateway/connecting.js";
import { aboutMessage, aboutRoute, deliverySettled } from "./gateway/event-facts.js";
import { Farewells } from "./gateway/farewell.js";
import { MissedReport } from "./gateway/missed-report.js";
import { answerStranger } from "./gateway/pairing.js";
import type { GatewayParts } from "./gateway/parts.js";
import { routerOptionsOf } from "./gateway/router-options.js";
import { Showing } from "./gateway/showing.js";
import { Sweep } from "./gateway/sweep.js";
import { isPicture, readImages } from "./media/images.js";
import { type OutgoingPlace, takeFiles } from "./media/outgoing.js";
import { audienceOf, type InboundMessage, type Target, targetOf } from "./message.js";
import { BACKGROUND } from "./one-turn.js";
import { busyDecision } from "./policies/busy.js";
import { resetPolicyFor } from "./policies/reset.js";
import { unknownCommand } from "./routing/admin.js";
import { commands } from "./routing/commands/index.js";
import { type Decision, principalOf, type RouterOptions, route, TOO_OLD } from "./routing/router.js";
import { isolationOf, resetSettingsOf } from "./rules.js";
import type { SessionKey } from "./session.js";
import { isShared } from "./sessions/key.js";
import { resetNotice } from "./sessions/reset-notice.js";
import { resolveRoute } from "./sessions/resolve.js";
import { readAliasFrom } from "./sessions/whatsapp-identity.js";
import { farewellOf } from "./store/farewell.js";
import type { InboxRow, MessageChange, OutboxRow, Penalty, RouteRow } from "./store/queues.js";
import { MAX_MESSAGE_CHARS, truncated } from "./text-limits.js";
import { type TraceId, traceIdOf } from "./trace-id.js";
import { Inbox } from "./turns/inbox.js";
import { Lanes, type RunningTurn } from "./turns/lanes.js";
import { type FinishedTurn, runTurn, type TurnDeps } from "./turns/run-turn.js";

const MAX_ATTEMPTS = 3;
const RETRY_LOOK_MS = 1000;
/** The longest time that a start waits for its platforms. */
const CONNECT_PATIENCE_MS = 15_000;
/** Another process may have put a dead message back, and a turn may have been left without an end. */
const INBOX_LOOK_MS = 15_000;
/** The longest time that a stop waits for the turn to be over, and for what it showed. */
const STOP_PATIENCE_MS = 2000;
const GAVE_UP =
  "I was interrupted several times while answering and gave up. Please send your message again.";
const INTERRUPTED_COMMAND =
  "I was restarted in the middle of that command. See /status, and repeat it if it didn't happen.";

/**
 * The pipeline: adapter → inbox (durable, then acknowledged) → router → lane → turn (one commit) → outbox → adapter.
 * Data flows one way; what a later stage has to say back is one more row in the outbox.
 */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #inbox: Inbox;
  readonly #lanes: Lanes;
  readonly #delivery: Delivery;
  readonly #unfinished: Unfinished;
  readonly #showing: Showing;
  readonly #aftermath: Aftermath;
  readonly #sweep: Sweep;
  readonly #desk: CommandDesk;
  readonly #pace = new Pace();
  readonly #stopping = new AbortController();
  readonly #farewells: Farewells;
  /** Codes are limited: those who ask at the same moment are counted one after another. */
  readonly #strangers = new PQueue({ concurrency: 1 });
  readonly #routerOptions: RouterOptions;
  readonly #missed: MissedReport;
  /** Routing that is under way: a stop waits for it. */
  readonly #routing = new Set<Promise<void>>();
  #recovered = false;
  #started = false;
  #refill: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    const { config, store, bootId, log, events, share } = parts;
    this.#inbox = new Inbox(store, {
      isolation: isolationOf(config),
      keys: { readAlias: readAliasFrom(parts.homeDir) },
      isForFurtherBot: ({ platform, account }) => this.#botsOf(platform).indexOf(account) > 0,
    });
    this.#aftermath = new Aftermath(parts, this.#stopping.signal);
    this.#farewells = new Farewells(parts, this.#stopping.signal);
    this.#lanes = new Lanes({
      maxConcurrent: config.max_concurrent_sessions ?? Number.POSITIVE_INFINITY,
      run: (key, rows, turn) => this.#runTurn(key, rows, turn),
      settleMs: ({ message }) => burstWaitMs(message, this.#adapterFor(targetOf(message))?.burst),
      refill: () => this.#readWaiting(),
      onError: (error, key) => {
        log.error({ err: error, sessionKey: key }, "turn failed");
        this.#refillSoon();
      },
    });
    this.#delivery = new Delivery({
      store,
      bootId,
      share,
      adapterFor: (target) => this.#adapterFor(target),
      pace: this.#pace,
      unknown: config.delivery.unknown,
      settled: (row, outcome, startedAt) => events.emit(deliverySettled(row, outcome, startedAt)),
      penalised: ({ platform }, scope, seconds) =>
        events.emit({ type: "penalised", platform, scope, seconds }),
      onError: (error, traceId) => log.error({ err: error, traceId }, "delivery failed"),
    });
    this.#unfinished = new Unfinished({
      store,
      share,
      adapterFor: (target) => this.#adapterFor(target),
      pace: this.#pace,
      signal: this.#stopping.signal,
      failed: (error, traceId) => log.debug({ err: error, traceId }, "unfinished answer left as it is"),
    });
    this.#showing = new Showing({
      ...parts,
      adapterFor: (target) => this.#adapterFor(target),
      pace: this.#pace,
      unfinished: this.#unfinished,
    });
    this.#sweep = new Sweep(
      parts,
      (key) => this.#isBusy(key),
      (expired, reason) => this.#routeEnded(expired, reason),
    );
    this.#desk = new CommandDesk(parts, {
      lanes: this.#lanes,
      inbox: this.#inbox,
      aftermath: this.#aftermath,
      isBusy: (key) => this.#isBusy(key),
      stopped: (key) => this.#stopped(key),
      enter: (row) => this.#track(this.#route(row), row.traceId),
      newSession: (message) => this.#newSession(message),
      wake: () => this.#delivery.wake(),
      unanswered: (row) => this.#showing.dismiss(row),
    });
    this.#routerOptions = routerOptionsOf(config, store, nowSeconds());
    this.#missed = new MissedReport(log);
  }

  /** Settles what an earlier start left behind, then lets messages in. */
  async start(): Promise<void> {
    const { store, bootId, adapters, events, log, share } = this.#parts;
    await store.restartWaits();
    this.#pace.load(await store.openPenalties());
    const notices = { dead: GAVE_UP, interrupted: INTERRUPTED_COMMAND };
    const recovered = await store.recover(bootId, MAX_ATTEMPTS, notices, share);
    const { waiting, dead, unsettled } = recovered;
    if (waiting + dead.length + unsettled.length > 0) {
      log.info({ waiting, dead: dead.length, unsettled: unsettled.length }, "picked up what was left");
    }
    this.#recovered = true;
    this.#delivery.start();
    await this.#readWaiting();
    await this.#connectAll(unsettled);
    // Who has one account of the home is a guest: the house is kept by others.
    if (!share?.only) {
      this.#sweep.start();
      this.#track(this.#farewells.look());
    }
    this.#look = setInterval(() => {
      this.#track(this.#lookAgain());
      this.#track(this.#unfinished.settle());
    }, INBOX_LOOK_MS);
    this.#started = true;
    events.emit({ type: "gateway-started", platforms: adapters.map(({ platform }) => platform) });
  }

  /** Intake ends first, then turns get their grace; everything unfinished waits in the database. */
  async stop(): Promise<void> {
    const { adapters, config, events, log } = this.#parts;
    events.emit({ type: "gateway-stopping" });
    clearTimeout(this.#refill);
    clearInterval(this.#look);
    this.#stopping.abort("shutdown");
    await Promise.all(
      adapters.map((adapter) =>
        adapter.disconnect().catch((error: unknown) => log.warn({ err: error }, "disconnect failed")),
      ),
    );
    await Promise.all(this.#routing);
    this.#missed.flush();
    await this.#lanes.close(config.agent.restart_drain_timeout * 1000);
    await this.#sweep.stop();
    await this.#farewells.stop();
    await this.#aftermath.idle();
    await this.#delivery.close();
  }

  /** Durable when it resolves; what becomes of it is decided afterwards. */
  async receive(message: InboundMessage, cursor?: Cursor): Promise<void> {
    this.requireAccepting();
    const { events } = this.#parts;
    const { platform, eventId } = message;
    const traceId = traceIdOf(message);
    events.emit({ type: "received", platform, traceId });
    const row = await this.#inbox.accept(message, undefined, cursor);
    if (!row) return events.emit({ type: "duplicate", platform, traceId, eventId });
    events.emit({ type: "accepted", ...aboutMessage(row) });
    this.#track(this.#route(row), row.traceId);
  }

  /** Throws while what comes in could not be kept: then it isn't acknowledged, and platforms deliver it again. */
  requireAccepting(): void {
    const refusal = this.#parts.refusal?.();
    if (refusal) throw refusal;
  }

  /** Something was put into the outbox from outside. Before the start has picked up what was left, it waits. */
  wake(): void {
    if (this.#recovered) this.#delivery.wake();
  }

  /** Ends the running turn of a chat; what was said so far is kept. False: none runs. */
  interrupt(key: SessionKey): boolean {
    return this.#lanes.abort(key, "interrupted");
  }

  get depth() {
    return this.#lanes.depth;
  }

  /** Messages are let in, and every platform has answered or had its time to. */
  get isStarted(): boolean {
    return this.#started;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  get openPenalties(): Penalty[] {
    return this.#pace.open;
  }

  /** What was given up is tried again, at once. Gives how many. */
  async retryDead(id?: string): Promise<number> {
    const retried = await this.#parts.store.retryDead(id);
    if (this.#recovered) this.#track(this.#readWaiting());
    this.wake();
    return retried;
  }

  /** How the platforms are at this moment. */
  health(): ({ platform: string; account: string } & Health)[] {
    return this.#parts.adapters.map((adapter) => {
      const { platform, account } = adapter;
      return { platform, account, ...adapter.health() };
    });
  }

  /**
   * Those that take long, or fail, go on behind: the others need not wait for them. Once connected, a platform can be
   * asked what became of the sends in which the last start died.
   */
  async #connectAll(unsettled: readonly OutboxRow[]): Promise<void> {
    const { adapters, events } = this.#parts;
    const { signal } = this.#stopping;
    const rowsOf = (adapter?: Adapter) =>
      unsettled.filter(({ target }) => this.#adapterFor(target) === adapter);
    const connecting = adapters.map(async (adapter) => {
      await new Connecting({
        adapter,
        intake: this.#eventsOf(adapter),
        menu: menu(),
        events,
        signal,
      }).start();
      this.#track(this.#delivery.settleUnknown(rowsOf(adapter)));
      this.#track(this.#unfinished.settleOld());
    });
    this.#track(this.#delivery.settleUnknown(rowsOf()));
    const enough = new AbortController();
    const patience = sleep(CONNECT_PATIENCE_MS, undefined, {
      signal: AbortSignal.any([signal, enough.signal]),
    });
    await Promise.race([Promise.all(connecting), patience.catch(() => undefined)]);
    enough.abort();
  }

  #eventsOf({ platform, account }: Adapter): AdapterEvents {
    const { store, log } = this.#parts;
    return {
      receive: (message, cursor) => this.receive(message, cursor),
      edited: (edit) => this.#changed({ ...edit, text: truncated(edit.text, MAX_MESSAGE_CHARS, "message") }),
      deleted: (message) => this.#changed({ ...message, text: null }),
      cursor: (name) => store.getCursor(platform, account, name),
      saveCursor: ({ name, value }) => store.saveCursor(platform, account, name, value),
      chatMoved: async (from, to) => {
        const moved = await store.moveChat(platform, from, to);
        log.info({ platform, from, to, moved }, "chat moved");
      },
    };
  }

  async #changed(change: MessageChange): Promise<void> {
    this.requireAccepting();
    const { platform, messageId, text } = change;
    const changed = await this.#parts.store.changeMessage(change);
    const { outcome } = changed;
    if (outcome === "changed") this.#lanes.changeSteering(changed.sessionKey, changed.inboxId, text);
    const what = text === null ? "message taken back" : "message edited";
    this.#parts.log.info({ platform, messageId, outcome }, what);
  }

  #track(work: Promise<void>, traceId?: TraceId): void {
    const tracked = work
      .catch((error: unknown) => {
        this.#parts.log.error({ err: error, traceId }, "routing failed");
        this.#refillSoon();
      })
      .finally(() => this.#routing.delete(tracked));
    this.#routing.add(tracked);
  }

  // ── route ─────────────────────────────────────────────────────────────────────────────────────────────────────

  async #route(row: InboxRow): Promise<void> {
    const startedAt = nowSeconds();
    const decision = await route(row.message, this.#routerOptions, row.receivedAt);
    const reason = "reason" in decision ? decision.reason : null;
    this.#parts.events.emit({ type: "routed", to: decision.to, reason, startedAt, ...aboutMessage(row) });
    await this.#act(row, decision);
    if (reason === TOO_OLD) this.#missed.add(row.message.platform, row.message.sentAt);
    this.#delivery.wake();
  }

  async #act(row: InboxRow, decision: Decision): Promise<void> {
    switch (decision.to) {
      case "ignore":
      case "refuse":
        return this.#settle(row, "refused", decision.reason);
      case "pair":
        return this.#strangers.add(() => answerStranger(this.#parts.store, row));
      case "unknown_command":
        if (this.#desk.isHooked(decision.name)) return this.#desk.runHooked(row, decision.name);
        return this.#settle(row, "done", "unknown command", unknownCommand(decision.name, commands));
      case "command":
        return this.#desk.run(row, decision.command, decision.args);
      case "turn":
        return this.#queue(row);
    }
  }

  async #settle(row: InboxRow, state: "done" | "refused", reason: string, text?: string): Promise<void> {
    const replies = text ? [{ target: targetOf(row.message), kind: "command" as const, text }] : [];
    await this.#parts.store.settleMessage({ inboxId: row.id, state, reason, replies });
    if (replies.length === 0) this.#showing.dismiss(row);
  }

  #queue(row: InboxRow): void {
    const { display } = this.#parts.config;
    const running = this.#lanes.isRunning(row.sessionKey);
    // What is added to a running turn is added as words: pictures wait for a turn of their own.
    const canSteer = running && !row.message.attachments.some(isPicture);
    const mode = row.message.request ? "queue" : display.busy_input_mode;
    const decision = busyDecision(mode, { running, isCommand: false, canSteer });
    if (decision === "steer") this.#lanes.steer(row);
    else this.#lanes.push({ row });
    if (decision === "interrupt") this.#lanes.abort(row.sessionKey, "interrupted");
  }

  // ── run ───────────────────────────────────────────────────────────────────────────────────────────────────────

  async #runTurn(key: SessionKey, rows: InboxRow[], turn: RunningTurn): Promise<void> {
    await runTurn(this.#turnDeps, key, rows, turn).finally(() => this.#delivery.wake());
    this.#parts.routesChanged();
  }

  get #turnDeps(): TurnDeps {
    const { store, bootId, agent, tools, config, events, homeDir } = this.#parts;
    return {
      store,
      bootId,
      agent,
      tools,
      resolve: (key, row) => this.#resolve(key, row),
      isShared: (row) => isShared(row.message.origin, isolationOf(config)),
      principal: (row) => principalOf(row.message, config),
      modelFor: (key) => this.#desk.modelFor(key),
      noticeFor: (found) => this.#noticeFor(found),
      shorten: ({ session }) => this.#aftermath.prepare(session.id, { reason: "context_length" }),
      split: async (key, { epoch, session }, shortened) =>
        (await this.#aftermath.commit({ key, epoch, sessionId: session.id }, shortened))?.child,
      maxImages: config.media.show_images ? config.media.max_images : 0,
      images: (row, maxCount) =>
        readImages(
          row.message.attachments,
          { home: homeDir, folder: MEDIA_FOLDERS.incoming },
          { maxCount, maxBytes: config.media.max_image_bytes },
        ),
      takeFiles: (wanted, target) => takeFiles(wanted, this.outgoingPlace(target)),
      idleTimeoutMs: config.agent.gateway_timeout * 1000,
      preview: (row, turnId, text) => this.#showing.words(row, turnId, text),
      endPreview: (turnId) => this.#showing.end(turnId),
      dropPreview: (row, turnId, untold) => this.#track(this.#showing.drop(row, turnId, untold), row.traceId),
      typing: (row) => this.#showing.typing(row),
      rewritten: (id) => this.#parts.messagesChanged(id),
      kept: (session, messages) => this.#parts.messagesCommitted(session, messages),
      finished: (finished) => this.#finished(finished),
      ended: ({ failure }) => {
        if (failure) this.#refillSoon();
      },
      events,
    };
  }

  /** Where files for a chat may come from, and how large they may be. */
  outgoingPlace(target: Target): OutgoingPlace {
    const { config, homeDir } = this.#parts;
    const most = this.#adapterFor(target)?.files?.maxBytes;
    return {
      home: homeDir,
      folder: MEDIA_FOLDERS.sent,
      allowedFolders: [MEDIA_FOLDERS.outgoing, ...config.gateway.media_delivery_allow_dirs],
      keptFolders: KEPT_FOLDERS,
      maxBytes: most === undefined ? undefined : Math.min(most, config.media.max_upload_bytes),
    };
  }

  async #resolve(key: SessionKey, row: InboxRow): Promise<void> {
    const { store, config, share } = this.#parts;
    const resolved = await resolveRoute(store, {
      key,
      tuple: this.#inbox.tupleOf(row.message),
      origin: row.message.origin,
      inboxId: row.id,
      now: nowSeconds(),
      timeZone: config.timezone,
      hasBackgroundWork: this.#hasBackgroundWork(key),
      reset: resetSettingsOf(config),
      // A guest takes leave at once, or not at all.
      notesFarewell: !share?.only,
      newSession: () => this.#newSession(row.message),
    });
    if (!resolved) return;
    const { route, previous, opened } = resolved;
    this.#parts.routesChanged();
    // The sweep has taken leave already of what it found due.
    if (previous && !previous.expiredReason) this.#routeEnded(previous, route.autoResetReason ?? "unknown");
    if (opened) this.#parts.events.emit({ type: "session-started", ...aboutRoute(route) });
  }

  async #newSession(message: InboundMessage) {
    const { agent, systemPrompt, config } = this.#parts;
    const principal = principalOf(message, config);
    const shared = isShared(message.origin, isolationOf(config));
    return {
      ...(message.request?.sessionId ? { id: message.request.sessionId } : {}),
      source: message.platform,
      user_id: shared ? null : principal.userId,
      room: audienceOf(message),
      model: agent.model,
      system_prompt: await systemPrompt({
        origin: message.origin,
        shared,
        principal,
        errand: message.errand,
      }),
    };
  }

  #finished(finished: FinishedTurn): void {
    this.#parts.messagesCommitted(finished.session, finished.messages);
    if (!finished.ended) this.#aftermath.after(finished);
  }

  #noticeFor(found: RouteRow): string | undefined {
    const { session_reset, timezone: _zone, ...config } = this.#parts.config;
    const policy = resetPolicyFor(found.origin, resetSettingsOf(this.#parts.config));
    const own =
      config.reset_by_platform[found.origin.platform] ??
      config.reset_by_type[found.origin.chatType] ??
      session_reset;
    return resetNotice(found, {
      notify: own.notify,
      excludedPlatforms: own.notify_exclude_platforms,
      atHour: policy.atHour,
      idleMinutes: policy.idleMinutes,
    });
  }

  // ── around it ─────────────────────────────────────────────────────────────────────────────────────────────────

  #routeEnded(ended: RouteRow, reason: string): void {
    const about = { reason, endReason: "session_reset", ...aboutRoute(ended) } as const;
    this.#parts.events.emit({ type: "session-reset", ...about });
    this.#farewells.add(farewellOf(ended));
  }

  #hasBackgroundWork(key: SessionKey): boolean {
    return this.#lanes.hasWork(`${key}${BACKGROUND}`);
  }

  #isBusy(key: SessionKey): boolean {
    return this.#lanes.isRunning(key) || this.#lanes.waiting(key) > 0 || this.#hasBackgroundWork(key);
  }

  /** What a stopped turn showed stands as it will before the stop is answered; but that doesn't wait for long. */
  async #stopped(key: SessionKey): Promise<void> {
    const enough = new AbortController();
    const patience = sleep(STOP_PATIENCE_MS, undefined, { signal: enough.signal });
    const over = this.#lanes.over(key).then(() => this.#unfinished.settle({ sessionKey: key }));
    await Promise.race([over, patience.catch(() => undefined)]);
    enough.abort();
  }

  #adapterFor({ platform, account }: Target): Adapter | undefined {
    return this.#parts.adapters.find(
      (a) => a.platform === platform && (a.account === account || account === ""),
    );
  }

  /** The accounts of a platform, its own bot first. */
  #botsOf(platform: string): string[] {
    return this.#parts.adapters.filter((a) => a.platform === platform).map(({ account }) => account);
  }

  /** Rows whose pause is over, or that could not be routed: they wait in the inbox, look again soon. */
  #refillSoon(): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#refill);
    this.#refill = setTimeout(() => this.#track(this.#lookAgain()), RETRY_LOOK_MS);
  }

  async #lookAgain(): Promise<void> {
    await this.#parts.store.restartWaits();
    await this.#readWaiting();
    if (await this.#releaseStranded()) await this.#readWaiting();
  }

  /** Turns that are over, but neither their answer nor their failure could be stored (a full disk, say). */
  async #releaseStranded(): Promise<boolean> {
    const { store, bootId } = this.#parts;
    const running = await store.runningTurns(bootId);
    const stranded = running.filter(({ inboxId }) => !this.#lanes.has({ id: inboxId }));
    for (const { inboxId, turnId, sessionKey } of stranded) {
      const error = "the end of its turn could not be stored";
      const next = { state: "waiting", waitSeconds: 0 } as const;
      await store.failTurn({ turnId, sessionKey, inboxIds: [inboxId], error, next, replies: [] });
    }
    return stranded.length > 0;
  }

  async #readWaiting(): Promise<void> {
    const { store, share } = this.#parts;
    const byChat = new Map<SessionKey, InboxRow[]>();
    for (const row of await store.waitingMessages(share)) {
      const rows = byChat.get(row.sessionKey);
      if (rows) rows.push(row);
      else byChat.set(row.sessionKey, [row]);
    }
    for (const [key, rows] of byChat) await this.#fillLane(key, rows);
  }

  /** A turn begins once all of them are in the lane: those that were one turn stay one. */
  async #fillLane(key: SessionKey, rows: readonly InboxRow[]): Promise<void> {
    const isFull = this.#lanes.fill(key);
    try {
      for (const row of rows) if (!this.#lanes.has(row)) await this.#route(row);
    } finally {
      isFull();
    }
  }
}

/** What people may pick from a platform's menu. */
function menu(): MenuCommand[] {
  return commands
    .filter((command) => command.group !== undefined)
    .map(({ name, description, usage }) => ({ name, description, ...(usage ? { usage } : {}) }));
}
