/** Outbound messages → Discord, part by part. A part that has arrived is never posted twice. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { APIMessage, REST } from "discord.js";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundMessage, Receipt, Target } from "../../message.js";
import type { LookedUp } from "../adapter.js";
import type { Settings } from "./config.js";
import { discordCode, INVALID_WEBHOOK_TOKEN, isRefusal, sendErrorOf } from "./faults.js";
import { findSent, type Wanted, type Where } from "./find-sent.js";
import { isId, nonceOf, parseMessageId } from "./ids.js";
import type { Interactions } from "./interactions.js";
import { CUT_OFF, renderParts, renderPreview } from "./render.js";

const UNKNOWN_CHANNEL = 10003;
const UNKNOWN_MESSAGE = 10008;
const UNKNOWN_WEBHOOK = 10015;
/** What would be edited isn't there any more, or its time is over. */
const GONE: ReadonlySet<number> = new Set([UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK, INVALID_WEBHOOK_TOKEN]);
const CANT_QUOTE = 160002;
const THREAD_EXISTS = 160004;
const TYPING_EVERY_MS = 4000;
const FILES_PER_MESSAGE = 10;
const BYTES_PER_MESSAGE = 20 * 1024 * 1024;
const MOST_REMEMBERED = 500;
const THREAD_NAME_MAX = 80;

export interface SenderParts {
  rest: REST;
  settings: Settings;
  botId: string;
  interactions: Interactions;
}

type NewMessage = Record<string, unknown>;
type Files = { name: string; data: Buffer }[];

