/** Outgoing messages → Telegram's calls, part by part, each delivered part remembered. */

import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundMessage, Receipt, Target } from "../../message.js";
import { previewEnd, previewStart } from "../preview.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { Settings } from "./config.js";
import { cantEdit, cantParse, isApiError, notModified } from "./faults.js";
import { parseMessageId } from "./ids.js";
import { type Item, type Job, Jobs, newJob } from "./jobs.js";
import { methodFor, type UploadMethod } from "./media.js";
import type { Places, Spot } from "./places.js";
import { type Part, partOf, render, withNote } from "./render.js";
import { italic, type Run } from "./runs.js";

const note = (text: string): Run[] => [{ text, tags: [italic()] }];
const REPEAT = note("(This may be a repeat.)");
const LOST_TOPIC = note("(Telegram refuses the topic, so I answer here.)");

export class Sender {
  readonly #api: TelegramApi;
  readonly #settings: Settings;
  readonly #places: Places;
  readonly #jobs = new Jobs();

  constructor(api: TelegramApi, settings: Settings, places: Places) {
    this.#api = api;
    this.#settings = settings;
    this.#places = places;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<Receipt> {
    const job = this.#jobs.get(message.nonce) ?? (await this.#newJob(message));
    this.#jobs.keep(message.nonce, job);
    while (job.left.length > 0) {
      if (signal.aborted)
        throw new SendError("never_sent", "There was no time left to send it").after(job.messageIds.length);
      const id = await this.#sendNext(job, message, signal);
      job.left.shift();
      job.marked = false;
      job.messageIds.push(id);
    }
    this.#jobs.done(message.nonce);
    return { messageIds: job.messageIds };
  }

  async #newJob(message: OutboundMessage): Promise<Job> {
    const { text, files } = await filesToSend(message, this.#settings.media?.home ?? "");
    const left: Item[] = [
      ...render(text).map((part): Item => ({ kind: "text", part })),
      ...files.map((upload): Item => ({ kind: "file", upload, caption: "" })),
    ];
    if (left.length === 0) throw new SendError("refused", "There is nothing to send: the text is empty");
    return { ...newJob(left), uncertain: message.mayBeRepeat };
  }

  async #sendNext(job: Job, message: OutboundMessage, signal: AbortSignal): Promise<string> {
    const first = job.left[0]!;
    const preview = job.messageIds.length === 0 ? parseMessageId(message.replaces ?? null) : undefined;
    if (
      preview !== undefined &&
      first.kind === "text" &&
      (await this.#become(message.target, preview, first.part, signal))
    )
      return String(preview);
    if (job.uncertain) markRepeat(job);
    try {
      return await this.#post(job, message.target, signal);
    } catch (error) {
      if (!(error instanceof SendError)) throw error;
      if (error.outcome === "unknown") job.uncertain = true;
      throw error.after(job.messageIds.length);
    }
  }

