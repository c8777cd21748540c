/** Hermes' ten tools for other programs: names, arguments and results as in `hermes mcp serve` of Hermes Agent. */
import { z } from "zod";
import { HermesError } from "../errors.js";
import { formatTarget } from "../message.js";
import { awaitDelivery, queueSend } from "../targets/send.js";
import { listApprovals, respond } from "./approvals.js";
import {
  fetchAttachments,
  getConversation,
  listChannels,
  listConversations,
  readMessages,
} from "./conversations.js";
import { pollEvents, waitForEvent } from "./events.js";
import { CallerMistake, type ChatService } from "./service.js";

export interface ChatTool {
  name: string;
  description: string;
  schema: z.ZodObject;
  onlyReads: boolean;
  /** Rejects with `CallerMistake` or `HermesError` for mistakes of the caller. */
  run(args: Record<string, unknown>, service: ChatService, signal: AbortSignal): Promise<object>;
}

/** How long to wait for a send before reporting its state. */
const SEND_MS = 3000;
const MAX_WAIT_MS = 300_000;

const text = z.string().max(500);
const key = text.describe("From conversations_list");
const platform = text.optional().describe("Only this platform");
const limit = (otherwise: number) => z.coerce.number().int().min(1).max(200).default(otherwise);
const cursor = z.union([z.string().max(200), z.number()]).default(0);

function tool<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  run: (args: z.output<S>, service: ChatService, signal: AbortSignal) => Promise<object>,
  onlyReads = true,
): ChatTool {
  return { name, description, schema, onlyReads, run: (args, ...rest) => run(args as z.output<S>, ...rest) };
}

export const CHAT_TOOLS: readonly ChatTool[] = [
  tool(
    "conversations_list",
    "Lists the conversations of all chats, the latest first.",
    z.object({ platform, limit: limit(50), search: text.optional().describe("In names") }),
    (args, { store }) => listConversations(store, args),
  ),
  tool(
    "conversation_get",
    "Returns one conversation with its chat and token counts.",
    z.object({ session_key: key }),
    ({ session_key }, { store }) => getConversation(store, session_key),
  ),
  tool(
    "messages_read",
    "Reads the latest messages of a conversation, oldest first.",
    z.object({ session_key: key, limit: limit(50) }),
    ({ session_key, limit }, { store }) => readMessages(store, session_key, limit),
  ),
  tool(
    "attachments_fetch",
    "Returns the non-text parts of a message.",
    z.object({ session_key: key, message_id: z.coerce.number().int() }),
    ({ session_key, message_id }, { store }) => fetchAttachments(store, session_key, message_id),
  ),
  tool(
    "events_poll",
    "Returns events after a cursor: messages, requested and decided approvals. Cursors stay valid after restarts.",
    z.object({
      after_cursor: cursor.describe("next_cursor of the last call; 0 returns only the current cursor"),
      session_key: key.optional(),
      limit: limit(20),
    }),
    ({ after_cursor, session_key, limit }, service) => pollEvents(service, after_cursor, session_key, limit),
  ),
  tool(
    "events_wait",
    "Waits for the next event after a cursor.",
    z.object({
      after_cursor: cursor.describe("Cursor of the last event; 0 for new events only"),
      session_key: key.optional(),
      timeout_ms: z.coerce.number().int().min(0).max(MAX_WAIT_MS).default(30_000),
    }),
    ({ after_cursor, session_key, timeout_ms: timeoutMs }, service, signal) =>
      waitForEvent(service, after_cursor, session_key, { timeoutMs, signal }),
  ),
  tool(
    "messages_send",
    "Sends a message to a chat.",
    z.object({
      target: text.describe("platform:chat, by id or name; channels_list has them"),
      message: z.string().max(100_000),
      idempotency_key: z.string().min(1).max(200).optional().describe("Calls with the same key send once"),
    }),
    send,
    false,
  ),
  tool(
    "channels_list",
    "Lists the chats that messages can be sent to.",
    z.object({ platform }),
    (args, { store }) => listChannels(store, args.platform),
  ),
  tool("permissions_list_open", "Lists pending approvals.", z.object({}), (_, service) =>
    listApprovals(service),
  ),
  tool(
    "permissions_respond",
    "Decides an approval; the agent continues immediately.",
    z.object({ id: text, decision: z.enum(["allow-once", "allow-always", "deny"]) }),
    ({ id, decision }, service) => respond(service, id, decision),
    false,
  ),
];

async function send(
  args: { target: string; message: string; idempotency_key?: string | undefined },
  { store, targets, wake }: ChatService,
) {
  const key = args.idempotency_key === undefined ? undefined : `mcp:${args.idempotency_key}`;
  const { id } = await queueSend(store, { to: args.target, text: args.message, key }, targets);
  wake();
  const { state, target, messageIds, error } = await awaitDelivery(store, id, SEND_MS);
  return {
    success: state !== "dead",
    ...{ id: `out:${id}`, target: formatTarget(target), platform: target.platform, chat_id: target.chatId },
    ...{ state, message_ids: messageIds, ...(error ? { error } : {}) },
  };
}

/** The text for a caller's error; undefined for internal errors. */
export function mistakeOf(error: unknown): string | undefined {
  if (error instanceof CallerMistake) return error.message;
  if (!(error instanceof HermesError) || error.code === "internal") return undefined;
  return [error.message, error.hint].filter(Boolean).join(" ");
}