export class Sender {
  readonly #parts: SenderParts;
  /** Nonce → the parts that have arrived: Discord remembers its nonces for a few minutes only. */
  readonly #arrived = new Map<string, string[]>();
  readonly #typedAtMs = new Map<string, number>();
  /** Channels of which the operator has been told. */
  readonly #cantQuote = new Map<string, true>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<Receipt> {
    const plan = await this.#plan(message);
    const steps = this.#stepsFor(message, plan, signal);
    if (steps.length === 0) throw new SendError("refused", "There was nothing to send.");
    const arrived = await this.#arrivedOf(message, plan, signal);
    for (const step of steps.slice(arrived.length)) {
      if (signal.aborted)
        throw new SendError("never_sent", "There was no time left to send it").after(arrived.length);
      try {
        arrived.push(await step());
      } catch (error) {
        throw sendErrorOf(error).after(arrived.length);
      }
    }
    return { messageIds: [...arrived] };
  }

  /** After a doubtful attempt Discord is asked first: by now it may have forgotten the nonces. */
  async #arrivedOf(message: OutboundMessage, plan: Plan, signal: AbortSignal): Promise<string[]> {
    const known = remember(this.#arrived, message.nonce, this.#arrived.get(message.nonce) ?? []);
    if (!message.mayBeRepeat || known.length === stepsOf(plan)) return known;
    try {
      return (await this.#find(message, plan, signal)) ?? known;
    } catch (error) {
      if (isRefusal(error)) return known;
      throw asNeverSent(error);
    }
  }

  #stepsFor(
    message: OutboundMessage,
    { texts, batches }: Plan,
    signal: AbortSignal,
  ): (() => Promise<string>)[] {
    return [
      ...texts.map((content, part) => () => this.#sendPart(message, content, part, signal)),
      ...batches.map((batch, i) => async () => {
        const files = await Promise.all(batch.map(readCopy));
        return this.#create(message.target, this.#body(message, `files${i}`, ""), signal, files);
      }),
    ];
  }

  async #plan(message: OutboundMessage): Promise<Plan> {
    const { text, files } = await filesToSend(message, this.#parts.settings.media?.home ?? "");
    return { texts: renderParts(text), batches: inBatches(files) };
  }

  async #sendPart(
    message: OutboundMessage,
    content: string,
    part: number,
    signal: AbortSignal,
  ): Promise<string> {
    if (part === 0) {
      const edited = await this.#editInto(message, content, signal);
      if (edited !== undefined) return edited;
    }
    return this.#create(message.target, this.#body(message, part, content), signal);
  }

  /** The first part takes the place of what is there already: a command's "is thinking", a preview. */
  async #editInto(
    message: OutboundMessage,
    content: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { target, nonce, replaces } = message;
    const own = await this.#parts.interactions.take(target.replyTo, nonce);
    const preview = replaces === undefined ? undefined : messageRoute(target, replaces);
    for (const route of [own, preview]) {
      const id = route && (await this.#edit(route, content, signal));
      if (id) return id;
    }
    return undefined;
  }

  /** Undefined: it is gone. */
  async #edit(route: `/${string}`, content: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      const body = { content, allowed_mentions: { parse: [] } };
      const auth = !route.startsWith("/webhooks/");
      return ((await this.#parts.rest.patch(route, { body, auth, signal })) as APIMessage).id;
    } catch (error) {
      const code = discordCode(error);
      if (code !== undefined && GONE.has(code)) return undefined;
      throw error;
    }
  }

  #body({ target, nonce }: OutboundMessage, part: number | string, content: string): NewMessage {
    const { replyToMode } = this.#parts.settings;
    const quotes = replyToMode === "all" || (replyToMode === "first" && part === 0);
    return {
      content,
      nonce: nonceOf(nonce, part),
      // A second post of this nonce gives the first message back.
      enforce_nonce: true,
      // Whatever a model writes: nobody is pinged but the one who asked.
      allowed_mentions: { parse: [], replied_user: true },
      ...(quotes ? this.#reference(target) : {}),
    };
  }

  #reference({ replyTo }: Target): NewMessage {
    if (replyTo === null || !isId(replyTo) || this.#parts.interactions.isKnown(replyTo)) return {};
    return { message_reference: { message_id: replyTo, fail_if_not_exists: false } };
  }

  async #create(target: Target, body: NewMessage, signal: AbortSignal, files: Files = []): Promise<string> {
    const post = async (wanted: NewMessage) => {
      const route = `/channels/${channelOf(target)}/messages` as const;
      return ((await this.#parts.rest.post(route, { body: wanted, files, signal })) as APIMessage).id;
    };
    try {
      return await post(body);
    } catch (error) {
      const code = discordCode(error);
      if (code === CANT_QUOTE) return post(this.#unquoted(target, body));
      if (code !== UNKNOWN_CHANNEL || !(await this.#openThread(target, signal))) throw error;
      return post(body);
    }
  }

  /** An answer that quotes nothing is better than none. */
  #unquoted(target: Target, { message_reference: _, ...body }: NewMessage): NewMessage {
    const channelId = channelOf(target);
    if (!this.#cantQuote.has(channelId))
      this.#parts.settings.log(
        "warn",
        "Discord lets the bot quote nothing here: give its role Read Message History",
        {
          channelId,
        },
      );
    remember(this.#cantQuote, channelId, true);
    return body;
  }

  /** The thread of a question that has none yet. False: it isn't that kind of question. */
  async #openThread({ replyTo }: Target, signal: AbortSignal): Promise<boolean> {
    const { parentId, messageId } = parseMessageId(replyTo ?? "");
    if (parentId === null) return false;
    const route = `/channels/${parentId}/messages/${messageId}/threads` as const;
    const name = await this.#threadName(parentId, messageId, signal);
    try {
      await this.#parts.rest.post(route, { body: { name, auto_archive_duration: 1440 }, signal });
    } catch (error) {
      if (discordCode(error) !== THREAD_EXISTS) throw error;
    }
    return true;
  }

  async #threadName(channelId: string, messageId: string, signal: AbortSignal): Promise<string> {
    const query = new URLSearchParams({ after: String(BigInt(messageId) - 1n), limit: "1" });
    const found = await this.#parts.rest.get(`/channels/${channelId}/messages`, { query, signal });
    const text = (found as APIMessage[])[0]?.content.replace(/<[@#][!&]?\d+>/g, "").trim() ?? "";
    return Array.from(text.split("\n", 1)[0]!).slice(0, THREAD_NAME_MAX).join("") || "Answer";
  }

  // ── beyond sending ────────────────────────────────────────────────────────────────────────────────────────────────

  async show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null> {
    const content = renderPreview(text);
    if (content === "") return messageId;
    const route =
      this.#parts.interactions.routeFor(target.replyTo) ??
      (messageId === null ? undefined : messageRoute(target, messageId));
    try {
      if (route) return (await this.#edit(route, content, signal)) ?? null;
      const nonce = nonceOf(randomUUID(), 0);
      const quote = this.#parts.settings.replyToMode === "off" ? {} : this.#reference(target);
      const body = { content, nonce, enforce_nonce: true, allowed_mentions: { parse: [] }, ...quote };
      await posting?.();
      return await this.#create(target, body, signal);
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  /** What took a command's "is thinking" from it is not touched. */
  async breakOff(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    const { interactions, rest } = this.#parts;
    const isCommand = target.replyTo !== null && interactions.isKnown(target.replyTo);
    const route = isCommand ? interactions.routeFor(target.replyTo) : messageRoute(target, messageId);
    const content = renderPreview(text);
    if (!route) return;
    try {
      if (content !== "") await this.#edit(route, content, signal);
      else await rest.delete(route, { auth: !isCommand, signal });
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  /** Ours, in answer to that message, and still with the mark of what isn't finished. */
  async findPreview(target: Target, signal: AbortSignal): Promise<string | null> {
    const mark = this.#parts.settings.streamCursor.trim();
    // Without a quote its mark alone tells it, and where one answer is written at a time: in a direct message.
    const alone = target.chatType === "dm" && this.#parts.settings.replyToMode === "off";
    const where = this.#placeOfAnswer(target, alone);
    if (mark === "" || !where) return null;
    const unfinished: Wanted = ({ content }) =>
      content.trimEnd().endsWith(mark) || (!alone && content.endsWith(CUT_OFF));
    try {
      const [found] = await findSent(this.#parts, where, [unfinished], signal);
      return found ?? null;
    } catch (error) {
      if (isRefusal(error)) return null;
      throw asNeverSent(error);
    }
  }

  /** A command that nothing is said to: its "is thinking" goes. */
  dismiss(target: Target): void {
    const route = this.#parts.interactions.routeFor(target.replyTo);
    if (!route) return;
    this.#parts.rest.delete(route, { auth: false }).catch((error: unknown) => {
      this.#parts.settings.log("debug", "a command's answer was not taken away", { err: error });
    });
  }

  /** Lasts ten seconds there. */
  type(target: Target): void {
    const channelId = target.threadId ?? target.chatId ?? "";
    const now = performance.now();
    if (!isId(channelId)) return;
    if (now - (this.#typedAtMs.get(channelId) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS) return;
    remember(this.#typedAtMs, channelId, now);
    const signal = AbortSignal.timeout(TYPING_EVERY_MS);
    this.#parts.rest.post(`/channels/${channelId}/typing`, { signal }).catch(() => {});
  }

  async lookUp(message: OutboundMessage, signal: AbortSignal): Promise<LookedUp> {
    const plan = await this.#plan(message);
    const isComplete = (ids: readonly string[]) => ids.length >= stepsOf(plan);
    const known = this.#arrived.get(message.nonce) ?? [];
    if (isComplete(known)) return { messageIds: [...known] };
    try {
      const found = await this.#find(message, plan, signal);
      if (!found) return "unknown";
      if (isComplete(found)) return { messageIds: [...found] };
      // The next attempt goes on behind it.
      return found.length > 0 ? "partly" : "missing";
    } catch {
      return "unknown";
    }
  }

  /** Undefined: an answer says too little of itself there to be found. */
  #placeOfAnswer(target: Target, alone = false): Where | undefined {
    const { messageId: questionId, parentId } = parseMessageId(target.replyTo ?? "");
    // In a thread of its own the first post quotes nothing, and is the first.
    const quoted = parentId === null && this.#parts.settings.replyToMode !== "off";
    const findable = isId(questionId) && (quoted || parentId !== null || alone);
    return findable ? { channelId: channelOf(target), questionId, quoted } : undefined;
  }

  /** What of it is there, and remembered from now on; undefined: it says too little of itself to be found. */
  async #find(
    { target, nonce, replaces }: OutboundMessage,
    { texts, batches }: Plan,
    signal: AbortSignal,
  ): Promise<string[] | undefined> {
    const place = this.#placeOfAnswer(target);
    if (!place || texts.length === 0) return undefined;
    const where = replaces !== undefined && isId(replaces) ? { ...place, previewId: replaces } : place;
    const wanted = [...texts.map(saying), ...batches.map(carrying)];
    const found = await findSent(this.#parts, where, wanted, signal);
    const known = this.#arrived.get(nonce) ?? [];
    return remember(this.#arrived, nonce, found.length > known.length ? found : known);
  }
}

interface Plan {
  texts: string[];
  batches: SendableFile[][];
}

function stepsOf({ texts, batches }: Plan): number {
  return texts.length + batches.length;
}

/** Only a question was asked: nothing of the message has gone out. */
function asNeverSent(cause: unknown): SendError {
  const failure = sendErrorOf(cause);
  if (failure.outcome === "never_sent") return failure;
  return new SendError("never_sent", "Discord doesn't tell what it has of this message", { cause });
}

function saying(text: string): Wanted {
  return ({ content }) => content.trim() === text.trim();
}

function carrying(files: readonly SendableFile[]): Wanted {
  return ({ attachments = [] }) =>
    attachments.length === files.length && files.every((file, i) => attachments[i]?.size === file.bytes);
}

async function readCopy({ name, file }: SendableFile): Promise<{ name: string; data: Buffer }> {
  return { name, data: await readFile(file) };
}

/** As many as one message may carry, and as much as one request. */
function inBatches(files: readonly SendableFile[]): SendableFile[][] {
  const batches: SendableFile[][] = [];
  let bytes = 0;
  for (const file of files) {
    const last = batches.at(-1);
    bytes += file.bytes;
    if (last && last.length < FILES_PER_MESSAGE && bytes <= BYTES_PER_MESSAGE) last.push(file);
    else {
      batches.push([file]);
      bytes = file.bytes;
    }
  }
  return batches;
}

function channelOf({ threadId, chatId }: Target): string {
  const id = threadId ?? chatId ?? "";
  if (!isId(id)) throw new SendError("refused", "That is no channel of Discord's.");
  return id;
}

function messageRoute(target: Target, messageId: string): `/${string}` | undefined {
  return isId(messageId) ? `/channels/${channelOf(target)}/messages/${messageId}` : undefined;
}

/** The newest so many. */
function remember<V>(map: Map<string, V>, key: string, value: V): V {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_REMEMBERED) map.delete(map.keys().next().value!);
  return value;
}
