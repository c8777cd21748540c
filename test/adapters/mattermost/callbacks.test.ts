import { describe, expect, it, onTestFinished } from "vitest";
import {
  type CanAsk,
  type CanRegisterCommands,
  canAsk,
  canRegisterCommands,
} from "../../../src/adapters/adapter.js";
import type { MattermostAdapter, MattermostOptions } from "../../../src/adapters/mattermost/index.js";
import { probeMattermost } from "../../../src/adapters/mattermost/probe.js";
import { actionsOf } from "../../emulators/mattermost/index.js";
import { send } from "../../support/send.js";
import { serveCallbacks } from "../../support/serve-callbacks.js";
import { until } from "../../support/until.js";
import { outbound, patience, setUp } from "./support.js";

const QUESTION = { id: "q1", choices: [{ id: "yes", label: "Yes" }] };
const COMMANDS = [{ name: "status", description: "How it stands" }];

type Reachable = MattermostAdapter & CanAsk & CanRegisterCommands;

async function reachable(options: Partial<MattermostOptions> = {}) {
  const setup = await setUp();
  let adapter: Reachable | undefined;
  const gateway = await serveCallbacks(() => adapter?.callbacks ?? []);
  onTestFinished(() => gateway.close());
  adapter = (await setup.connect({ callbackUrl: `${gateway.url}/`, ...options })) as Reachable;
  const { integrations } = setup.emulator;
  const answered = async () => {
    await until("all calls are answered", () =>
      integrations.calls.every(({ status }) => status !== undefined),
    );
    return integrations.calls.map(({ status }) => status);
  };
  return { ...setup, adapter, gateway, integrations, answered };
}

async function asked(options: Partial<MattermostOptions> = {}) {
  const setup = await reachable(options);
  const { adapter, town, emulator } = setup;
  const target = { chatId: town.id, chatType: "channel" };
  await send(adapter, outbound(target, "May I?", { question: QUESTION }), patience());
  return { ...setup, post: emulator.said(town).at(-1)! };
}

it("is checked by doctor while the gateway runs", async () => {
  const { emulator, adapter, gateway } = await reachable();
  const look = async (callback: string) => {
    const bot = { apiUrl: emulator.url, token: emulator.token, callback };
    const { findings } = await probeMattermost(bot, { running: true, signal: patience() });
    return findings.at(-1)!.state;
  };
  expect(await look(gateway.url + adapter.callbacks![0]!.path)).toBe("ok");
  expect(await look(`${gateway.url}/elsewhere`)).toBe("fail");
});

it("has no buttons and no native commands where the server can't call", async () => {
  const { adapter } = await setUp();
  expect([canAsk(adapter), canRegisterCommands(adapter), adapter.callbacks]).toEqual([
    false,
    false,
    undefined,
  ]);
});

describe("a press", () => {
  it("with a forged context is refused", async () => {
    const { integrations, answered, inbox, post, ann, town } = await asked();
    const { url, context } = actionsOf(post)[0]!.integration;
    const body = { user_id: ann.id, channel_id: town.id, post_id: post.id, trigger_id: "t1", context };
    const forge = (changed: object) =>
      integrations.call({ url, headers: {}, body: JSON.stringify({ ...body, ...changed }) });
    forge({ context: { ...context, press: "q:q1:other" } });
    forge({ context: { ...context, label: "No" } });
    forge({ context: { ...context, thread: post.id } });
    forge({ context: { ...context, chat_type: "dm" } });
    forge({ context: { ...context, secret: "" } });
    forge({ channel_id: ann.id });
    forge({ trigger_id: "" });
    forge({ context: null });
    integrations.call({ url, headers: {}, body: "{" });
    expect(new Set(await answered())).toEqual(new Set([401]));
    expect(inbox.offered).toEqual([]);
    forge({});
    await answered();
    expect(inbox.received).toMatchObject([{ text: "Yes", choice: { questionId: "q1", choiceId: "yes" } }]);
  });

  it("carries a secret of its own question and channel, and never the token", async () => {
    const { adapter, emulator, dm, post } = await asked();
    const question = { ...QUESTION, id: "q2" };
    await send(adapter, outbound({ chatId: dm.id }, "And now?", { question }), patience());
    const secrets = [post, emulator.said(dm)[0]!].map((one) => actionsOf(one)[0]!.integration.context.secret);
    expect(new Set(secrets).size).toBe(2);
    expect(JSON.stringify(emulator.world.posts.get(post.id))).not.toContain(emulator.token);
  });

  it("is asked for again while the gateway isn't connected", async () => {
    const { adapter, integrations, answered, post, ann } = await asked();
    await adapter.disconnect();
    integrations.press(post, "Yes", ann);
    expect(await answered()).toEqual([503]);
  });

  it("comes on a path of its own for each account", async () => {
    const { adapter, connect, gateway } = await reachable();
    const second = { callbackUrl: gateway.url, callbackPath: "/webhooks/mattermost/second" };
    const paths = [adapter, await connect(second)].flatMap(({ callbacks = [] }) =>
      callbacks.map(({ path }) => path),
    );
    expect(new Set(paths).size).toBe(4);
  });
});

