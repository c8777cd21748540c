/** Shows, connects, disconnects and tests the bots of platforms. */
import type { Hono } from "hono";
import { z } from "zod";
import {
  type Adapter,
  canAsk,
  canLink,
  canLookUp,
  canPreview,
  canReact,
  canRegisterCommands,
  canStream,
  canType,
} from "../../adapters/adapter.js";
import { platformsOf } from "../../config/known-platforms.js";
import { HermesError } from "../../errors.js";
import { formatTarget, type Target } from "../../message.js";
import type { AdapterState } from "../../pipeline/adapter-runner.js";
import type { KnownChat } from "../../store/queues.js";
import { findTarget } from "../../targets/find-target.js";
import { awaitDelivery } from "../../targets/send.js";
import { nameOf } from "../../targets/target.js";
import { bodyOf } from "../params.js";
import type { Ability, BotAnswer, PlatformsAnswer, ShownLink, TestAnswer } from "./operations-types.js";
import { operatorLog } from "./operator.js";
import type { DashboardOptions } from "./options.js";
import type { RecentErrors } from "./recent-errors.js";

const MAX_CHATS = 20;
/** How long to wait for the delivery of a test message. */
const TEST_MS = 10_000;
const TEST_TEXT = "Test message from the dashboard of Hermes Gateway: this bot can write here.";

const bot = { platform: z.string().min(1).max(100), account: z.string().max(200) };

export function platformRoutes(api: Hono, options: DashboardOptions, errors: RecentErrors): void {
  const { gateway } = options;
  const note = operatorLog(options);

  api.get("/platforms", async (c) => c.json(await platformsAnswer(options, errors)));

  api.post("/platforms/connect", async (c) => {
    const { platform, account } = await bodyOf(c, bot);
    await gateway.connectPlatform(platform, account);
    const { state, detail } = stateOf(options, platform, account);
    await note(c, "connect", { platform, account, state });
    return c.json({ state, detail: detail ?? null });
  });

  api.post("/platforms/disconnect", async (c) => {
    const { platform, account } = await bodyOf(c, bot);
    await gateway.disconnectPlatform(platform, account);
    await note(c, "disconnect", { platform, account });
    return c.json({ disconnected: account });
  });

  api.post("/platforms/reconnect", async (c) => {
    const { platform, account } = await bodyOf(c, bot);
    await gateway.disconnectPlatform(platform, account);
    await gateway.connectPlatform(platform, account);
    const { state, detail } = stateOf(options, platform, account);
    await note(c, "reconnect", { platform, account, state });
    return c.json({ state, detail: detail ?? null });
  });

  api.post("/platforms/test", async (c) => {
    const body = await bodyOf(c, {
      ...bot,
      to: z.string().min(1).max(500),
      key: z.string().min(1).max(200).optional(),
    });
    const answer = await sendTest(options, body);
    await note(c, "test-message", { platform: body.platform, account: body.account, ...answer });
    return c.json(answer);
  });
}

async function platformsAnswer(options: DashboardOptions, errors: RecentErrors): Promise<PlatformsAnswer> {
  const { gateway, operations, loaded } = options;
  const states = gateway.health();
  const bots = await Promise.all(
    states.map((state) => {
      const adapter = operations.adapters.find(
        ({ platform, account }) => platform === state.platform && account === state.account,
      );
      return botAnswer(options, state, adapter, errors);
    }),
  );
  const running = new Set(states.map(({ platform }) => platform));
  const off = Object.entries(loaded.config.platforms)
    .filter(([name]) => !running.has(name) && isConfigured(options, `platforms.${name}.`))
    .map(([platform, { enabled }]) => ({
      platform,
      reason:
        !enabled && isConfigured(options, `platforms.${platform}.enabled`)
          ? `Switched off in the configuration (platforms.${platform}.enabled).`
          : "Its credentials are missing or incomplete: `hermes doctor` says which.",
    }));
  return { bots, off };
}