  /** The preview becomes the answer's first part; false: it is gone, or was left behind. Editing twice does no harm. */
  #become(target: Target, messageId: number, part: Part, signal: AbortSignal): Promise<boolean> {
    const edit = async ({ chatId, moved }: Spot) => {
      if (moved) return false;
      try {
        await this.#editText(chatId, messageId, part, signal);
        return true;
      } catch (error) {
        if (cantEdit(error)) return false;
        throw error;
      }
    };
    return this.#places.at(target, edit, { repeatable: true });
  }

  #post(job: Job, target: Target, signal: AbortSignal): Promise<string> {
    const item = job.left[0]!;
    const index = job.messageIds.length;
    const send = async (spot: Spot) => {
      const where = { ...spot.place, ...this.#replyTo(target, spot, index) };
      if (item.kind === "file")
        return this.#sendFile(spot, item.upload, { ...where, caption: item.caption }, signal);
      if (spot.lostTopic) explainTopic(job);
      return this.#sendText(spot, firstPart(job) ?? item.part, where, signal);
    };
    return this.#places.at(target, send, { repeatable: false });
  }

  /** In a forum the topic says enough; elsewhere as configured. A question that was deleted is no reason to be silent. */
  #replyTo(target: Target, { replyTo }: Spot, index: number) {
    const mode = this.#settings.replyToMode;
    if (replyTo === undefined || mode === "off" || (mode === "first" && index > 0)) return {};
    if (target.threadId !== null && target.chatType !== "dm") return {};
    return { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } };
  }

  async #sendText({ chatId }: Spot, part: Part, where: object, signal: AbortSignal): Promise<string> {
    const send = (text: string, markup: object) =>
      this.#api.call.sendMessage(chatId, text, { ...where, ...markup }, asSignal(signal));
    const sent = await asHtmlOrPlain(part, send);
    return String(sent.message_id);
  }

  async #editText(
    chatId: number | string,
    messageId: number,
    part: Part,
    signal: AbortSignal,
  ): Promise<void> {
    const edit = (text: string, markup: object) =>
      this.#api.call.editMessageText(chatId, messageId, text, markup, asSignal(signal));
    await asHtmlOrPlain(part, edit).catch((error: unknown) => {
      if (!notModified(error)) throw error;
    });
  }

  async #sendFile(
    { chatId }: Spot,
    upload: SendableFile,
    extra: object,
    signal: AbortSignal,
  ): Promise<string> {
    const call = (method: UploadMethod): Promise<{ message_id: number }> => {
      const file = this.#api.fileFrom(upload.file, upload.name);
      return this.#api.upload[method](chatId, file, extra, asSignal(signal));
    };
    const method = methodFor(upload);
    const sent = await call(method).catch((error: unknown) => {
      // A picture too long or a sound of another codec is still a file.
      if (method === "sendDocument" || !isUnfit(error)) throw error;
      return call("sendDocument");
    });
    return String(sent.message_id);
  }

  /** A preview as a message; gives its id. */
  async show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string> {
    const [part = partOf(note("…"))] = render(previewStart(text));
    const known = parseMessageId(messageId);
    if (known === undefined) {
      await posting?.();
      return this.#post(newJob([{ kind: "text", part }]), target, signal);
    }
    await this.#places.onlyAt(target, ({ chatId }) => this.#editText(chatId, known, part, signal));
    return String(known);
  }

  /** The preview's last words. Without any it goes. Where the chat has moved, its number is another message's. */
  async breakOff(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    const known = parseMessageId(messageId);
    const [part] = render(previewStart(text));
    if (known === undefined) return;
    const end = ({ chatId }: Spot) =>
      part
        ? this.#editText(chatId, known, part, signal)
        : this.#api.call.deleteMessage(chatId, known, asSignal(signal));
    await this.#places.onlyAt(target, end);
  }

  /** A preview as a draft, which only private chats have: the newest of it, for it is gone in half a minute. */
  async showDraft(target: Target, text: string, signal: AbortSignal): Promise<void> {
    const part = render(previewEnd(text)).at(-1);
    const draftId = parseMessageId(target.replyTo) ?? 1;
    const draft = ({ chatId, place }: Spot) => {
      const show = (words: string, markup: object) =>
        this.#api.call.sendMessageDraft(
          Number(chatId),
          draftId,
          words,
          { ...place, ...markup },
          asSignal(signal),
        );
      return part ? asHtmlOrPlain(part, show) : show("", {});
    };
    await this.#places.at(target, draft, { repeatable: true, isDraft: true });
  }
}

/** Plain text once, when Telegram can't read our HTML: nothing was sent then. */
async function asHtmlOrPlain<T>(part: Part, call: (text: string, markup: object) => Promise<T>): Promise<T> {
  try {
    return await call(part.html, { parse_mode: "HTML" });
  } catch (error) {
    if (!cantParse(error)) throw error;
    return call(part.text, {});
  }
}

function isUnfit(error: unknown): boolean {
  return (
    isApiError(error) && error.error_code === 400 && /PHOTO|IMAGE|VIDEO|AUDIO|VOICE/i.test(error.description)
  );
}

function markRepeat(job: Job): void {
  const first = job.left[0]!;
  job.uncertain = false;
  if (job.marked) return;
  job.marked = true;
  if (first.kind === "file") job.left[0] = { ...first, caption: REPEAT[0]!.text };
  else replaceFirst(job, REPEAT);
}

/** Once for all its parts. */
function explainTopic(job: Job): void {
  if (job.explained) return;
  job.explained = true;
  replaceFirst(job, LOST_TOPIC);
}

function firstPart({ left: [first] }: Job): Part | undefined {
  return first?.kind === "text" ? first.part : undefined;
}

/** The line goes before the part; together they may be two. */
function replaceFirst(job: Job, line: readonly Run[]): void {
  const first = job.left[0]!;
  if (first.kind !== "text") return;
  const parts = withNote(first.part, line).map((part): Item => ({ kind: "text", part }));
  job.left.splice(0, 1, ...parts);
}
