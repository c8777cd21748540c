/** The SDK's types for what Slack sends, with every field optional: a payload is never validated as a whole. */
import type { SlashCommand } from "@slack/bolt";
import type { ConversationsHistoryResponse } from "@slack/web-api";

type HistoryMessage = NonNullable<ConversationsHistoryResponse["messages"]>[number];

type HistoryFile = NonNullable<HistoryMessage["files"]>[number];

export type SlackFile = Pick<
  HistoryFile,
  | "id"
  | "name"
  | "title"
  | "mimetype"
  | "subtype"
  | "size"
  | "mode"
  | "file_access"
  | "url_private"
  | "url_private_download"
  | "shares"
>;

export type SlackAttachment = NonNullable<HistoryMessage["attachments"]>[number] & { is_share?: boolean };

export type SlackCommand = Partial<SlashCommand>;

/** `block_actions`: a pressed button. */
export interface SlackPress {
  user?: { id?: string; name?: string };
  team?: { id?: string } | null;
  channel?: { id?: string };
  message?: { ts?: string; thread_ts?: string };
  container?: { message_ts?: string; thread_ts?: string };
  actions?: readonly { action_id?: string; action_ts?: string; text?: { text?: string } }[];
}

/** A message in an event or in a history. */
export interface SlackEvent extends Omit<HistoryMessage, "attachments" | "files" | "metadata"> {
  channel?: string;
  channel_type?: string;
  attachments?: SlackAttachment[];
  files?: SlackFile[];
  metadata?: { event_type?: string; event_payload?: { nonce?: unknown; part?: unknown; question?: unknown } };
  /** `message_changed` and `message_deleted`. */
  message?: SlackEvent;
  previous_message?: SlackEvent;
  deleted_ts?: string;
}

/** The bot's own ids, from `auth.test`. */
export interface Identity {
  teamId: string;
  userId: string;
  botId: string | undefined;
}
