/** A request from its receipt to its end: in the inbox before anything is answered, once under one key. */
import { nowSeconds } from "../../clock.js";
import type { Attachment, EventOutcome, InboundMessage } from "../../message.js";
import { givenTrace } from "../../trace-id.js";
import type { Asked, InlineImage } from "./asked.js";
import { ApiError, notNow } from "./errors.js";
import { chatName, fingerprint, ownName, requestId } from "./ids.js";
import { type Asking, messageOf, resumeMessage } from "./normalise.js";
import { choosePlace, type FindSession, type Place, readIdempotencyKey } from "./places.js";
import { type Finished, isEnd, type Waiting } from "./waiting.js";

export interface ExchangeParts {
  waiting: Waiting;
  sessionHeaders: readonly string[];
  findSession: FindSession;
  /** The chat's session now. */
  sessionOf(chatId: string): Promise<string | undefined>;
  outcome(eventId: string): Promise<EventOutcome | undefined>;
  keepImage(image: InlineImage): Promise<Attachment>;
  /** Undefined: the configured one answers. */
  modelFor(asked: string): string | undefined;
  /** Undefined while nobody takes messages. */
  receive(): ((message: InboundMessage) => Promise<void>) | undefined;
  timeoutMs: number;
  lookEveryMs: number;
}

export interface Client {
  key: string;
  path: string;
  /** As it came: the same key must come with the same body. */
  body: unknown;
  header(name: string): string | undefined;
  /** The chat of an earlier answer goes on, whatever the headers say. */
  place?: Place;
}

export interface Exchange {
  id: string;
  /** What the caller calls it, or its trace. */
  requestId: string;
  /** Epoch seconds. */
  createdAt: number;
  sessionId: string;
  sessionKey: string;
  /** Calls at once with what there is already. Gives what ends it. Ends with exactly one of the two. */
  follow(wrote: (text: string) => void, ended: (end: Finished | ApiError) => void): () => void;
}

/** Resolves when the inbox has it, or has had it before. */
export async function openExchange(parts: ExchangeParts, asked: Asked, client: Client): Promise<Exchange> {
  const { key, header } = client;
  const once = readIdempotencyKey(header);
  const id = requestId(key, once);
  const print = fingerprint(client.path, client.body);
  const earlier = once === undefined ? undefined : await parts.outcome(id);
  if (earlier && earlier.message.request?.fingerprint !== print)
    throw new ApiError(422, "idempotency_key_reused", "This Idempotency-Key was used for another request");
  const place = earlier
    ? placeOf(key, earlier.message)
    : (client.place ?? (await choosePlace(header, key, id, parts)));
  const trace = givenTrace(header) ?? { requestId: id, traceId: id };
  const line = new Line(parts, id);
  try {
    if (!earlier) await accept(parts, asked, { id, key, traceId: trace.traceId, fingerprint: print }, place);
  } catch (error) {
    line.close();
    throw error;
  }
  if (earlier) line.look(earlier);
  return {
    id,
    requestId: trace.requestId,
    createdAt: Math.floor(earlier?.receivedAt ?? nowSeconds()),
    sessionId: earlier?.sessionId ?? (await currentSession(parts, place)) ?? ownName(id),
    sessionKey: place.name,
    follow: (wrote, ended) => line.follow(wrote, ended),
  };
}

async function accept(
  parts: ExchangeParts,
  asked: Asked,
  asking: Pick<Asking, "id" | "key" | "traceId" | "fingerprint">,
  place: Place,
): Promise<void> {
  const receive = parts.receive();
  if (!receive) throw notNow("The gateway is starting or stopping; try again in a moment");
  const last = place.unnamed ?? false;
  const whole = {
    ...asking,
    chatId: place.chatId,
    last,
    model: parts.modelFor(asked.model),
    now: nowSeconds(),
  };
  const images = await Promise.all(asked.images.map((image) => parts.keepImage(image)));
  if (place.resume !== undefined) await receive(resumeMessage(place.resume, whole));
  await receive(messageOf(asked, images, whole));
}

/** What nobody has named has no past. */
async function currentSession(parts: ExchangeParts, { chatId, unnamed }: Place): Promise<string | undefined> {
  return unnamed ? undefined : parts.sessionOf(chatId);
}

function placeOf(key: string, { origin }: InboundMessage): Place {
  return { chatId: origin.chatId ?? "", name: chatName(key, origin.chatId) ?? "" };
}

/** One client on the line. What is said before it listens is kept for it: the newest text, and the end. */
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
    const leave = parts.waiting.add(id, {
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
      setInterval(() => void this.#lookAgain(), parts.lookEveryMs),
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

  /** What has come of it while nobody was on the line. */
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

  /** Nobody tells those whose message was taken out of the line. */
  async #lookAgain(): Promise<void> {
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
  const message = `No answer within ${Math.round(ms / 1000)} seconds. The turn goes on; ask again with the same Idempotency-Key`;
  return new ApiError(504, "timeout", message);
}
