/** The state of an open conversation and how events change it. Pure: no clock, no requests. */
import type {
  AnswerMessage,
  ChatFile,
  ChatMessage,
  Conversation,
  Fork,
  LiveTurn,
  OpenConversation,
  QueuedMessage,
  ToolCall,
  TurnFinished,
  UserMessage,
  WebEvent,
} from "../../../../src/adapters/web/api.js";

export interface Thread {
  id: string;
  conversation: Conversation | null;
  /** Oldest first. */
  messages: readonly ChatMessage[];
  earlier: boolean;
  turn: ShownTurn | null;
  queued: readonly QueuedMessage[];
  forks: readonly Fork[];
  model: string | null;
  agent: string | null;
  /** Id of the last event that is included. */
  cursor: string;
}

export interface ShownTurn extends LiveTurn {
  /** The turn has ended, but its stored messages haven't been read yet. */
  ended: boolean;
}

/** An event of one conversation. */
export type ThreadEvent = Extract<WebEvent, { conversationId: string }>;

/** A sent message, before the server returns it. */
export interface SentMessage {
  clientId: string;
  text: string;
  files: readonly ChatFile[];
  at: number;
}

export function emptyThread(id: string): Thread {
  return {
    id,
    conversation: null,
    messages: [],
    earlier: false,
    turn: null,
    queued: [],
    forks: [],
    model: null,
    agent: null,
    cursor: "",
  };
}

export function threadOf(id: string, read: OpenConversation): Thread {
  const { eventCursor: cursor, turn, ...rest } = read;
  return { ...rest, id, cursor, turn: turn && { ...turn, ended: false } };
}

/** Adds an older page at the front. */
export function withEarlier(thread: Thread, { messages, earlier, forks }: OpenConversation): Thread {
  const known = new Set(thread.messages.map(({ id }) => id));
  const older = messages.filter(({ id }) => !known.has(id));
  const oldForks = forks.filter(
    (fork) => !thread.forks.some(({ messageId }) => messageId === fork.messageId),
  );
  return {
    ...thread,
    messages: [...older, ...thread.messages],
    forks: [...oldForks, ...thread.forks],
    earlier,
  };
}

/** Whether a read up to `cursor` (`<epoch>-<number>`) includes this event. */
export function isContained(cursor: string, eventId: string): boolean {
  const [epoch, number] = parts(cursor);
  const [eventEpoch, eventNumber] = parts(eventId);
  return epoch === eventEpoch && number >= eventNumber;
}

function parts(cursor: string): [epoch: string, number: number] {
  const dash = cursor.lastIndexOf("-");
  return [cursor.slice(0, Math.max(0, dash)), Number(cursor.slice(dash + 1)) || 0];
}

/** Shows an accepted message at the end until the server's version replaces it. */
export function withSent(thread: Thread, sent: SentMessage): Thread {
  if (isKnown(thread, sent.clientId)) return thread;
  const local: UserMessage = {
    from: "user",
    id: `sent:${sent.clientId}`,
    clientId: sent.clientId,
    position: 0,
    at: sent.at,
    text: sent.text,
    files: [...sent.files],
    undone: false,
  };
  return { ...thread, messages: [...thread.messages, local] };
}

export function isKnown({ messages, queued }: Thread, clientId: string): boolean {
  return queued.some((one) => one.clientId === clientId) || messages.some((one) => isOf(one, clientId));
}

const isOf = (message: ChatMessage, clientId: string) =>
  message.from === "user" && message.clientId === clientId;

export function applied(thread: Thread, event: ThreadEvent): Thread {
  switch (event.type) {
    case "message":
      return withMessage(thread, event.message);
    case "queued":
      return {
        ...thread,
        messages: thread.messages.filter((one) => !isOf(one, event.message.clientId)),
        queued: [...without(thread.queued, event.message.clientId), event.message],
      };
    case "withdrawn":
      return {
        ...thread,
        messages: thread.messages.filter((one) => !isOf(one, event.clientId)),
        queued: without(thread.queued, event.clientId),
      };
    case "turn-started":
      return withTurn(thread, event.turn);
    case "delta":
      return changedTurn(thread, event.turnId, (turn) => ({
        text: turn.text.slice(0, event.from) + event.text,
      }));
    case "tool":
      return changedTurn(thread, event.turnId, (turn) => ({ tools: withCall(turn.tools, event.call) }));
    case "decided":
      return decided(thread, event.messageId, event.text);
    case "turn-finished":
      return finished(thread, event);
    default:
      // "branched" and "deleted" need a request.
      return thread;
  }
}

const without = (queued: readonly QueuedMessage[], clientId: string) =>
  queued.filter((one) => one.clientId !== clientId);