/** Whether any setting with this prefix isn't a default. */
function isConfigured({ loaded }: DashboardOptions, prefix: string): boolean {
  return Object.entries(loaded.sources).some(
    ([path, source]) => path.startsWith(prefix) && source !== "default",
  );
}

async function botAnswer(
  options: DashboardOptions,
  { isOff, ...state }: AdapterState,
  adapter: Adapter | undefined,
  errors: RecentErrors,
): Promise<BotAnswer> {
  const { platform, account } = state;
  const described = platformsOf(options.loaded.config).find(({ name }) => name === platform);
  const canWrite = (described?.unsolicited ?? true) && options.targets.platforms.includes(platform);
  return {
    ...state,
    isOff,
    abilities: adapter ? abilitiesOf(adapter) : [],
    maxFileBytes: adapter?.files?.maxBytes ?? null,
    canWrite,
    chats: canWrite ? await chatsOf(options, platform, account) : [],
    errors: errors.of(platform, account),
    link: adapter && !isOff ? await linkOf(adapter) : null,
  };
}

function abilitiesOf(adapter: Adapter): Ability[] {
  const has: Record<Ability, boolean> = {
    files: adapter.files !== undefined,
    streaming: canStream(adapter) || canPreview(adapter),
    typing: canType(adapter),
    buttons: canAsk(adapter),
    reactions: canReact(adapter),
    menu: canRegisterCommands(adapter),
    lookup: canLookUp(adapter),
  };
  return (Object.keys(has) as Ability[]).filter((ability) => has[ability]);
}

async function chatsOf(
  { store, targets }: DashboardOptions,
  platform: string,
  account: string,
): Promise<BotAnswer["chats"]> {
  const known = await store.knownChats({ platform, limit: MAX_CHATS });
  const own = known.filter((chat) => chat.chatId !== null && (chat.account || account) === account);
  const home =
    targets.homes[platform] === undefined ? [] : [{ to: `${platform}:home`, name: "Home channel" }];
  return [...home, ...own.map((chat: KnownChat) => ({ to: formatTarget(chat), name: nameOf(chat) }))];
}

/** The QR library is loaded only while an account waits to be linked. */
async function linkOf(adapter: Adapter): Promise<ShownLink | null> {
  const code = canLink(adapter) ? adapter.linkCode() : undefined;
  if (!code || "code" in code) return code ?? null;
  const { encode } = await import("uqr");
  return { qr: encode(code.qr).data.map((row) => row.map((isDark) => (isDark ? "1" : "0")).join("")) };
}

function stateOf({ gateway }: DashboardOptions, platform: string, account: string): AdapterState {
  return gateway.health().find((one) => one.platform === platform && one.account === account)!;
}

interface TestRequest {
  platform: string;
  account: string;
  to: string;
  key?: string | undefined;
}

/** Sends with this bot, even if another one wrote to the chat last. */
async function sendTest(
  { store, gateway, targets }: DashboardOptions,
  { platform, account, to, key }: TestRequest,
): Promise<TestAnswer> {
  gateway.requireAccepting();
  const bot = gateway.health().find((one) => one.platform === platform && one.account === account);
  if (!bot) throw new HermesError("not_found", `There is no bot ${account} on ${platform}.`);
  const chat = await findTarget(store, to, targets);
  if (chat?.platform !== platform)
    throw new HermesError("invalid", `${to} is not a chat on ${platform}.`, { hint: `${platform}:CHAT` });
  const target: Target = { ...chat, account };
  const id = await store.enqueueReply({ target, kind: "notice", text: TEST_TEXT }, key);
  gateway.wake();
  const row = await awaitDelivery(store, id, bot.isOff ? 0 : TEST_MS);
  const isOpen = row.state === "pending" || row.state === "sending";
  const state = row.state === "sent" ? "sent" : isOpen ? "waiting" : "failed";
  return { id: `out:${id}`, to: formatTarget(target), state, error: row.error };
}
