/**
 * Waits for mail on one IMAP connection, with IDLE and periodic checks. The cursor is `uidvalidity:uid`;
 * only people set the flag \Seen.
 */
import type { ImapFlow } from "imapflow";
import { pause } from "../../backoff.js";
import type { AdapterEvents } from "../adapter.js";
import type { HealthTracker } from "../kit/health.js";
import { repeat } from "../kit/retry.js";
import type { Settings } from "./config.js";
import { isLoginRefused, LOGIN_REFUSED, loginRefused, reasonOf } from "./faults.js";
import { closeImap, inTime, openImap } from "./imap.js";
import type { Receiver } from "./receive.js";

export interface UplinkParts {
  settings: Settings;
  events: AdapterEvents;
  health: HealthTracker;
  receiver: Receiver;
}

const CURSOR = "mail";
/** Larger mails are read up to here. */
const MAX_MAIL_BYTES = 40 * 1024 * 1024;
const START_BYTES = 512 * 1024;

/** The mail stays in the mailbox. */
class NotReceived extends Error {
  constructor(cause: unknown) {
    super("a mail was not received", { cause });
  }
}

interface Position {
  validity: string;
  uid: number;
}

export class Uplink {
  readonly #parts: UplinkParts;
  #client: ImapFlow | undefined;
  #position: Position | undefined;

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  /** Rejects when the login is refused; leaves other errors to `run`, which retries. */
  async open(signal: AbortSignal): Promise<void> {
    try {
      await this.#begin(signal);
    } catch (error) {
      this.close();
      if (signal.aborted) return;
      this.#report(error);
      if (isLoginRefused(error)) throw loginRefused();
    }
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { backoff } = this.#parts.settings.timing;
    const step = async () => {
      try {
        const client = this.#client?.usable ? this.#client : await this.#begin(signal);
        await this.#listen(client, signal);
      } finally {
        this.close();
      }
    };
    await repeat(step, { backoff, signal, onFailure: (error) => this.#report(error) });
    this.close();
  }

  close(): void {
    const client = this.#client;
    this.#client = undefined;
    if (client) void closeImap(client).catch(() => undefined);
  }

  async #begin(signal: AbortSignal): Promise<ImapFlow> {
    const { settings, health } = this.#parts;
    const client = await openImap(settings, signal);
    this.#client = client;
    const open = client.mailboxOpen(settings.mailbox, { readOnly: true });
    const { uidValidity, uidNext } = await inTime(client, open, settings.timing.callMs);
    this.#position = await this.#start(String(uidValidity), uidNext - 1);
    if (!signal.aborted) health.up();
    return client;
  }

  /** The first start skips older mail. So does a start after the server renumbered its mail. */
  async #start(validity: string, newest: number): Promise<Position> {
    const { events, settings } = this.#parts;
    const [known, uid] = ((await events.cursor(CURSOR)) ?? "").split(":");
    if (known === validity && uid !== undefined) return { validity, uid: Number(uid) };
    if (known) settings.log("warn", "The mail server renumbered its mail: earlier mail is not answered");
    const position = { validity, uid: newest };
    await events.saveCursor(cursorAt(position));
    return position;
  }

  async #listen(client: ImapFlow, signal: AbortSignal): Promise<void> {
    const { health } = this.#parts;
    let news = new AbortController();
    const wake = () => news.abort();
    client.on("exists", wake);
    client.on("close", wake);
    try {
      while (!signal.aborted && client.usable) {
        // Before the look: mail that the server announces during it is not in its list.
        news = new AbortController();
        await this.#drain(client, signal);
        if (signal.aborted) return;
        health.up();
        await this.#wait(client, [signal, news.signal], wake);
      }
    } finally {
      client.off("exists", wake);
      client.off("close", wake);
    }
    if (!signal.aborted) throw new Error("the connection broke");
  }

  /** Until there is news, or it is time for a look. */
  async #wait(client: ImapFlow, news: readonly AbortSignal[], wake: () => void): Promise<void> {
    if (news.some(({ aborted }) => aborted)) return;
    // Ends with the next command.
    client.idle().catch(wake);
    await pause(this.#parts.settings.pollMs, ...news);
  }

  async #drain(client: ImapFlow, signal: AbortSignal): Promise<void> {
    const { settings, receiver } = this.#parts;
    const { callMs, transferMs } = settings.timing;
    // Also tells the server's number of mails where it doesn't push it.
    await inTime(client, client.noop(), callMs);
    const position = this.#position!;
    const range = `${position.uid + 1}:*`;
    const query = { uid: true, size: true, internalDate: true };
    const listed = await inTime(client, client.fetchAll(range, query, { uid: true }), callMs);
    // Servers answer `7:*` with the newest mail, also if its number is lower.
    const fresh = listed.filter(({ uid }) => uid > position.uid).toSorted((a, b) => a.uid - b.uid);
    for (const { uid, size = 0, internalDate } of fresh) {
      if (signal.aborted) return;
      const isCut = size > MAX_MAIL_BYTES;
      const part = isCut ? { source: { maxLength: START_BYTES } } : { source: true };
      const mail = await inTime(client, client.fetchOne(String(uid), part, { uid: true }), transferMs);
      const next = { validity: position.validity, uid };
      const receipt = { name: cursorAt(next).value, receivedAt: secondsOf(internalDate) };
      const source = mail ? mail.source : undefined;
      await receiver
        .receive({ source: source ?? Buffer.alloc(0), receipt, isCut }, cursorAt(next))
        .catch((cause: unknown) => {
          throw new NotReceived(cause);
        });
      this.#position = next;
      position.uid = uid;
    }
  }

  #report(error: unknown): number | undefined {
    const { health, settings } = this.#parts;
    if (isLoginRefused(error)) {
      health.trouble("down", LOGIN_REFUSED);
      return settings.timing.refusedMs;
    }
    const detail =
      error instanceof NotReceived
        ? "The inbox doesn't accept mail: it stays in the mailbox"
        : `The mail server can't be reached (${reasonOf(error)}): retrying`;
    health.trouble("degraded", detail);
    return undefined;
  }
}

function cursorAt({ validity, uid }: Position) {
  return { name: CURSOR, value: `${validity}:${uid}` };
}

function secondsOf(date: Date | string | undefined): number {
  const ms = date === undefined ? Number.NaN : new Date(date).getTime();
  return (Number.isNaN(ms) ? Date.now() : ms) / 1000;
}
