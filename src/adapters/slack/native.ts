/** What Slack sends, as far as the adapter looks at it. Nothing here is believed to be there; it may be null, too. */

export interface SlackEvent {
  type?: string;
  subtype?: string;
  channel?: string;
  channel_type?: string;
  user?: string;
  bot_id?: string;
  username?: string;
  text?: string;
  ts?: string;
  thread_ts?: string;
  parent_user_id?: string;
  team?: string;
  files?: SlackFile[];
  attachments?: SlackAttachment[];
  hidden?: boolean;
  /** `message_changed` and `message_deleted`. */
  message?: SlackEvent;
  previous_message?: SlackEvent;
  deleted_ts?: string;
  /** In histories. */
  latest_reply?: string;
  reply_users?: string[];
  metadata?: { event_type?: string; event_payload?: { nonce?: unknown; part?: unknown; question?: unknown } };
}

export interface SlackFile {
  id?: string;
  name?: string;
  title?: string;
  mimetype?: string;
  subtype?: string;
  size?: number;
  mode?: string;
  file_access?: string;
  url_private?: string;
  url_private_download?: string;
  shares?: Record<string, Record<string, { ts?: string }[]>>;
}

export interface SlackAttachment {
  is_share?: boolean;
  is_msg_unfurl?: boolean;
  author_name?: string;
  text?: string;
  fallback?: string;
  title?: string;
  image_url?: string;
  from_url?: string;
}

export interface SlackCommand {
  command?: string;
  text?: string;
  channel_id?: string;
  channel_name?: string;
  user_id?: string;
  user_name?: string;
  team_id?: string;
  trigger_id?: string;
  response_url?: string;
  thread_ts?: string;
}

/** Who the bot is, as `auth.test` tells. */
export interface Identity {
  teamId: string;
  userId: string;
  botId: string | undefined;
}
