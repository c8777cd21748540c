/** SDK error → what it means for a send, and one line for the operator. Never contains a token. */
import { HermesError, SendError } from "../../errors.js";
import { networkReason, networkSendError } from "../kit/send-errors.js";

/** Only the operator can fix these; answers wait meanwhile. */
const ACCOUNT_ERRORS = new Map(
  Object.entries({
    not_authed: "The Slack token is missing: set platforms.slack.token",
    invalid_auth:
      "Slack rejects this token: copy it again from the app's page (OAuth & Permissions for xoxb-, Basic Information for xapp-)",
    token_revoked: "The Slack token was revoked: reinstall the app and set the new one",
    token_expired: "The Slack token has expired: reinstall the app, or turn token rotation off",
    account_inactive: "The Slack app was removed from its workspace: install it again",
    user_removed_from_team: "The Slack bot was removed from its workspace: install the app again",
    team_disabled: "This Slack workspace is disabled",
    not_allowed_token_type:
      "Wrong type of Slack token: token is the bot's (xoxb-), app_token the app's (xapp-)",
    org_login_required: "Slack is migrating this workspace: sending resumes afterwards",
    team_added_to_org: "Slack is migrating this workspace into an organisation: sending resumes afterwards",
    ekm_access_denied: "The administrators of this Slack workspace have suspended posting",
    access_denied: "Slack denies this app access: ask the workspace's administrators",
    team_access_not_granted: "The Slack app isn't installed in this workspace: install it",
  }),
);

const CHAT_ERRORS = new Map(
  Object.entries({
    channel_not_found: "Slack can't find this conversation: if it exists, invite the bot",
    not_in_channel: "The bot isn't in this channel: /invite it there",
    is_archived: "This Slack channel is archived",
    msg_too_long: "The message is too long for Slack",
    msg_blocks_too_long: "The message is too long for Slack",
    no_text: "Slack rejects empty messages",
    restricted_action: "Posting in this channel is restricted: ask its administrators",
    restricted_action_read_only_channel: "This channel is read-only: ask its administrators",
    restricted_action_thread_only_channel: "This channel allows replies in threads only",
    restricted_action_non_threadable_channel:
      "This channel has no threads: set platforms.slack.reply_in_thread: false",
    restricted_action_thread_locked: "This thread is locked: ask its administrators",
    messages_tab_disabled:
      "The Slack app accepts no direct messages: turn on its Messages Tab (App Home → Show Tabs) and allow messages there",
    user_not_found: "Slack can't find this user",
    cannot_dm_bot: "Slack bots can't message each other",
  }),
);

const RATE_LIMITED = new Set(["ratelimited", "rate_limited"]);
/** Slack's docs: "It's possible some aspect of the operation succeeded". */
const UNCERTAIN = new Set(["internal_error", "fatal_error", "request_timeout", "service_unavailable"]);

const ACCOUNT_RETRY_MS = 60_000;

/** The `error` field of Slack's response. */
export function slackCode(error: unknown): string | undefined {
  const code = (error as { data?: { error?: unknown } } | undefined)?.data?.error;
  return typeof code === "string" ? code : undefined;
}

/** Retries fail until the operator changes something. */
export function isHopeless(error: unknown): boolean {
  const code = slackCode(error);
  return code !== undefined && (ACCOUNT_ERRORS.has(code) || code === "missing_scope");
}

/** A retry may succeed. */
export function isTransient(error: unknown): boolean {
  const code = slackCode(error);
  return code === undefined || UNCERTAIN.has(code) || RATE_LIMITED.has(code);
}

/** One line for logs and health. */
export function explain(error: unknown): string {
  if (error instanceof HermesError || error instanceof SendError) return error.message;
  const code = slackCode(error);
  if (code === "missing_scope") return missingScope(error);
  if (code !== undefined)
    return (
      ACCOUNT_ERRORS.get(code) ?? CHAT_ERRORS.get(code) ?? `Slack rejected the request: ${safeCode(code)}`
    );
  const { retryAfter, statusCode } = numbersOf(error);
  if (retryAfter !== undefined) return `Rate limited by Slack for ${retryAfter} s`;
  if (statusCode !== undefined) return `Slack answered with HTTP ${statusCode}`;
  return `Slack can't be reached: ${networkReason(error)}`;
}

function missingScope(error: unknown): string {
  const { needed } = (error as { data: { needed?: unknown } }).data;
  const scope = typeof needed === "string" ? safeCode(needed) : "that it needs";
  return `The Slack app lacks the scope ${scope}: add it under OAuth & Permissions and reinstall the app`;
}

/** The response may come from something between us and Slack. */
function safeCode(code: string): string {
  return /^[\w:.,-]{1,80}$/.test(code) ? code : "unknown error";
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
  if (statusCode !== undefined) return new SendError("unknown", message, { cause: error });
  return networkSendError(error, { label: "Slack" });
}

function fromAnswer(code: string, message: string, cause: unknown): SendError {
  if (UNCERTAIN.has(code)) return new SendError("unknown", message, { cause });
  if (RATE_LIMITED.has(code)) return new SendError("never_sent", message, { retryAfterMs: 1000, cause });
  if (ACCOUNT_ERRORS.has(code) || code === "missing_scope")
    return new SendError("never_sent", message, { retryAfterMs: ACCOUNT_RETRY_MS, scope: "account", cause });
  return new SendError("refused", message, { cause });
}

/** A socket that closes before its hello rejects with undefined. */
function numbersOf(error: unknown): { retryAfter?: number; statusCode?: number } {
  return (error ?? {}) as { retryAfter?: number; statusCode?: number };
}
