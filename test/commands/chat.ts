import { newSessionId } from "../../src/clock.js";
import type { CommandCall, CommandGateway, CommandOutcome } from "../../src/commands/command.js";
import { commands, findCommand } from "../../src/commands/index.js";
import { parseCommand } from "../../src/commands/parse-command.js";
import { type Config, configSchema } from "../../src/config/schema.js";
import { type InboundMessage, type Origin, type Principal, roomOf, targetOf } from "../../src/message.js";
import { assemble } from "../../src/policies/compression.js";
import { nextReset } from "../../src/policies/reset.js";
import type { SessionKey, SessionRow } from "../../src/session.js";
import { isShared, originTuple, sessionKey } from "../../src/sessions/key.js";
import type { Queues, RouteRow } from "../../src/store/queues.js";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { tempStore } from "../support/temp.js";

/** 2026-06-16 21:00 in Berlin. */
export const NOW = Date.UTC(2026, 5, 16, 19) / 1000;

/** The state of lanes and agents, set by tests. */
interface Activity {
  running: boolean;
  waiting: number;
  models: Map<SessionKey, string>;
}

export interface World {
  store: OpenedStore;
  gateway: CommandGateway;
  routes: Map<SessionKey, RouteRow>;
  activity: Activity;
}

/** A gateway without lanes and platforms: sessions in a real store, routes in a map. */
export async function openWorld(settings: Record<string, unknown> = {}): Promise<World> {
  const { store } = await tempStore();
  const config: Config = configSchema.parse({ timezone: "Europe/Berlin", ...settings });
  const routes = new Map<SessionKey, RouteRow>();
  const activity: Activity = {
    running: false,
    waiting: 0,
    models: new Map(),
  };
  const gateway: CommandGateway = {
    // Commands use only the history; routes are kept here.
    store: store as OpenedStore & Queues,
    config,
    commands,
    contextLength: 128_000,
    ...sessionsOf(store, routes),
    ...turnsOf(activity),
    deliveryOf: async (call, text) => ({ deliver: text, target: targetOf(call.message) }),
    nextReset: (route) => whenReset(config, route),
    openApprovals: () => [],
    decideApproval: async () => false,
    approveAll: async () => undefined,
    reloadMcp: async () => [],
  };
  return { store, gateway, routes, activity };
}

type SessionVerbs = Pick<
  CommandGateway,
  "startSession" | "switchSession" | "branchSession" | "compress" | "background"
>;

function sessionsOf(store: OpenedStore, routes: Map<SessionKey, RouteRow>): SessionVerbs {
  const open = async (call: CommandCall, title?: string) =>
    store.createSession({
      id: newSessionId(new Date(call.now * 1000)),
      source: call.principal.platform,
      user_id: call.principal.userId,
      started_at: call.now,
      room: roomOf(call.message.origin),
      ...(title === undefined ? {} : { title }),
    });
  const point = async (call: CommandCall, session: SessionRow, reason: string) => {
    const old = routes.get(call.key);
    if (old) await store.endSession(old.sessionId, reason);
    const route = routeTo(call, session);
    routes.set(call.key, route);
    return route;
  };
  return {
    async startSession(call, { title }) {
      return point(call, await open(call, title), "new_session");
    },
    async switchSession(call, id) {
      if (!(await store.reopenSession(id))) return undefined;
      return point(call, (await store.getSession(id))!, "session_switch");
    },
    async branchSession(call, title) {
      const original = call.session!;
      const copy = await open(
        call,
        title ?? (original.title && (await store.nextTitle(original.title))) ?? undefined,
      );
      await store.appendMessages(copy.id, await store.getConversation(original.id));
      return point(call, copy, "branched");
    },
    async compress(call, focus) {
      const before = await store.getConversation(call.session!.id);
      if (before.length < 4) return undefined;
      const messages = assemble([], `About ${focus}`, before.slice(-3));
      const child = (await store.splitSession({ parentId: call.session!.id, messages }))!;
      routes.set(call.key, routeTo(call, child));
      return { before: before.length, after: messages.length, title: child.title };
    },
    async background(call) {
      return (await open(call)).id;
    },
  };
}

