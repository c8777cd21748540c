/** The gateway's services for platforms, from the store and the configuration. */

import type { ChatReads, PlatformLog } from "../adapters/platform.js";
import type { LoadDeps } from "../adapters/registry.js";
import { nowSeconds } from "../clock.js";
import { commands } from "../commands/index.js";
import { MEDIA_FOLDERS } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { clientAddress, clientOf } from "../http/request.js";
import type { InboundMessage, OutboundFile } from "../message.js";
import { decidedText } from "../pipeline/question-message.js";
import { decide } from "../pipeline/route.js";
import { routerOptionsOf } from "../pipeline/router-options.js";
import { isolationOf, knownTargetsOf } from "../rules.js";
import { dueByClock } from "../schedules/due-runs.js";
import { sessionKey } from "../sessions/key.js";
import type { ChatLogEntry, ReplyFile } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { findTarget } from "../targets/find-target.js";

export interface ServiceParts {
  store: Store;
  config: Config;
  home: string;
  log: PlatformLog;
  stdin?: NodeJS.ReadableStream | undefined;
  stdout?: NodeJS.WritableStream | undefined;
}

export function platformServices(parts: ServiceParts): Omit<LoadDeps, "given"> {
  const { store, config, home, log } = parts;
  const { platforms: sections, ...core } = config;
  const targets = knownTargetsOf(config);
  return {
    config: core,
    sections,
    home,
    log,
    media: {
      home,
      folder: MEDIA_FOLDERS.incoming,
      maxBytes: config.media.max_download_bytes,
      mayFetch: isForBot(store, config),
    },
    commands: commands.map(({ name, usage, description }) => ({
      name,
      description,
      ...(usage ? { usage } : {}),
    })),
    findTarget: (text) => findTarget(store, text, targets),
    outcome: store.eventOutcome,
    chats: chatReads(store, config),
    dueRuns: dueByClock({
      store,
      config,
      targets,
      unreadable: ({ id, name }, fault) =>
        log("warn", `the schedule "${name}" can't be read and is skipped: hermes cron remove ${id}`, {
          id,
          fault,
        }),
    }),
    terminal: { input: parts.stdin ?? process.stdin, output: parts.stdout ?? process.stdout },
    clients: { clientOf, clientAddress },
  };
}

/** An open question has choices; a decided one shows the decision. */
function shownEntry({ question, ...entry }: ChatLogEntry) {
  if (!question) return entry;
  const { id, choices, state } = question;
  return state === "open"
    ? { ...entry, question: { id, choices } }
    : { ...entry, text: decidedText(question) };
}

function chatReads(store: Store, config: Config): ChatReads {
  return {
    log: async (platform, chatId, limit) => {
      const entries = await store.chatLog(platform, chatId, limit);
      return entries.map((entry) => ({ ...shownEntry(entry), files: sentFiles(entry) }));
    },
    sent: async (outboxId) => {
      const row = await store.getDelivery(outboxId);
      return row && { target: row.target, files: sentFiles(row) };
    },
    sessionIdOf: async (origin) => (await store.getRoute(sessionKey(origin, isolationOf(config))))?.sessionId,
    session: async (id) => await store.getSession(id),
    chatOf: async (sessionId) => {
      const { tip } = await store.getLineage(sessionId);
      const { routes } = await store.listRoutes({ sessionId: tip });
      return routes.find(({ expiredReason }) => expiredReason === null)?.origin.chatId ?? null;
    },
    sessions: async (owner, limit) => {
      const rows = await store.listSessions({ asker: owner, order: "active", limit });
      return rows.map(({ id, title, preview, last_active }) => ({
        id,
        title,
        preview,
        lastActive: last_active,
      }));
    },
  };
}

function sentFiles({ files }: { files: readonly ReplyFile[] }): OutboundFile[] {
  return files.filter((file) => "path" in file);
}

/** Skips downloads for strangers and for messages that aren't for the bot. */
function isForBot(store: Store, config: Config): (message: InboundMessage) => Promise<boolean> {
  const options = routerOptionsOf(config, store, nowSeconds());
  return async (message) => {
    const { to } = await decide(message, options, nowSeconds());
    return to === "turn" || to === "command";
  };
}
