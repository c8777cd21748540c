/** What each scope of the bot's token is for. Without the first kind there is no conversation. */
export const NEEDED_SCOPES: Readonly<Record<string, string>> = { "chat:write": "to answer" };

/** One of them at least, or it is deaf. */
export const HEARING_SCOPES: Readonly<Record<string, string>> = {
  "im:history": "to hear direct messages",
  "app_mentions:read": "to hear mentions",
  "channels:history": "to hear channels and fetch what was missed",
  "groups:history": "to hear private channels",
  "mpim:history": "to hear group messages",
};

/** Each takes something away when it is missing. */
export const USEFUL_SCOPES: Readonly<Record<string, string>> = {
  "im:read": "to find the direct messages it missed",
  "channels:read": "to know channels by name",
  "groups:read": "to know private channels by name",
  "mpim:read": "to know group messages",
  "users:read": "to know people by name",
  "files:read": "to get files",
  "files:write": "to send files",
  commands: "for slash commands",
};
