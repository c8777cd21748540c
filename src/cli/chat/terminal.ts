import { TERMINAL, type TerminalView } from "../../adapters/cli/index.js";
import type { Config } from "../../config/schema.js";
import type { Events } from "../../events.js";
import { isolationOf } from "../../rules.js";
import type { SessionRow } from "../../session.js";
import type { Store } from "../../store/store.js";
import { type LocalChat, openLocalChat } from "../local/chat.js";
import { openLocalHome } from "../local/home.js";
import { enterSession } from "./resume.js";

/**
 * Runs the pipeline in this process with this terminal as its only platform. It handles only its own rows,
 * so a daemon and other terminals can use the same home.
 */
export interface Terminal extends Omit<LocalChat, "id" | "key"> {
  config: Config;
  store: Store;
  events: Events;
}

export interface TerminalOptions {
  view: TerminalView;
  /** The session to continue. Default: the first message opens a new one. */
  find?(store: Store): Promise<SessionRow>;
  /** No person can answer questions. */
  unattended?: boolean;
}

/** Ends the conversation with its terminal, unless messages are waiting: `hermes -c` continues those. */
const ENDS = { reason: "terminal_closed", endReason: "cli_close" } as const;

export async function openTerminal({ view, find, unattended }: TerminalOptions): Promise<Terminal> {
  const local = await openLocalHome(TERMINAL);
  const { config, store, events } = local;
  try {
    const chat = await openLocalChat(local, {
      ...{ view, unattended, ends: ENDS },
      prepare: async ({ id, key }) => {
        const session = await find?.(store);
        const chat = { platform: TERMINAL, id, key, isolation: isolationOf(config) };
        if (session) await enterSession(store, { ...chat, sessionId: session.id });
      },
    });
    const close = async () => {
      await chat.close();
      await local.close();
    };
    return { ...chat, config, store, events, close };
  } catch (error) {
    await local.close();
    throw error;
  }
}
