/** One part of an answer → a mail over SMTP; and how to find one whose send was interrupted. */
import { Readable } from "node:stream";
import { pause } from "../../backoff.js";
import { BoundedMap } from "../../bounded-map.js";
import { SendError } from "../../errors.js";
import { filesToSend } from "../../media/outgoing.js";
import type { OutboundMessage } from "../../message.js";
import { unlessAborted } from "../../timeout.js";
import type { LookedUp, PartContext } from "../adapter.js";
import type { Settings } from "./config.js";
import { reasonOf, sendErrorOf } from "./faults.js";
import { addressOf, messageIdOf, ownMessageId } from "./ids.js";
import { endpointOf } from "./imap.js";
import type { Mailboxes } from "./mailbox.js";
import { isAnswer, type Thread } from "./normalise.js";
import { type MailPart, marked } from "./render.js";

const MAX_DOUBTS = 1000;
const DEFAULT_SUBJECT = "A message from Hermes";

export class Sender {
  readonly #settings: Settings;
  readonly #mailboxes: Mailboxes;
  /** When a send without an answer ended. */
  readonly #doubts = new BoundedMap<string, number>(MAX_DOUBTS);

  constructor(settings: Settings, mailboxes: Mailboxes) {
    this.#settings = settings;
    this.#mailboxes = mailboxes;
  }

  async sendPart(
    { target, nonce }: OutboundMessage,
    part: MailPart,
    { index, mayBeRepeat }: PartContext,
    signal: AbortSignal,
  ): Promise<string[]> {
    if (signal.aborted) throw new SendError("never_sent", "Timed out before it could be sent");
    const to = addressOf(target.chatId);
    if (to === undefined) throw new SendError("refused", "The message has no email address");
    const messageId = ownMessageId(nonce, index, this.#settings.account);
    const { replyTo } = target;
    const thread = replyTo === null ? undefined : await this.#mailboxes.threadOf(replyTo, signal);
    const raw = await this.#compose(mayBeRepeat ? marked(part) : part, { to, messageId, replyTo, thread });
    await this.#post(raw, to, messageId, signal);
    return [messageId];
  }

  async #compose(
    part: MailPart,
    head: { to: string; messageId: string; replyTo: string | null; thread: Thread | undefined },
  ): Promise<Buffer> {
    const { address, name, media } = this.#settings;
    const { createTransport } = await import("nodemailer");
    const { text, files } = await filesToSend(
      { text: part.text, files: part.files ?? [] },
      media?.home ?? "",
    );
    const answered = messageIdOf(head.replyTo);
    const references = head.thread?.references ?? (answered === undefined ? [] : [answered]);
    const composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
    const { message } = await composer.sendMail({
      from: name === null ? address : { name, address },
      to: head.to,
      subject: subjectOf(head.thread),
      messageId: head.messageId,
      ...(answered === undefined ? {} : { inReplyTo: answered }),
      ...(references.length > 0 ? { references: [...references] } : {}),
      text,
      html: part.html,
      attachments: files.map(({ file, name: filename, mimeType }) => ({
        path: file,
        filename,
        contentType: mimeType,
      })),
      // So that vacation replies and other programs don't answer it.
      headers: { "Auto-Submitted": "auto-replied", "X-Auto-Response-Suppress": "All" },
    });
    return message as Buffer;
  }

  async #post(raw: Buffer, to: string, messageId: string, signal: AbortSignal): Promise<void> {
    const { smtp, user, password, address, timing } = this.#settings;
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      ...endpointOf(smtp),
      requireTLS: smtp.security === "starttls",
      ignoreTLS: smtp.security === "plain",
      auth: { user, pass: password },
      connectionTimeout: timing.callMs,
      greetingTimeout: timing.callMs,
      socketTimeout: timing.callMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // Read to its end only when the server has asked for the mail: until then nothing can have arrived.
    let isComplete = false;
    const stream = Readable.from([raw]);
    stream.once("end", () => {
      isComplete = true;
    });
    try {
      const sending = transport.sendMail({ envelope: { from: address, to: [to] }, raw: stream });
      // After an abort, a late failure has no one to report to.
      sending.catch(() => undefined);
      await unlessAborted(sending, signal);
    } catch (error) {
      const failure = sendErrorOf(error, isComplete || signal.aborted);
      if (failure.outcome === "unknown") this.#doubts.set(messageId, performance.now());
      throw failure;
    }
  }

  /** A copy in Sent proves that the server has it. That there is none proves it only where the server keeps copies itself. */
  async lookUp({ nonce }: OutboundMessage, { index }: PartContext, signal: AbortSignal): Promise<LookedUp> {
    const { account, serverKeepsSent, timing } = this.#settings;
    const messageId = ownMessageId(nonce, index, account);
    const doubtAt = this.#doubts.get(messageId);
    if (doubtAt !== undefined)
      await pause(Math.max(0, doubtAt + timing.settleMs - performance.now()), signal);
    try {
      const isThere = await this.#mailboxes.hasSent(messageId, signal);
      if (isThere) return [messageId];
      return isThere === false && serverKeepsSent ? "missing" : "unknown";
    } catch (error) {
      const message = `The mailbox of sent mail can't be read: ${reasonOf(error)}`;
      throw new SendError("never_sent", message, { cause: error });
    }
  }
}

function subjectOf(thread: Thread | undefined): string {
  if (!thread) return DEFAULT_SUBJECT;
  if (thread.subject === "") return "Re:";
  return isAnswer(thread.subject) ? thread.subject : `Re: ${thread.subject}`;
}
