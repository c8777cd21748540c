import { randomBytes } from "node:crypto";
import {
  type TerminalView,
  terminalAdapter,
  terminalMessage,
  terminalOrigin,
} from "../../adapters/cli/index.js";
import type { Config } from "../../config/schema.js";
import type { TurnEnd } from "../../events.js";
import { Gateway } from "../../gateway.js";
import type { GatewayParts } from "../../pipeline/parts.js";
import { isolationOf } from "../../rules.js";
import type { EndReason, SessionKey, SessionRow } from "../../session.js";
import { sessionKey } from "../../sessions/key.js";
import { type McpParts, mcpServers } from "../../startup/mcp.js";
import { gatewayParts } from "../../startup/parts.js";
import { ownerOf } from "../../store/shared/owner.js";
import { io } from "../io.js";
import type { LocalHome } from "./home.js";
import { isOver, Shown } from "./shown.js";

/** One chat of this process: the pipeline with one platform, handling only its own rows. */
export interface LocalChat {
  id: string;
  key: SessionKey;
  /** Resolves with the outcome of its turn, if it had one, when everything is shown. */
  say(text: string): Promise<TurnEnd["outcome"] | undefined>;
  /** Answers a question. Resolves when the inbox has it. */
  choose(picked: { questionId: string; choiceId: string; label: string }): Promise<void>;
  /** False: no turn runs. */
  interrupt(): boolean;
  session(): Promise<SessionRow | undefined>;
  close(): Promise<void>;
}

export interface LocalChatOptions {
  view: TerminalView;
  config?: Config;
  /** No person can answer questions. */
  unattended?: boolean | undefined;
  /** Called before it starts, to choose or create its session. */
  prepare?(chat: { id: string; key: SessionKey; parts: GatewayParts }): Promise<void>;
  /** MCP servers of this chat alone. */
  mcp?: Pick<McpParts, "more" | "skipsConfigured">;
  /** Resources that are closed with it. */
  ends: { reason: string; endReason: EndReason };
}

export async function openLocalChat(
  local: LocalHome,
  { view, config = local.config, unattended, prepare, mcp: servers, ends }: LocalChatOptions,
): Promise<LocalChat> {
  const { store, log, bootId, home, events, transcripts, platform, secrets } = local;
  const id = randomBytes(4).toString("hex");
  const chat = { platform, id, unattended };
  const key = sessionKey(terminalOrigin(chat), isolationOf(config));
  const shown = new Shown(view, events);
  const adapter = terminalAdapter(chat, shown);
  const owners = [ownerOf(platform, id)];
  // Each chat has its own: a process may have several.
  const mcp = mcpServers({ config, home, env: io().env, log, secrets, ...servers });
  const parts = gatewayParts({
    ...{ store, config, log, bootId, home, adapters: [adapter], transcripts, events, owners, mcp, secrets },
  });
  await prepare?.({ id, key, parts });
  const gateway = new Gateway(parts);
  mcp.start();
  await gateway.start();
  return {
    id,
    key,
    say: async (text) => {
      const message = terminalMessage(chat, text);
      await adapter.say(message);
      await shown.until(() => isOver(store, shown, message));
      return shown.ended(message)?.outcome;
    },
    choose: ({ label, ...choice }) => adapter.say(terminalMessage(chat, label, choice)),
    interrupt: () => gateway.interrupt(key),
    session: async () => {
      const route = await store.getRoute(key);
      return route && !route.expiredReason ? store.getSession(route.sessionId) : undefined;
    },
    close: async () => {
      await gateway.stop();
      await mcp.stop();
      shown.close();
      await store.closeChat({ platform, account: id, sessionKey: key, ...ends });
    },
  };
}