describe("a native command", () => {
  it("is registered once, and renewed when its description changes", async () => {
    const { adapter, integrations } = await reachable();
    for (let again = 0; again < 2; again++) await adapter.registerCommands(COMMANDS, patience());
    expect(integrations.commands).toMatchObject([{ trigger: "status", description: "How it stands" }]);
    await adapter.registerCommands([{ name: "status", description: "News" }], patience());
    expect(integrations.commands).toMatchObject([{ trigger: "status", description: "News" }]);
  });

  it("with a name of the server itself is listed in health, and the others work", async () => {
    const { adapter, integrations } = await reachable();
    const help = { name: "help", description: "All commands" };
    await adapter.registerCommands([help, ...COMMANDS], patience());
    expect(integrations.commands.map(({ trigger }) => trigger)).toEqual(["status"]);
    expect(adapter.health()).toMatchObject({ state: "ok", detail: expect.stringContaining("/help") });
  });

  it("can't be registered without the permission, which isn't retried", async () => {
    const { adapter, integrations } = await reachable();
    integrations.mayManageCommands = false;
    const registering = adapter.registerCommands(COMMANDS, patience());
    await expect(registering).rejects.toMatchObject({ outcome: "refused" });
  });

  it("is like a typed one, in threads too, and once when its call is replayed", async () => {
    const { adapter, emulator, integrations, inbox, ann, town, answered } = await reachable();
    await adapter.registerCommands(COMMANDS, patience());
    const root = emulator.world.post(town, ann, "root");
    integrations.run(town, ann, "status", "now", root.id);
    await answered();
    integrations.call({ ...integrations.calls[0]! });
    expect(await answered()).toEqual([200, 200]);
    expect(inbox.received).toMatchObject([
      { text: "/status now", origin: { chatType: "channel", chatId: town.id, threadId: root.id } },
    ]);
    expect(inbox.copies).toHaveLength(1);
  });

  it("with a wrong token is refused", async () => {
    const { adapter, integrations, inbox, ann, town, answered } = await reachable();
    await adapter.registerCommands(COMMANDS, patience());
    integrations.commands[0]!.token = "wrong".padEnd(26, "0");
    integrations.run(town, ann, "status");
    expect(await answered()).toEqual([401]);
    expect(inbox.offered).toEqual([]);
  });

  it("in a channel without the bot is answered there", async () => {
    const { adapter, emulator, integrations, inbox, ann, answered } = await reachable();
    await adapter.registerCommands(COMMANDS, patience());
    const elsewhere = { ...emulator.world.channel("P", "Elsewhere", [ann]) };
    emulator.world.channels.delete(elsewhere.id);
    integrations.run(elsewhere, ann, "status");
    expect(await answered()).toEqual([200]);
    expect(integrations.calls[0]!.answer).toMatchObject({ response_type: "ephemeral" });
    expect(inbox.offered).toEqual([]);
  });

  it("that an administrator made takes commands and messages", async () => {
    const token = "byhand".padEnd(26, "0");
    const { integrations, gateway, inbox, ann, town, answered } = await reachable({ commandTokens: [token] });
    const url = `${gateway.url}/webhooks/mattermost/commands`;
    const made = { id: ann.id, team_id: "t", trigger: "hermes", url, token, description: "" };
    integrations.commands.push(made);
    integrations.run(town, ann, "hermes", "status now");
    await answered();
    integrations.run(town, ann, "hermes", "what is new?");
    expect(await answered()).toEqual([200, 200]);
    expect(inbox.texts).toEqual(["/status now", "what is new?"]);
  });
});
