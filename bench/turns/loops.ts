import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Adapter, AdapterEvents } from "../../src/adapters/adapter.js";
import { echoAgent } from "../../src/agents/echo.js";
import { estimateTokens } from "../../src/agents/tokens.js";
import { loadConfig } from "../../src/config/load.js";
import { Events } from "../../src/events.js";
import { Gateway } from "../../src/gateway.js";
import type { InboundMessage, OutboundMessage } from "../../src/message.js";
import { SecretGuard } from "../../src/secrets/guard.js";
import { openStore } from "../../src/store/sqlite/index.js";
import { receivingOnly } from "../../test/support/events.js";

/** `say` resolves when the answer was sent. */
export interface EchoLoop {
  say(session: number): Promise<void>;
  close(): Promise<void>;
}

class LoopAdapter implements Adapter {
  readonly platform = "bench";
  readonly account = "bench";
  readonly limits = { length: 1_000_000, unit: "utf16" as const };
  readonly #answers = new Map<string, () => void>();
  #events: AdapterEvents | undefined;

  async connect(events: AdapterEvents): Promise<void> {
    this.#events = events;
  }
  async disconnect(): Promise<void> {}
  health() {
    return { state: "ok" as const, lastProofAt: null };
  }
  render() {
    return [{}];
  }
  async sendPart({ id, target }: Pick<OutboundMessage, "id" | "target" | "text">) {
    this.#answers.get(target.chatId ?? "")?.();
    return [String(id)];
  }

  async say(session: number): Promise<void> {
    const chatId = String(session);
    const answered = new Promise<void>((resolve) => this.#answers.set(chatId, resolve));
    await this.#events!.receive(messageIn(chatId));
    await answered;
  }
}

function messageIn(chatId: string): InboundMessage {
  return {
    platform: "bench",
    account: "bench",
    eventId: randomUUID(),
    origin: { platform: "bench", chatType: "dm", chatId, userId: chatId },
    text: "How is the weather in the mountains today?",
    attachments: [],
    sentAt: Date.now() / 1000,
    mentioned: false,
    repliedToBot: false,
    threadWithBot: false,
    isBot: false,
    authenticated: true,
  };
}

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

export async function gatewayLoop(): Promise<EchoLoop> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "hermes-bench-"));
  const { config } = loadConfig({ home, env: {} });
  const store = await openStore({ path: path.join(home, "state.db"), foreign: "adopt" });
  const adapter = new LoopAdapter();
  const gateway = new Gateway({
    config,
    store,
    bootId: randomUUID(),
    agent: echoAgent(),
    agents: new Map(),
    auxiliary: { complete: async () => undefined },
    adapters: [adapter],
    tools: { offered: async () => [] },
    secrets: new SecretGuard([], () => undefined),
    systemPrompt: async () => "Be kind.",
    summarise: async () => "",
    title: async () => undefined,
    estimateTokens,
    routesChanged() {},
    messagesCommitted() {},
    messagesChanged() {},
    events: new Events(() => undefined),
    log: quiet,
    homeDir: home,
  });
  await gateway.start();
  return {
    say: (session) => adapter.say(session),
    async close() {
      await gateway.stop();
      await store.close();
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The same adapter and agent without the gateway. */
export function bareLoop(): EchoLoop {
  const adapter = new LoopAdapter();
  const agent = echoAgent();
  let id = 0;
  void adapter.connect(
    receivingOnly(async (message) => {
      const request = {
        session: { id: message.origin.chatId!, key: message.origin.chatId!, source: "bench" },
        principal: { platform: "bench", userId: message.origin.userId! },
        systemPrompt: "",
        history: [],
        input: [{ role: "user", content: message.text }],
        tools: [],
        takeSteering: () => [],
      };
      let text = "";
      for await (const event of agent.run(request, new AbortController().signal)) {
        if (event.type === "text") text += event.delta;
      }
      const { chatId, chatType } = message.origin;
      const target = {
        platform: "bench",
        account: "bench",
        chatType,
        chatId,
        threadId: null,
        userId: chatId,
        replyTo: null,
      };
      id += 1;
      await adapter.sendPart({ id, target, text });
    }),
  );
  return { say: (session) => adapter.say(session), close: async () => {} };
}
