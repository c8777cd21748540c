/** A request from receipt to end: stored in the inbox first, and only once per idempotency key. */
import { nowSeconds } from "../../clock.js";
import type { Attachment, EventOutcome, InboundMessage } from "../../message.js";
import { traceFromHeaders } from "../../trace-id.js";
import type { CompletionRequest, InlineImage } from "./completion-request.js";
import { ApiError, notNow } from "./errors.js";
import { chatName, fingerprint, ownName, requestId } from "./ids.js";
import { type Asking, messageOf, resumeMessage } from "./normalise.js";
import { type Finished, isEnd, type PendingRequests } from "./pending.js";
import { chooseChat, type FindSession, type RequestChat, readIdempotencyKey } from "./request-chat.js";

export interface ExchangeParts {
  pending: PendingRequests;
  sessionHeaders: readonly string[];
  findSession: FindSession;
  /** The chat's current session. */
  sessionOf(chatId: string): Promise<string | undefined>;
  outcome(eventId: string): Promise<EventOutcome | undefined>;
  keepImage(image: InlineImage): Promise<Attachment>;
  /** Undefined: use the configured one. */
  modelFor(model: string): string | undefined;
  /** Undefined while the gateway isn't connected. */
  receive(): ((message: InboundMessage) => Promise<void>) | undefined;
  timeoutMs: number;
  checkEveryMs: number;
}

export interface Client {
  key: string;
  path: string;
  /** As received: an idempotency key is bound to its body. */
  body: unknown;
  header(name: string): string | undefined;
  /** The chat of an earlier answer; wins over the headers. */
  chat?: RequestChat;
}

export interface Exchange {
  id: string;
  /** The caller's request id, or the trace id. */
  requestId: string;
  /** Epoch seconds. */
  createdAt: number;
  sessionId: string;
  sessionKey: string;
  /** Reports the current state at once. Returns a function that stops listening. Ends with exactly one of the two calls. */
  follow(wrote: (text: string) => void, ended: (end: Finished | ApiError) => void): () => void;
}

/** Resolves when the inbox has it, also from an earlier attempt. */
export async function openExchange(
  parts: ExchangeParts,
  request: CompletionRequest,
  client: Client,
): Promise<Exchange> {
  const { key, header } = client;
  const once = readIdempotencyKey(header);
  const id = requestId(key, once);
  const print = fingerprint(client.path, client.body);
  const earlier = once === undefined ? undefined : await parts.outcome(id);
  if (earlier && earlier.message.request?.fingerprint !== print)
    throw new ApiError(422, "idempotency_key_reused", "This Idempotency-Key was used for another request");
  const chat = earlier
    ? chatOf(key, earlier.message)
    : (client.chat ?? (await chooseChat(header, key, id, parts)));
  const trace = traceFromHeaders(header) ?? { requestId: id, traceId: id };
  const line = new Line(parts, id);
  try {
    if (!earlier) await accept(parts, request, { id, key, traceId: trace.traceId, fingerprint: print }, chat);
  } catch (error) {
    line.close();
    throw error;
  }
  if (earlier) line.look(earlier);
  return {
    id,
    requestId: trace.requestId,
    createdAt: Math.floor(earlier?.receivedAt ?? nowSeconds()),
    sessionId: earlier?.sessionId ?? (await currentSession(parts, chat)) ?? ownName(id),
    sessionKey: chat.name,
    follow: (wrote, ended) => line.follow(wrote, ended),
  };
}

async function accept(
  parts: ExchangeParts,
  request: CompletionRequest,
  asking: Pick<Asking, "id" | "key" | "traceId" | "fingerprint">,
  chat: RequestChat,
): Promise<void> {
  const receive = parts.receive();
  if (!receive) throw notNow("The gateway is starting or stopping; try again in a moment");
  const last = chat.unnamed ?? false;
  const whole = {
    ...asking,
    chatId: chat.chatId,
    last,
    model: parts.modelFor(request.model),
    now: nowSeconds(),
  };
  const images = await Promise.all(request.images.map((image) => parts.keepImage(image)));
  if (chat.resume !== undefined) await receive(resumeMessage(chat.resume, whole));
  await receive(messageOf(request, images, whole));
}

/** An unnamed chat has no earlier session. */
async function currentSession(
  parts: ExchangeParts,
  { chatId, unnamed }: RequestChat,
): Promise<string | undefined> {
  return unnamed ? undefined : parts.sessionOf(chatId);
}

function chatOf(key: string, { origin }: InboundMessage): RequestChat {
  return { chatId: origin.chatId ?? "", name: chatName(key, origin.chatId) ?? "" };
}

/** One connected client. The newest text and the end are kept until it listens. */
class Line {
  readonly #parts: ExchangeParts;
  readonly #id: string;
  readonly #leave: () => void;
  readonly #timers: NodeJS.Timeout[];
  #text = "";
  #end: Finished | ApiError | undefined;
  #wrote: ((text: string) => void) | undefined;
  #ended: ((end: Finished | ApiError) => void) | undefined;

  constructor(parts: ExchangeParts, id: string) {
    this.#parts = parts;
    this.#id = id;
    const leave = parts.pending.add(id, {
      wrote: (text) => {
        this.#text = text;
        this.#wrote?.(text);
      },
      ended: (finished) => this.#finish(finished),
    });
    if (!leave)
      throw new ApiError(429, "too_many_requests", "Too many requests are waiting", { retryAfterSeconds: 5 });
    this.#leave = leave;
    this.#timers = [
      setInterval(() => void this.#checkAgain(), parts.checkEveryMs),
      setTimeout(() => this.#finish(timedOut(parts.timeoutMs)), parts.timeoutMs),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  follow(wrote: (text: string) => void, ended: (end: Finished | ApiError) => void): () => void {
    this.#wrote = wrote;
    this.#ended = ended;
    if (this.#text !== "") wrote(this.#text);
    if (this.#end) ended(this.#end);
    return () => this.close();
  }

  /** The outcome, if the request ended while the client was away. */
  look({ answers, over }: EventOutcome): void {
    const end = answers.findLast(isEnd) ?? (over ? answers.at(-1) : undefined);
    if (end) this.#finish(end);
    else if (over)
      this.#finish(new ApiError(409, "stopped", "The request was stopped before it was answered"));
  }

  close(): void {
    this.#leave();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#wrote = undefined;
    this.#ended = undefined;
  }

  /** A message that was removed from the queue sends no event, so its state is polled. */
  async #checkAgain(): Promise<void> {
    const outcome = await this.#parts.outcome(this.#id).catch(() => undefined);
    if (outcome?.over && !this.#end) this.look(outcome);
  }

  #finish(end: Finished | ApiError): void {
    if (this.#end) return;
    this.#end = end;
    const ended = this.#ended;
    this.close();
    ended?.(end);
  }
}

function timedOut(ms: number): ApiError {
  const message = `No answer within ${Math.round(ms / 1000)} seconds. The turn continues; retry with the same Idempotency-Key`;
  return new ApiError(504, "timeout", message);
}
