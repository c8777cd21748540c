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
 * The gateway's pipeline with one platform, this terminal, in this process. It works on its own rows alone, so a daemon
 * and other terminals may run on the same home.
 */
export interface Terminal extends Omit<LocalChat, "id" | "key"> {
  config: Config;
  store: Store;
  events: Events;
}

export interface TerminalOptions {
  view: TerminalView;
  /** The session to go on in; nothing: a new one begins with the first message. */
  find?(store: Store): Promise<SessionRow>;
  /** There is no person who could answer questions. */
  unattended?: boolean;
}

/** The conversation ends with its terminal, unless something still waits in it: that is for `hermes -c`. */
const ENDS = { reason: "terminal_closed", endReason: "cli_close" } as const;

export async function openTerminal({ view, find, unattended }: TerminalOptions): Promise<Terminal> {
  const local = await openLocalHome(TERMINAL);
  const { config, store, events } = local;
  try {
    const chat = await openLocalChat(local, {
      ...{ view, unattended, ends: ENDS },
      prepare: async ({ id, key }) => {
        const session = await find?.(store);
        const place = { platform: TERMINAL, id, key, isolation: isolationOf(config) };
        if (session) await enterSession(store, { ...place, sessionId: session.id });
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
