/** A mailbox on the emulated server: mails with rising numbers. */
export interface StoredMail {
  uid: number;
  raw: Buffer;
  atMs: number;
}

export class Mailbox {
  readonly mails: StoredMail[] = [];
  validity = 7;
  readonly #watchers = new Set<() => void>();
  #next = 1;

  get uidNext(): number {
    return this.#next;
  }

  add(raw: string | Buffer): StoredMail {
    const mail = { uid: this.#next++, raw: Buffer.from(raw), atMs: Date.now() };
    this.mails.push(mail);
    for (const tell of this.#watchers) tell();
    return mail;
  }

  /** The server loses its numbers, as after a restored backup. */
  renumber(): void {
    this.validity += 1;
    this.#next = 1;
    for (const mail of this.mails) mail.uid = this.#next++;
  }

  watch(tell: () => void): () => void {
    this.#watchers.add(tell);
    return () => this.#watchers.delete(tell);
  }

  find(header: string, value: string): StoredMail[] {
    const wanted = `${header.toLowerCase()}:`;
    return this.mails.filter(({ raw }) =>
      headOf(raw)
        .split("\r\n")
        .some((line) => line.toLowerCase().startsWith(wanted) && line.includes(value)),
    );
  }
}

/** Unfolded. */
export function headOf(raw: Buffer): string {
  const text = raw.toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  return (end < 0 ? text : text.slice(0, end)).replace(/\r\n[ \t]+/g, " ");
}
