/** One part of an outgoing message → Telegram's calls. */

import { SendError } from "../../errors.js";
import { filesToSend, type SendableFile } from "../../media/outgoing.js";
import type { OutboundFile, OutboundMessage, Target } from "../../message.js";
import type { PartContext } from "../adapter.js";
import { previewEnd, previewStart } from "../preview.js";
import { asSignal, type TelegramApi } from "./api.js";
import type { CallTarget, CallTargets } from "./call-targets.js";
import type { Settings } from "./config.js";
import { cantEdit, cantParse, isApiError, notModified } from "./faults.js";
import { parseMessageId } from "./ids.js";
import { keyboardOf, note, type Part, render, withNote } from "./render.js";
import { methodFor, type UploadMethod } from "./upload.js";

/** Text parts are stored as rendered, files by the path of our copy. */
export type TelegramPart = Part | { file: OutboundFile };

const REPEAT = note("(This may be a repeat.)");
const LOST_TOPIC = note("(Telegram refuses the topic, so I'm answering here.)");

/** Buttons are below the last part, so the files of a question come before its text. */
export function partsOf({ text, files = [], question }: OutboundMessage): TelegramPart[] {
  const uploads = files.map((file) => ({ file }));
  if (!question) return [...render(text), ...uploads];
  const parts = render(text);
  const last = parts.pop() ?? note("…");
  return [...uploads, ...parts, { ...last, keyboard: keyboardOf(question) }];
}

export class Sender {
  readonly #api: TelegramApi;
  readonly #settings: Settings;
  readonly #targets: CallTargets;
  /** False once the server didn't know the method for drafts. */
  #hasDrafts = true;

  constructor(api: TelegramApi, settings: Settings, targets: CallTargets) {
    this.#api = api;
    this.#settings = settings;
    this.#targets = targets;
  }

  async sendPart(
    { target }: OutboundMessage,
    stored: TelegramPart,
    context: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const part = "file" in stored ? await this.#locate(stored.file) : stored;
    if ("file" in part) return [await this.#postFile(target, part, context, signal)];
    const preview = parseMessageId(context.replaces ?? null);
    // Repeating the edit is harmless, so it needs no mark.
    if (preview !== undefined && (await this.#finishPreview(target, preview, part, signal)))
      return [String(preview)];
    const ids: string[] = [];
    for (const one of context.mayBeRepeat ? withNote(part, REPEAT) : [part])
      ids.push(...(await this.#postText(target, one, context.index, signal)));
    return ids;
  }

  /** Our copy of a file, or a note if it has been cleaned up. */
  async #locate(file: OutboundFile): Promise<SendableFile | Part> {
    const { text, files } = await filesToSend({ text: "", files: [file] }, this.#settings.media?.home ?? "");
    return files[0] ?? render(text)[0]!;
  }

  /** Turns the preview into the answer's first part; false if it is gone, or stayed in the old chat. */
  #finishPreview(target: Target, messageId: number, part: Part, signal: AbortSignal): Promise<boolean> {
    const edit = async ({ chatId, moved }: CallTarget) => {
      if (moved) return false;
      try {
        await this.#editText(chatId, messageId, part, signal);
        return true;
      } catch (error) {
        if (cantEdit(error)) return false;
        throw error;
      }
    };
    return this.#targets.call(target, edit, { repeatable: true });
  }

  #postFile(
    target: Target,
    file: SendableFile,
    { index, mayBeRepeat }: PartContext,
    signal: AbortSignal,
  ): Promise<string> {
    const caption = mayBeRepeat ? REPEAT.text : "";
    const send = (at: CallTarget) =>
      this.#sendFile(at, file, { ...at.thread, ...this.#replyTo(target, at, index), caption }, signal);
    return this.#targets.call(target, send, { repeatable: false });
  }

  /** Two messages if the first part must explain that its topic is gone and is too long for that. */
  #postText(target: Target, part: Part, index: number, signal: AbortSignal): Promise<string[]> {
    const send = async (at: CallTarget) => {
      const where = { ...at.thread, ...this.#replyTo(target, at, index) };
      const ids: string[] = [];
      for (const one of at.lostTopic && index === 0 ? withNote(part, LOST_TOPIC) : [part])
        ids.push(await this.#sendText(at, one, where, signal));
      return ids;
    };
    return this.#targets.call(target, send, { repeatable: false });
  }

  /** Not in forums, where the topic is enough; elsewhere as configured. Works also if the question was deleted. */
  #replyTo(target: Target, { replyTo }: CallTarget, index: number) {
    const mode = this.#settings.replyToMode;
    if (replyTo === undefined || mode === "off" || (mode === "first" && index > 0)) return {};
    if (target.threadId !== null && target.chatType !== "dm") return {};
    return { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } };
  }

  async #sendText({ chatId }: CallTarget, part: Part, where: object, signal: AbortSignal): Promise<string> {
    const send = (text: string, markup: object) =>
      this.#api.call.sendMessage(chatId, text, { ...where, ...markup, ...buttons(part) }, asSignal(signal));
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
      this.#api.call.editMessageText(
        chatId,
        messageId,
        text,
        { ...markup, ...buttons(part) },
        asSignal(signal),
      );
    await asHtmlOrPlain(part, edit).catch((error: unknown) => {
      if (!notModified(error)) throw error;
    });
  }