function turnsOf(
  activity: Activity,
): Pick<CommandGateway, "stop" | "askAgain" | "isRunning" | "waiting" | "model" | "choose" | "agentOf"> {
  return {
    async stop() {
      const stopped = { wasRunning: activity.running, cancelled: activity.waiting };
      Object.assign(activity, { running: false, waiting: 0 });
      return stopped;
    },
    // Here every turn is answered.
    askAgain: async () => false,
    isRunning: () => activity.running,
    waiting: () => activity.waiting,
    model: async (key) => activity.models.get(key) ?? "echo",
    choose: async (key, { model }) => {
      if (model == null) activity.models.delete(key);
      else activity.models.set(key, model);
    },
    agentOf: () => ({ current: "default", configured: "default", usable: [] }),
  };
}

function routeTo(call: CommandCall, session: SessionRow): RouteRow {
  return {
    sessionKey: call.key,
    sessionId: session.id,
    origin: call.message.origin,
    tuple: originTuple(call.message.origin, ISOLATION),
    createdAt: call.now,
    updatedAt: call.now,
    lastUserActivity: call.now,
    lastPromptTokens: 0,
    epoch: 1,
    expiredReason: null,
    model: null,
    agent: null,
    humanUntil: null,
    suspended: false,
    resumePending: false,
    resumeReason: null,
    wasAutoReset: false,
    autoResetReason: null,
    resetHadActivity: false,
    isFreshReset: false,
    expiryFinalized: false,
  };
}

function whenReset(config: Config, route: RouteRow): ReturnType<CommandGateway["nextReset"]> {
  const { mode, at_hour, idle_minutes } = config.session_reset;
  return nextReset(
    { mode, atHour: at_hour, idleMinutes: idle_minutes },
    {
      lastUserActivity: route.lastUserActivity,
      now: NOW,
      timeZone: config.timezone,
      hasBackgroundWork: false,
    },
  );
}

const ISOLATION = { groupSessionsPerUser: true, threadSessionsPerUser: false };

export interface Chat {
  key: SessionKey;
  /** The command's outcome. */
  run(text: string): Promise<CommandOutcome>;
  /** Only its reply. */
  ask(text: string): Promise<string>;
  /** One exchange with the agent, in the chat's session. */
  say(text: string): Promise<SessionRow>;
  session(): Promise<SessionRow | undefined>;
}

export interface Place {
  user: string;
  chatType?: string;
  chatId?: string;
  threadId?: string;
  owner?: boolean;
  isAdmin?: boolean;
  now?: number;
}

/** One person in one chat. */
export function openChat(world: World, place: Place): Chat {
  const { store, gateway, routes } = world;
  const { user, chatType = "dm", chatId = user, threadId = null } = place;
  const origin: Origin = { platform: "web", chatType, chatId, threadId, userId: user };
  const key = sessionKey(origin, ISOLATION);
  const room = isShared(origin, ISOLATION) ? roomOf(origin) : undefined;
  const principal: Principal = {
    platform: "web",
    userId: user,
    owner: place.owner ?? false,
    ...(room ? { room } : {}),
  };
  const session = async () => {
    const route = routes.get(key);
    return route && store.getSession(route.sessionId);
  };
  const callFor = async (text: string): Promise<CommandCall> => ({
    args: parseCommand(text).args,
    message: messageOf(origin, text),
    key,
    principal,
    isAdmin: place.isAdmin ?? true,
    now: place.now ?? NOW,
    route: routes.get(key),
    session: await session(),
    gateway,
  });
  const run = async (text: string) => {
    const command = findCommand(parseCommand(text).command ?? "");
    if (!command) throw new Error(`no such command: ${text}`);
    return command.run(await callFor(text));
  };
  return {
    key,
    run,
    ask: async (text) => (await run(text)).reply ?? "",
    session,
    async say(text) {
      if (!routes.has(key)) await gateway.startSession(await callFor(text), {});
      const { id } = (await session())!;
      await store.addParticipant(id, principal);
      await store.appendMessages(id, [
        { role: "user", content: text },
        { role: "assistant", content: `You said ${text}` },
      ]);
      return (await session())!;
    },
  };
}

function messageOf(origin: Origin, text: string): InboundMessage {
  return {
    platform: origin.platform,
    account: "bot",
    eventId: "1",
    origin,
    text,
    attachments: [],
    sentAt: NOW,
    mentioned: true,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: false,
  };
}
