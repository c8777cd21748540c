/** Words for messages: as they arrive from a platform, as they leave for one. */

/** Where a message comes from. Only `platform`, `chatType`, `chatId`, `threadId` and the user ids decide the session key. */
export interface Origin {
  platform: string;
  chatType: ChatType;
  chatId: string | null;
  chatName?: string | null;
  threadId?: string | null;
  userId?: string | null;
  /** A second, stable id of the same person (a Signal UUID, a Feishu union id); wins over `userId` in keys. */
  userIdAlt?: string | null;
  userName?: string | null;
  chatTopic?: string | null;
  chatIdAlt?: string | null;
  guildId?: string | null;
  parentChatId?: string | null;
  messageId?: string | null;
}

/** Platforms may add kinds of their own ("webhook"); anything but "dm" is a room. */
export type ChatType = "dm" | "group" | "channel" | "thread" | (string & {});

/** Who is asking. Owners see everything; everybody else their own sessions and the rooms they took part in. */
export interface Principal {
  platform: string;
  userId: string;
  owner?: boolean;
}