/** Replaces a known message in its place; appends a new one. */
function withMessage(before: Thread, message: ChatMessage): Thread {
  const isReply = message.from === "gateway" && message.kind === "command";
  const thread = isReply ? withCommand(before) : before;
  const clientId = message.from === "user" ? message.clientId : null;
  const isSame = (one: ChatMessage) => one.id === message.id || (clientId !== null && isOf(one, clientId));
  const messages = thread.messages.some(isSame)
    ? thread.messages.map((one) => (isSame(one) ? renewed(one, message) : one))
    : [...thread.messages, message];
  const queued = clientId === null ? thread.queued : without(thread.queued, clientId);
  return { ...thread, messages, queued };
}

/** An event lacks the position and the reasoning, which a read has. */
function renewed(known: ChatMessage, message: ChatMessage): ChatMessage {
  const position = message.position || known.position;
  if (known.from !== "agent" || message.from !== "agent") return { ...message, position };
  const sources = message.sources.length > 0 ? message.sources : known.sources;
  return { ...message, position, sources, reasoning: message.reasoning ?? known.reasoning };
}

/** A command has no turn that takes it out of the queue; its reply does. */
function withCommand(thread: Thread): Thread {
  const command = thread.queued.find(({ text }) => text.startsWith("/"));
  if (!command) return thread;
  return withSent({ ...thread, queued: without(thread.queued, command.clientId) }, command);
}

/** Moves the queued messages that the turn answers into the conversation. Keeps text that a read already returned. */
export function withTurn(thread: Thread, turn: LiveTurn): Thread {
  const known = thread.turn?.turnId === turn.turnId ? thread.turn : undefined;
  const text = known && known.text.length > turn.text.length ? known.text : turn.text;
  const answered = thread.queued.filter(({ clientId }) => turn.clientIds.includes(clientId));
  const queued = thread.queued.filter((one) => !answered.includes(one));
  const moved = answered.reduce(withSent, { ...thread, queued });
  return { ...moved, turn: { ...turn, text, ended: false } };
}

function changedTurn(
  thread: Thread,
  turnId: string,
  change: (turn: ShownTurn) => Partial<ShownTurn>,
): Thread {
  const { turn } = thread;
  if (turn?.turnId !== turnId) return thread;
  return { ...thread, turn: { ...turn, ...change(turn) } };
}

function withCall(tools: readonly ToolCall[], call: ToolCall): ToolCall[] {
  const known = tools.some(({ callId }) => callId === call.callId);
  return known ? tools.map((one) => (one.callId === call.callId ? call : one)) : [...tools, call];
}

function decided(thread: Thread, messageId: string, text: string): Thread {
  const messages = thread.messages.map((one) =>
    one.id === messageId && one.from === "gateway" ? { ...one, text, buttons: [] } : one,
  );
  return { ...thread, messages };
}

/** Outcomes after which the written text is part of the session. */
const STORED: readonly TurnFinished["outcome"][] = ["answered", "stopped", "interrupted"];

/** The written text stays on the screen until the session is read. */
function finished(thread: Thread, { turnId, outcome, usage }: TurnFinished): Thread {
  const messages = thread.messages.map((one) =>
    isAnswerOf(one, turnId) && one.final && one.usage === null ? { ...one, usage } : one,
  );
  const { turn } = thread;
  if (turn?.turnId !== turnId) return { ...thread, messages };
  return { ...thread, messages, turn: STORED.includes(outcome) ? { ...turn, ended: true } : null };
}

const isAnswerOf = (one: ChatMessage, turnId: string): one is AnswerMessage =>
  one.from === "agent" && one.turnId === turnId;

/** Leaves out stored parts of the running turn, which is shown separately. */
export function shownMessages({ messages, turn }: Thread): readonly ChatMessage[] {
  return turn ? messages.filter((one) => !isAnswerOf(one, turn.turnId)) : messages;
}

/** Whether the last question has no answer, for example because the model failed. */
export function isUnanswered({ messages, turn, queued }: Thread): boolean {
  if (turn || queued.length > 0) return false;
  const shown = messages.filter((one) => one.from !== "gateway").filter(({ undone }) => !undone);
  const question = shown.findLast((one) => one.from === "user");
  const last = shown.at(-1);
  // A question without a position isn't stored yet, or is a command.
  if (!last || !question || question.position === 0 || question.text.startsWith("/")) return false;
  return last.from === "user" || (!last.final && !last.stopped);
}

/** The versions of a message, if there are several. */
export const forkAt = ({ forks }: Thread, messageId: string) =>
  forks.find((fork) => fork.messageId === messageId);
