/** One mail → parsed, its files kept, passed to the gateway together with the cursor. */
import type { InboundMessage } from "../../message.js";
import type { AdapterEvents, Cursor } from "../adapter.js";
import { MediaDownloads } from "../kit/media-download.js";
import type { Settings } from "./config.js";
import type { Mailboxes } from "./mailbox.js";
import { type MailFile, type MailReceipt, type Normalised, normalise } from "./normalise.js";

export interface ReceiverParts {
  settings: Settings;
  events: AdapterEvents;
  mailboxes: Mailboxes;
  signal: AbortSignal;
}

export interface Mail {
  source: Buffer;
  receipt: MailReceipt;
  /** Only the beginning was fetched. */
  isCut: boolean;
}

export class Receiver {
  readonly #parts: ReceiverParts;
  readonly #downloads: MediaDownloads | undefined;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
    const { media, timing } = parts.settings;
    if (media)
      this.#downloads = new MediaDownloads({
        label: "the mail",
        media,
        timeoutMs: timing.transferMs,
        isOwn: () => false,
      });
  }

  /** Resolves when the inbox has it, or when it isn't for us. */
  async receive(mail: Mail, cursor: Cursor): Promise<void> {
    const { events, mailboxes, settings } = this.#parts;
    const read = await this.#read(mail);
    if (read.kind === "ignored") {
      settings.log("info", `A mail was ignored: ${read.reason}`);
      return events.saveCursor(cursor);
    }
    const message = await this.#withFiles(read.message, read.files, mail.isCut);
    mailboxes.remember(message.origin.messageId!, read.thread);
    await events.receive(message, cursor);
  }

  /** A mail that can't be parsed would fail again next time: it is skipped. */
  async #read({ source, receipt }: Mail): Promise<Normalised> {
    // Outside of the attempt: no mail may be skipped because the library is broken.
    const { default: PostalMime } = await import("postal-mime");
    try {
      const email = await PostalMime.parse(source, { attachmentEncoding: "arraybuffer" });
      return normalise(email, receipt, this.#parts.settings);
    } catch (error) {
      // Our own mistakes end here, too. The message of the error may quote the mail.
      return { kind: "ignored", reason: `it can't be parsed (${(error as Error).name})` };
    }
  }

  async #withFiles(
    message: InboundMessage,
    files: readonly MailFile[],
    isCut: boolean,
  ): Promise<InboundMessage> {
    if (isCut) {
      const problem = "The mail is too large to be fetched";
      const attachments = files.map(({ attachment: { bytes: _, ...rest } }) => ({ ...rest, problem }));
      return { ...message, attachments };
    }
    if (!this.#downloads || files.length === 0) return message;
    const remote = files.map(({ attachment, content }) => ({
      attachment,
      locate: () => ({ body: [content] }),
    }));
    const { signal } = this.#parts;
    return { ...message, attachments: await this.#downloads.fetchAll(message, remote, signal) };
  }
}
