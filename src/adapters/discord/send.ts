/** Outbound messages → Discord, part by part. A part that has arrived is never posted twice. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { APIMessage, REST } from "discord.js";
import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundMessage, Receipt, Target } from "../../message.js";
import type { Settings } from "./config.js";
import { discordCode, sendErrorOf } from "./faults.js";
import { isId, nonceOf, parseMessageId } from "./ids.js";
import type { Interactions } from "./interactions.js";
import { renderParts, renderPreview } from "./render.js";

const UNKNOWN_CHANNEL = 10003;
const UNKNOWN_MESSAGE = 10008;
const UNKNOWN_WEBHOOK = 10015;
const THREAD_EXISTS = 160004;
const TYPING_EVERY_MS = 4000;
const FILES_PER_MESSAGE = 10;
const BYTES_PER_MESSAGE = 20 * 1024 * 1024;
const MOST_REMEMBERED = 500;
const LOOK_BACK = 100;
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

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<Receipt> {
    const steps = await this.#stepsFor(message, signal);
    if (steps.length === 0) throw new SendError("refused", "There was nothing to send.");
    const arrived = this.#arrived.get(message.nonce) ?? [];
    remember(this.#arrived, message.nonce, arrived);
    for (const step of steps.slice(arrived.length)) {
      if (signal.aborted) throw new SendError("never_sent", "There was no time left to send it");
      try {
        arrived.push(await step());
      } catch (error) {
        throw sendErrorOf(error);
      }
    }
    return { messageIds: [...arrived] };
  }

  async #stepsFor(message: OutboundMessage, signal: AbortSignal): Promise<(() => Promise<string>)[]> {
    const { texts, batches } = await this.#plan(message);
    return [
      ...texts.map((content, part) => () => this.#sendPart(message, content, part, signal)),
      ...batches.map((batch, i) => async () => {
        const files = await Promise.all(batch.map(readCopy));
        return this.#create(message.target, this.#body(message, `files${i}`, ""), signal, files);
      }),
    ];
  }

  async #plan(message: OutboundMessage): Promise<{ texts: string[]; batches: SendableFile[][] }> {
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
      if (code === UNKNOWN_MESSAGE || code === UNKNOWN_WEBHOOK) return undefined;
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
    const post = async () => {
      const route = `/channels/${channelOf(target)}/messages` as const;
      return ((await this.#parts.rest.post(route, { body, files, signal })) as APIMessage).id;
    };
    try {
      return await post();
    } catch (error) {
      if (discordCode(error) !== UNKNOWN_CHANNEL || !(await this.#openThread(target, signal))) throw error;
      return post();
    }
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
      return await this.#create(target, body, signal);
    } catch (error) {
      throw sendErrorOf(error);
    }
  }

  /** Lasts ten seconds there. */
  type(target: Target): void {
    const channelId = target.threadId ?? target.chatId ?? "";
    const now = Date.now();
    if (!isId(channelId)) return;
    if (now - (this.#typedAtMs.get(channelId) ?? 0) < TYPING_EVERY_MS) return;
    remember(this.#typedAtMs, channelId, now);
    const signal = AbortSignal.timeout(TYPING_EVERY_MS);
    this.#parts.rest.post(`/channels/${channelId}/typing`, { signal }).catch(() => {});
  }

  /** Found by what it says and what it answers: Discord tells a nonce to nobody afterwards. */
  async lookUp(message: OutboundMessage, signal: AbortSignal): Promise<Receipt | "missing" | "unknown"> {
    const { texts, batches } = await this.#plan(message);
    const arrived = this.#arrived.get(message.nonce);
    if (arrived && arrived.length >= texts.length + batches.length) return { messageIds: [...arrived] };
    const { replyTo } = message.target;
    const findable = replyTo !== null && isId(replyTo) && this.#parts.settings.replyToMode !== "off";
    if (!findable || texts.length === 0) return "unknown";
    try {
      const query = new URLSearchParams({ after: replyTo, limit: String(LOOK_BACK) });
      const route = `/channels/${channelOf(message.target)}/messages` as const;
      const page = (await this.#parts.rest.get(route, { query, signal })) as APIMessage[];
      const wanted = [...texts.map(saying), ...batches.map(carrying)];
      return this.#match(page.reverse(), wanted, replyTo);
    } catch {
      return "unknown";
    }
  }

  /** One after another, as they were sent. */
  #match(page: readonly APIMessage[], wanted: readonly Wanted[], replyTo: string): Receipt | "missing" {
    const own = page.filter(({ author }) => author.id === this.#parts.botId);
    const first = own.findIndex((m) => m.message_reference?.message_id === replyTo && wanted[0]!(m));
    if (first < 0) return "missing";
    const found = own.slice(first, first + wanted.length);
    const complete = wanted.every((isIt, i) => found[i] !== undefined && isIt(found[i]));
    return complete ? { messageIds: found.map(({ id }) => id) } : "missing";
  }
}

type Wanted = (message: APIMessage) => boolean;

function saying(text: string): Wanted {
  return ({ content }) => content === text;
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
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST_REMEMBERED) map.delete(map.keys().next().value!);
}
