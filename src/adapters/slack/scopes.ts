/** The bot token's scopes and their purpose. These are required. */
export const NEEDED_SCOPES: Readonly<Record<string, string>> = { "chat:write": "to answer" };

/** At least one is required, or no message comes in. */
export const RECEIVING_SCOPES: Readonly<Record<string, string>> = {
  "im:history": "to receive direct messages",
  "app_mentions:read": "to receive mentions",
  "channels:history": "to receive channel messages and fetch missed ones",
  "groups:history": "to receive messages of private channels",
  "mpim:history": "to receive group messages",
};

/** Optional: without one of them, a feature is missing. */
export const USEFUL_SCOPES: Readonly<Record<string, string>> = {
  "im:read": "to find missed direct messages",
  "channels:read": "for channel names",
  "groups:read": "for private channel names",
  "mpim:read": "for group message names",
  "users:read": "for people's names",
  "files:read": "to get files",
  "files:write": "to send files",
  "reactions:write": "to react to messages (display.reactions)",
  commands: "for slash commands",
};
