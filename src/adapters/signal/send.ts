/** One part of an outbound message → signal-cli's send. Signal can't be asked for it later: repeats are marked. */
import { readFile } from "node:fs/promises";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import { filesToSend } from "../../media/outgoing.js";
import type { OutboundFile, OutboundMessage, Target } from "../../message.js";
import type { PartContext, ReactionState } from "../adapter.js";
import { failureIn, limited, resultsIn, type SignalApi, sendErrorOf } from "./api.js";
import type { Settings } from "./config.js";
import { groupIdOf, isPersonId, messageId, parseMessageId } from "./ids.js";
import { type Part, render, withNote } from "./render.js";

/** Text as rendered, or a file by the path of our copy. */
export type SignalPart = Part | { file: OutboundFile };

const REPEAT = "(This may be a repeat.)";
const TYPING_EVERY_MS = 4000;
const MAX_REMEMBERED = 1000;
const EMOJI: Record<ReactionState, string> = { working: "👀", done: "✅", failed: "❌" };
/** Other sounds are sent as files: phones play only these as voice messages. */
const VOICE_TYPES = ["audio/aac", "audio/mp4", "audio/x-m4a"];

interface Content extends Part {
  attachments?: string[];
  voiceNote?: true;
}

export function partsOf({ text, files = [] }: OutboundMessage): SignalPart[] {
  return [...render(text), ...files.map((file) => ({ file }))];
}

export class Sender {
  readonly #api: SignalApi;
  readonly #settings: Settings;
  /** Times of our messages: Signal may show them to us as written on another device. */
  readonly #sent = new BoundedMap<number, true>(MAX_REMEMBERED);
  readonly #typedAtMs = new BoundedMap<string, number>(MAX_REMEMBERED);
  /** Signal rate limits us until then; an earlier call would extend the wait. */
  #waitUntilMs = 0;

  constructor(api: SignalApi, settings: Settings) {
    this.#api = api;
    this.#settings = settings;
  }

  async sendPart(
    { target }: OutboundMessage,
    part: SignalPart,
    { index, mayBeRepeat }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const to = recipientOf(target);
    if (!to) throw new SendError("refused", "Not a Signal number, uuid or group");
    const waitMs = this.#waitUntilMs - performance.now();
    if (waitMs > 0) throw limited(Math.ceil(waitMs));
    const content: Content = "file" in part ? await this.#file(part.file) : part;
    const { text, styles, attachments, voiceNote } = mayBeRepeat ? withNote(content, REPEAT) : content;
    const params = {
      ...to,
      message: text,
      ...(styles.length > 0 ? { textStyles: styles } : {}),
      ...(attachments ? { attachments } : {}),
      ...(voiceNote ? { voiceNote } : {}),
      ...this.#quote(target, index),
    };
    return [await this.#send(params, attachments !== undefined, signal)];
  }

  async #send(params: object, hasFiles: boolean, signal: AbortSignal): Promise<string> {
    const { timing, number } = this.#settings;
    const call = { signal, timeoutMs: hasFiles ? timing.filesMs : timing.callMs };
    try {
      const answer = await this.#api.rpc<{ timestamp?: unknown }>("send", params, call);
      const failure = failureIn(resultsIn(answer));
      if (failure) throw failure;
      if (typeof answer?.timestamp !== "number")
        throw new SendError("unknown", "signal-cli's answer has no time");
      this.#sent.set(answer.timestamp, true);
      return messageId(answer.timestamp, number);
    } catch (error) {
      const failure = error instanceof SendError ? error : sendErrorOf(error);
      if (failure.outcome === "never_sent" && failure.retryAfterMs !== undefined)
        this.#waitUntilMs = performance.now() + failure.retryAfterMs;
      throw failure;
    }
  }

  /** The file is part of the call, so signal-cli may run on another machine. */
  async #file(wanted: OutboundFile): Promise<Content> {
    const { text, files } = await filesToSend(
      { text: "", files: [wanted] },
      this.#settings.media?.home ?? "",
    );
    const [file] = files;
    if (!file) return render(text)[0]!;
    const data = (await readFile(file.file)).toString("base64");
    const name = encodeURIComponent(file.name);
    const attachments = [`data:${file.mimeType};filename=${name};base64,${data}`];
    const isVoice = wanted.as === "voice" && VOICE_TYPES.includes(file.mimeType);
    return { text: "", styles: [], attachments, ...(isVoice ? { voiceNote: true } : {}) };
  }

  #quote({ replyTo }: Target, index: number): object {
    const { replyToMode } = this.#settings;
    const quoted = parseMessageId(replyTo);
    if (!quoted || replyToMode === "off" || (replyToMode === "first" && index > 0)) return {};
    return { quoteTimestamp: quoted.timestamp, quoteAuthor: quoted.author };
  }

  isOurs(timestamp: number): boolean {
    return this.#sent.get(timestamp) === true;
  }

  /** A person has one reaction on a message: it replaces the one before. */
  async react(target: Target, state: ReactionState | null, signal: AbortSignal): Promise<void> {
    const to = recipientOf(target);
    const about = parseMessageId(target.replyTo);
    if (!to || !about || performance.now() < this.#waitUntilMs) return;
    const emoji = EMOJI[state ?? "working"];
    const reaction = { emoji, targetAuthor: about.author, targetTimestamp: about.timestamp };
    const params = { ...to, ...reaction, ...(state === null ? { remove: true } : {}) };
    await this.#api.rpc("sendReaction", params, { signal });
  }

  /** Failures are harmless. */
  type(target: Target): void {
    const to = recipientOf(target);
    const now = performance.now();
    const key = target.chatId ?? "";
    if (!to || now < this.#waitUntilMs) return;
    if (now - (this.#typedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < TYPING_EVERY_MS) return;
    this.#typedAtMs.set(key, now);
    this.#api.rpc("sendTyping", to, { timeoutMs: TYPING_EVERY_MS }).catch(() => undefined);
  }
}

function recipientOf({ chatId }: Target): object | undefined {
  if (chatId === null) return undefined;
  const groupId = groupIdOf(chatId);
  if (groupId !== undefined) return groupId === "" ? undefined : { groupId };
  return isPersonId(chatId) ? { recipient: [chatId] } : undefined;
}