  /** An edit without a keyboard removes the keyboard. */
  async settleQuestion(
    target: Target,
    messageIds: readonly string[],
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    const known = parseMessageId(messageIds.at(-1) ?? null);
    const part = render(previewEnd(text)).at(-1) ?? note("…");
    if (known === undefined) return;
    await this.#targets.callUnlessMoved(target, ({ chatId }) =>
      this.#editText(chatId, known, part, signal).catch((error: unknown) => {
        if (!cantEdit(error)) throw error;
      }),
    );
  }

  async #sendFile(
    { chatId }: CallTarget,
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
      // Telegram refuses some pictures and sounds by their size or codec, but takes them as files.
      if (method === "sendDocument" || !isUnfit(error)) throw error;
      return call("sendDocument");
    });
    return String(sent.message_id);
  }

  /** A draft where possible (null), else a message, whose id it returns. */
  async show(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string | null> {
    if (target.chatType !== "dm" || messageId !== null || !this.#hasDrafts)
      return this.#showMessage(target, messageId, text, signal, posting);
    try {
      await this.#showDraft(target, text, signal);
      return null;
    } catch (error) {
      if (!(error instanceof SendError) || !/method not found/i.test(error.message)) throw error;
      this.#hasDrafts = false;
      return this.#showMessage(target, null, text, signal, posting);
    }
  }

  async #showMessage(
    target: Target,
    messageId: string | null,
    text: string,
    signal: AbortSignal,
    posting?: () => Promise<void>,
  ): Promise<string> {
    const [part = note("…")] = render(previewStart(text));
    const known = parseMessageId(messageId);
    if (known === undefined) {
      await posting?.();
      return (await this.#postText(target, part, 0, signal))[0]!;
    }
    await this.#targets.callUnlessMoved(target, ({ chatId }) => this.#editText(chatId, known, part, signal));
    return String(known);
  }

  /** Leaves the text as the preview's last state, or deletes the preview if there is none. Not in a chat that has moved. */
  async abandon(target: Target, messageId: string, text: string, signal: AbortSignal): Promise<void> {
    const known = parseMessageId(messageId);
    const [part] = render(previewStart(text));
    if (known === undefined) return;
    const end = ({ chatId }: CallTarget) =>
      part
        ? this.#editText(chatId, known, part, signal)
        : this.#api.call.deleteMessage(chatId, known, asSignal(signal));
    await this.#targets.callUnlessMoved(target, end);
  }

  /** Only private chats have drafts. Shows the end of the text: a draft disappears after half a minute. */
  async #showDraft(target: Target, text: string, signal: AbortSignal): Promise<void> {
    const part = render(previewEnd(text)).at(-1);
    const draftId = parseMessageId(target.replyTo) ?? 1;
    const draft = ({ chatId, thread }: CallTarget) => {
      const show = (shown: string, markup: object) =>
        this.#api.call.sendMessageDraft(
          Number(chatId),
          draftId,
          shown,
          { ...thread, ...markup },
          asSignal(signal),
        );
      return part ? asHtmlOrPlain(part, show) : show("", {});
    };
    await this.#targets.call(target, draft, { repeatable: true, isDraft: true });
  }
}

/** Falls back to plain text if Telegram can't parse our HTML: nothing was sent then. */
async function asHtmlOrPlain<T>(part: Part, call: (text: string, markup: object) => Promise<T>): Promise<T> {
  try {
    return await call(part.html, { parse_mode: "HTML" });
  } catch (error) {
    if (!cantParse(error)) throw error;
    return call(part.text, {});
  }
}

function buttons({ keyboard }: Part) {
  return keyboard && keyboard.length > 0 ? { reply_markup: { inline_keyboard: keyboard } } : {};
}

function isUnfit(error: unknown): boolean {
  return (
    isApiError(error) && error.error_code === 400 && /PHOTO|IMAGE|VIDEO|AUDIO|VOICE/i.test(error.description)
  );
}
