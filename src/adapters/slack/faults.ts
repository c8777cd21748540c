/** What the SDK throws → what it means for a send, in a sentence that says what to do. Never a token in it. */
import { HermesError, SendError } from "../../errors.js";
import { errorsWithin, neverConnected } from "../never-connected.js";

/** Only an operator can mend these; the answers wait meanwhile. */
const ACCOUNT_FAULTS: Record<string, string> = {
  not_authed: "Slack got no token: set platforms.slack.token",
  invalid_auth:
    "Slack doesn't know this token: copy it again from the app's page (OAuth & Permissions for xoxb-, Basic Information for xapp-)",
  token_revoked: "The Slack token was revoked: reinstall the app and set the new one",
  token_expired: "The Slack token has expired: reinstall the app, or switch token rotation off",
  account_inactive: "The Slack app was removed from its workspace: install it again",
  user_removed_from_team: "The Slack bot was removed from its workspace: install the app again",
  team_disabled: "This Slack workspace is disabled",
  not_allowed_token_type:
    "Wrong kind of Slack token: token is the bot's (xoxb-), app_token the app's (xapp-)",
  org_login_required: "Slack is moving this workspace: it will be back",
  team_added_to_org: "Slack is moving this workspace into an organisation: it will be back",
  ekm_access_denied: "The administrators of this Slack workspace have suspended posting",
  access_denied: "Slack denies this app access: ask the workspace's administrators",
  team_access_not_granted: "The Slack app isn't installed in this workspace: install it",
};

const CHAT_FAULTS: Record<string, string> = {
  channel_not_found: "Slack has no such conversation, or the bot may not see it: invite the bot",
  not_in_channel: "The bot isn't in this channel: /invite it there",
  is_archived: "This Slack channel is archived",
  msg_too_long: "Slack found the message too long",
  msg_blocks_too_long: "Slack found the message too long",
  no_text: "Slack takes no empty message",
  restricted_action: "Who may post in this channel is restricted: ask its administrators",
  restricted_action_read_only_channel: "This channel is for reading only: ask its administrators",
  restricted_action_thread_only_channel: "In this channel one may only answer in threads",
  restricted_action_non_threadable_channel:
    "In this channel there are no threads: set platforms.slack.reply_in_thread: false",
  restricted_action_thread_locked: "This thread is locked: ask its administrators",
  messages_tab_disabled:
    "The Slack app takes no direct messages: switch on its Messages Tab (App Home → Show Tabs), and let people write there",
  user_not_found: "Slack has no such user",
  cannot_dm_bot: "Bots can't write to one another in Slack",
};

const RATE_LIMITED = new Set(["ratelimited", "rate_limited"]);
/** "It's possible some aspect of the operation succeeded", as Slack says of them. */
const DOUBTFUL = new Set(["internal_error", "fatal_error", "request_timeout", "service_unavailable"]);

const ACCOUNT_RETRY_MS = 60_000;

/** The error's word in Slack's answer, if it is one. */
export function slackCode(error: unknown): string | undefined {
  const code = (error as { data?: { error?: unknown } } | undefined)?.data?.error;
  return typeof code === "string" ? code : undefined;
}

/** Another attempt without a change by the operator makes no sense. */
export function isHopeless(error: unknown): boolean {
  const code = slackCode(error);
  return code !== undefined && (code in ACCOUNT_FAULTS || code === "missing_scope");
}

/** Asked again, Slack may well answer. */
export function isPassing(error: unknown): boolean {
  const code = slackCode(error);
  return code === undefined || DOUBTFUL.has(code) || RATE_LIMITED.has(code);
}

/** One line for logs and health. */
export function explain(error: unknown): string {
  if (error instanceof HermesError || error instanceof SendError) return error.message;
  const code = slackCode(error);
  if (code === "missing_scope") return missingScope(error);
  if (code !== undefined)
    return ACCOUNT_FAULTS[code] ?? CHAT_FAULTS[code] ?? `Slack said no: ${safeWord(code)}`;
  const { retryAfter, statusCode } = numbersOf(error);
  if (retryAfter !== undefined) return `Slack asks to wait ${retryAfter} s`;
  if (statusCode !== undefined) return `Slack answered with HTTP ${statusCode}`;
  return `Slack can't be reached (${networkCode(error) ?? "no answer"})`;
}

function missingScope(error: unknown): string {
  const { needed } = (error as { data: { needed?: unknown } }).data;
  const scope = typeof needed === "string" ? safeWord(needed) : "one";
  return `The Slack app lacks the scope ${scope}: add it under OAuth & Permissions and reinstall the app`;
}

/** What an error answer holds is Slack's, or that of whoever stands in its place. */
function safeWord(word: string): string {
  return /^[\w:.,-]{1,80}$/.test(word) ? word : "an error without a name";
}

export function toSendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const message = explain(error);
  const { retryAfter, statusCode } = numbersOf(error);
  if (retryAfter !== undefined)
    return new SendError("never_sent", message, { retryAfterMs: retryAfter * 1000, cause: error });
  const code = slackCode(error);
  if (code !== undefined) return fromAnswer(code, message, error);
  if (statusCode !== undefined && statusCode < 500)
    return new SendError("never_sent", message, { cause: error });
  return new SendError(neverConnected(error) ? "never_sent" : "unknown", message, { cause: error });
}

function fromAnswer(code: string, message: string, cause: unknown): SendError {
  if (DOUBTFUL.has(code)) return new SendError("unknown", message, { cause });
  if (RATE_LIMITED.has(code)) return new SendError("never_sent", message, { retryAfterMs: 1000, cause });
  if (code in ACCOUNT_FAULTS || code === "missing_scope")
    return new SendError("never_sent", message, { retryAfterMs: ACCOUNT_RETRY_MS, scope: "account", cause });
  return new SendError("refused", message, { cause });
}

/** The SDK's figures; a socket that closes rejects with nothing at all. */
function numbersOf(error: unknown): { retryAfter?: number; statusCode?: number } {
  return (error ?? {}) as { retryAfter?: number; statusCode?: number };
}

function networkCode(error: unknown): string | undefined {
  for (const { code, name } of errorsWithin(error)) {
    if (typeof code === "string" && !code.startsWith("slack_")) return code;
    if (name === "TimeoutError" || name === "AbortError") return name;
  }
  return undefined;
}
