/**
 * The web chat's HTTP interface, `/api/web/…`: types only, shared with the page. docs/web-chat.md describes each request.
 * Times are epoch seconds. Every answer is about the person who asks, and nothing else.
 */

// ── identity ────────────────────────────────────────────────────────────────────────────────────────────────────

/** `GET /api/web/me`. The page's first request: it gives a browser without a cookie its identity. */
export interface Me {
  person: WebPerson;
  /** How a person can sign in here. */
  logins: LoginWays;
  features: Features;
  models: Pickable;
  agents: Pickable;
  commands: { name: string; usage: string; description: string }[];
  limits: Limits;
}

export interface WebPerson {
  /** Opaque: also the chat id in targets, `web:<id>`. */
  id: string;
  /** Null: unknown, or a browser that isn't signed in. */
  name: string | null;
  signedIn: boolean;
  owner: boolean;
  /** The device in use; null: not signed in. */
  deviceId: string | null;
}

export interface LoginWays {
  /** A link from `/login` in a paired chat, or from the terminal at the start. */
  link: boolean;
  password: boolean;
  /** A link with this label to this path of the server; null if there is no issuer. */
  oidc: { label: string; path: string } | null;
}

export interface Features {
  sharing: boolean;
  uploads: boolean;
}

/** What this person may choose from; an empty list: nothing to choose. */
export interface Pickable {
  /** What answers without a choice. */
  default: string;
  choices: { name: string; description: string | null }[];
}

export interface Limits {
  messageChars: number;
  fileBytes: number;
  filesPerMessage: number;
  titleChars: number;
}

/** `GET /api/web/devices`. `DELETE /api/web/devices/:id` signs one out. */
export interface Devices {
  devices: Device[];
}

export interface Device {
  id: string;
  /** From its browser's name: "Firefox on Linux". */
  label: string;
  createdAt: number;
  lastSeenAt: number;
  current: boolean;
}

/** `POST /api/web/login/password`. Answers with `Me`, as does `POST /api/web/login/link` with the `code` of a login link. */
export interface PasswordLogin {
  name: string;
  password: string;
}

// ── conversations ───────────────────────────────────────────────────────────────────────────────────────────────

/**
 * `GET /api/web/conversations?q=&archived=1&cursor=&limit=`: pinned ones first (on the first page), then by last activity. With `q`:
 * those whose title or messages match, best first, in one page.
 */
export interface ConversationPage {
  conversations: Conversation[];
  /** Null at the end. */
  cursor: string | null;
}

export interface Conversation {
  /** A UUID that the page makes; the id of a session from before; or `main`: the chat without conversations. */
  id: string;
  /** Plain text, never empty. */
  title: string;
  /** The person named it, or it was generated; false: made of its first words. */
  titled: boolean;
  pinned: boolean;
  archived: boolean;
  lastActiveAt: number;
  messageCount: number;
  /** Where a search found it: plain text. */
  snippet?: string;
  /** A turn runs or waits for an answer. */
  busy: boolean;
}

/** `PATCH /api/web/conversations/:id`: what is left out stays. Answers with the `Conversation`. */
export interface ConversationChange {
  title?: string;
  pinned?: boolean;
  archived?: boolean;
  /** A name of `Me.models` or `Me.agents`; null: the default. Also possible before the first message. */
  model?: string | null;
  agent?: string | null;
}

// `DELETE /api/web/conversations/:id` → 204. `GET /api/web/conversations/:id/export?format=md|json` → a download.

/** `GET /api/web/conversations/:id?before=<message>&limit=`: the newest messages, or those before one. */
export interface OpenConversation {
  /** Null if nothing was written in it; an unknown id is an empty page, not a fault. */
  conversation: Conversation | null;
  /** Oldest first. */
  messages: ChatMessage[];
  /** There are earlier messages. */
  earlier: boolean;
  /** Only on the newest page. */
  turn: LiveTurn | null;
  queued: QueuedMessage[];
  /** Where a question was edited or an answer regenerated: which versions there are. */
  forks: Fork[];
  model: string | null;
  agent: string | null;
  /** Where the event stream continues after what this answer contains. */
  eventCursor: string;
}

export type ChatMessage = UserMessage | AnswerMessage | NoticeMessage;

interface OfMessage {
  /** Opaque and stable: of a message that was shown before it was stored, too. */
  id: string;
  /** Its place: `before` takes it. */
  position: number;
  at: number;
}

export interface UserMessage extends OfMessage {
  from: "user";
  /** The id that the page gave it; null: from before, or from another place. */
  clientId: string | null;
  text: string;
  files: ChatFile[];
  undone: boolean;
}

export interface AnswerMessage extends OfMessage {
  from: "agent";
  /** Markdown. Text between tool calls is a separate message, with `final: false`. */
  text: string;
  final: boolean;
  /** It was stopped: the text is what was written until then. */
  stopped: boolean;
  undone: boolean;
  turnId: string | null;
  tools: ToolCall[];
  files: ChatFile[];
  reasoning: string | null;
  usage: AnswerUsage | null;
  /** Web pages that its turn read or found; on the last words of the turn. */
  sources: Source[];
}

/** A page on another site: `url` is http or https. */
export interface Source {
  url: string;
  /** Plain text, never empty. */
  title: string;
  host: string;
}

/** A command's reply, a notice, a question. Kept for as long as the queues keep it. */
export interface NoticeMessage extends OfMessage {
  from: "gateway";
  kind: "command" | "notice" | "question";
  text: string;
  files: ChatFile[];
  /** Of a question that is open: `POST …/presses` with `button: data`. */
  buttons: { label: string; data: string; style?: "primary" | "danger" | undefined }[];
}

export interface ToolCall {
  callId: string;
  tool: string;
  /** JSON, cut if it is long. */
  args: string;
  state: "running" | "done" | "failed";
  /** The beginning of the result; null: none, or unknown. */
  result: string | null;
  seconds: number | null;
}

export interface AnswerUsage {
  model: string | null;
  inputTokens: number;
  outputTokens: number;
  /** Null: unknown. */
  costUsd: number | null;
  seconds: number | null;
}

export interface ChatFile {
  /** Of what people sent: a new version of the message can name it again. */
  id?: string;
  name: string;
  mimeType: string;
  bytes: number;
  /** On this server. Pictures can be shown inline; everything else is a download. */
  url: string;
  picture: boolean;
}

/** An answer that is being written. */
export interface LiveTurn {
  conversationId: string;
  turnId: string;
  /** By the server's clock; `elapsed` when this was sent. */
  startedAt: number;
  elapsed: number;
  /** The text so far. */
  text: string;
  tools: ToolCall[];
  /** It waits for the answer to a question. */
  waiting: boolean;
  /** Messages that it answers, by the page's ids. */
  clientIds: string[];
}

/** A message that waits for the running turn. */
export interface QueuedMessage {
  clientId: string;
  text: string;
  files: ChatFile[];
  at: number;
}

export interface Fork {
  /** The message of this branch at which the versions differ. */
  messageId: string;
  /** In the order of their creation. */
  branches: { id: string; createdAt: number }[];
  /** Index of the one that is shown. */
  current: number;
}

/** `POST /api/web/conversations/:id/branch`: shows another version. Answers with 204. */
export interface SwitchBranch {
  branch: string;
}

// ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * `POST /api/web/conversations/:id/messages` → `Accepted`, 202. The first one creates the conversation. A repeated `clientId` is
 * accepted again and answered once. A text that begins with a slash is a command.
 */
export interface SendMessage {
  /** A UUID: the same for every attempt. */
  clientId: string;
  /** May be empty if there are files. */
  text: string;
  /** Ids of uploads. */
  files?: string[];
}

export interface Accepted {
  accepted: true;
  clientId: string;
}

// `DELETE /api/web/conversations/:id/messages/:clientId` withdraws a queued message: 204, or 409 if its turn has started.

/** `POST …/stop` → `Stopped`. The partial answer stays. Waiting messages stay, too. */
export interface Stopped {
  stopped: boolean;
}

/** `POST …/regenerate` → `Accepted`: answers the last question again, in a branch. */
export interface Regenerate {
  clientId: string;
}

/** `POST …/edit` → `Accepted`: asks another question in place of that one, in a branch. Ends a running turn. */
export interface EditMessage extends SendMessage {
  /** The `id` of a message of the person. */
  messageId: string;
}

/** `POST …/presses` → `Accepted`: answers a question. */
export interface Press {
  clientId: string;
  button: string;
  /** The label. */
  text: string;
}

// ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * `POST /api/web/files?name=` with the bytes as the body and their `Content-Type` → `Upload`, 201. 413 above `Limits.fileBytes`.
 * An upload that no message names is deleted after a day. `GET /api/web/files/:id` sends it back.
 */
export interface Upload extends ChatFile {
  id: string;
}

// ── sharing ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** `POST /api/web/conversations/:id/shares` → `Share`, 201. */
export interface NewShare {
  /** Default: 7; at most 365. */
  days?: number;
}

/** `GET /api/web/shares` → `Shares`. `DELETE /api/web/shares/:id` revokes one: 204. */
export interface Shares {
  shares: Share[];
}

export interface Share {
  id: string;
  conversationId: string;
  title: string;
  /** A path on this server: the page at it needs no login. */
  path: string;
  createdAt: number;
  expiresAt: number;
}

/** `GET /api/web/shared/:secret`: 404 when it has expired, was revoked, or sharing is off. */
export interface SharedConversation {
  title: string;
  sharedAt: number;
  expiresAt: number;
  /** Text alone, as it was when it was shared: no files, no reasoning, no arguments of tools. */
  messages: { from: "user" | "agent"; text: string; at: number; tools: string[] }[];
}

// ── events ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * `GET /api/web/events?cursor=`: server-sent events for this person, of all conversations. The event's name is the type; the data is
 * the rest. Events that change what is stored have an id, the cursor: after a lost connection the browser sends it back and gets what
 * it missed. If that is unknown, `hello` says so, and the page reads again what it shows.
 */
export type WebEvent =
  | { type: "hello"; missed: boolean; cursor: string; turns: LiveTurn[] }
  | { type: "heartbeat" }
  /** Stored: in every tab. */
  | { type: "message"; conversationId: string; message: ChatMessage }
  | { type: "queued"; conversationId: string; message: QueuedMessage }
  | { type: "withdrawn"; conversationId: string; clientId: string }
  | { type: "turn-started"; conversationId: string; turn: LiveTurn }
  /** The text of the turn from this offset on, in UTF-16 units, is this. */
  | { type: "delta"; conversationId: string; turnId: string; from: number; text: string }
  | { type: "tool"; conversationId: string; turnId: string; call: ToolCall }
  /** A question is decided: this text takes the place of the message and its buttons. */
  | { type: "decided"; conversationId: string; messageId: string; text: string }
  | TurnFinished
  /** Created, renamed, pinned, archived; other tabs show it. */
  | { type: "conversation"; conversation: Conversation }
  /** Another branch is shown: read the conversation again. */
  | { type: "branched"; conversationId: string }
  | { type: "deleted"; conversationId: string }
  /** This browser was signed in or out elsewhere: read `me` again. */
  | { type: "identity" };

export interface TurnFinished {
  type: "turn-finished";
  conversationId: string;
  turnId: string;
  outcome: "answered" | "silent" | "interrupted" | "stopped" | "failed" | "waiting" | "retrying";
  usage: AnswerUsage | null;
}

// ── faults ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The body of every answer with a status of 400 or above. */
export interface Fault {
  error: { code: string; message: string; hint?: string };
}
