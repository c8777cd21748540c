/**
 * A signal-cli daemon on this machine, started with `--receive-mode=on-connection`: while no client reads its event stream,
 * messages wait on Signal's servers. What it has written into the stream is gone, as with the real one: if the reader dies
 * before it has stored that, nothing brings it back.
 */
import type { ServerResponse } from "node:http";
import { setTimeout as pause, setImmediate } from "node:timers/promises";
import { type RestAnswer, type RestRequest, RestServer } from "../rest-server.js";

export interface Person {
  number: string | null;
  uuid: string;
  name: string;
}

export interface Said {
  timestamp: number;
  text: string;
  styles: string[];
  attachments: string[];
  voiceNote: boolean;
  quote: number | null;
}

export interface SignalEmulatorOptions {
  keepAliveMs?: number;
  /** Receives also while no client listens: such messages are lost. */
  onStart?: boolean;
}

export const NUMBER = "+15550100";
export const OWN_UUID = "00000000-0000-4000-8000-000000000000";
const ON_THE_WAY_MS = 10;

interface Event {
  account: string;
  envelope: { timestamp: number };
}

/** An open stream, and what was written into it and not marked as read: by the time of the message. */
interface Reader {
  response: ServerResponse;
  inFlight: Map<number, string>;
}

export class SignalEmulator {
  /** The account that the daemon knows. */
  number = NUMBER;
  readonly server = new RestServer(
    (request) => this.#answer(request),
    (path, { method }) => (path === "/api/v1/rpc" ? `${path}/${String(method)}` : path),
  );
  readonly typing: object[] = [];
  readonly files = new Map<string, Buffer>();
  /** Each event is written twice. */
  duplicate = false;
  /** Events whose reader left without having marked them as read, and those that came while none listened. */
  readonly dropped: { text: string; atMs: number }[] = [];
  /** Events that were given to readers. */
  written = 0;
  /** Our reactions, by message. */
  readonly reactions = new Map<string, string>();
  readonly receipts: object[] = [];
  /** Of the daemon. */
  version = "0.14.0";
  readonly #readers = new Set<Reader>();
  readonly #said = new Map<string, Said[]>();
  readonly #deleted = new Set<number>();
  readonly #keepAliveMs: number;
  readonly #onStart: boolean;
  /** On Signal's servers. */
  #waiting: Event[] = [];
  #held: Event[] | undefined;
  #lastMs = 0;
  #people = 0;

  constructor({ keepAliveMs = 15_000, onStart = false }: SignalEmulatorOptions = {}) {
    this.#keepAliveMs = keepAliveMs;
    this.#onStart = onStart;
  }

  get url(): string {
    return this.server.url;
  }

  get streams(): number {
    return this.#readers.size;
  }

  async start(): Promise<this> {
    await this.server.start();
    return this;
  }

  async close(): Promise<void> {
    this.#readers.clear();
    await this.server.stop();
  }

  // ── people ────────────────────────────────────────────────────────────────────────────────────────────────────────

  person(name: string): Person {
    this.#people += 1;
    const digits = String(this.#people).padStart(4, "0");
    return { number: `+1555020${digits}`, uuid: `11111111-0000-4000-8000-00000000${digits}`, name };
  }

  /** In a chat with the bot, or in a group. Gives the message's time. */
  say(from: Person, message: string, groupId?: string, more: object = {}): number {
    const timestamp = this.now();
    const group =
      groupId === undefined ? {} : { groupInfo: { groupId, groupName: "Friends", type: "DELIVER" } };
    this.deliver(
      from,
      { dataMessage: { timestamp, message, expiresInSeconds: 0, ...group, ...more } },
      timestamp,
    );
    return timestamp;
  }

  edit(from: Person, target: number, message: string, groupId?: string): void {
    const group = groupId === undefined ? {} : { groupInfo: { groupId } };
    const dataMessage = { timestamp: this.now(), message, ...group };
    this.deliver(from, { editMessage: { targetSentTimestamp: target, dataMessage } });
  }

  remove(from: Person, target: number, groupId?: string): void {
    this.#deleted.add(target);
    const group = groupId === undefined ? {} : { groupInfo: { groupId } };
    const dataMessage = {
      timestamp: this.now(),
      message: null,
      remoteDelete: { timestamp: target },
      ...group,
    };
    this.deliver(from, { dataMessage });
  }

  deliver(from: Person, content: object, timestamp = this.now()): void {
    const source = { source: from.number ?? from.uuid, sourceNumber: from.number, sourceUuid: from.uuid };
    const envelope = { ...source, sourceName: from.name, sourceDevice: 1, timestamp, ...content };
    const event = { account: this.number, envelope };
    if (this.#held) this.#held.push(event);
    else this.#waiting.push(event);
    void this.#arrive();
  }

  /** Takes its time, and lets the daemon notice first that a stream was closed. */
  async #arrive(): Promise<void> {
    await pause(ON_THE_WAY_MS);
    for (let turns = 0; turns < 3; turns++) await setImmediate();
    this.#flush();
  }

  /** What the bot has written to a number, a uuid or a group's id, oldest first. */
  said(chat: string): Said[] {
    const own = this.#said.get(chat) ?? [];
    return own.map((said) => ({ ...said, quote: this.#deleted.has(said.quote ?? 0) ? null : said.quote }));
  }

  now(): number {
    this.#lastMs = Math.max(this.#lastMs + 1, Date.now());
    return this.#lastMs;
  }

  hold(): void {
    this.#held ??= [];
  }

  /** What was kept back comes now, the last first. */
  release(): void {
    this.#waiting.push(...(this.#held ?? []).reverse());
    this.#held = undefined;
    this.#flush();
  }

  /** The daemon ends its streams: what it has written arrives. */
  cut(): void {
    for (const { response } of this.#readers) response.end();
    this.#readers.clear();
  }

  raw(text: string): void {
    for (const { response } of this.#readers) response.write(text);
  }

  // ── the daemon ────────────────────────────────────────────────────────────────────────────────────────────────────

  #flush(): void {
    if (this.server.silent || (this.#readers.size === 0 && !this.#onStart)) return;
    const events = this.#waiting;
    this.#waiting = [];
    for (const event of events) this.#write(event);
  }

  #write(event: Event): void {
    const data = JSON.stringify(event);
    const text = `event:receive\ndata:${data}\n\n`;
    if (this.#readers.size === 0) this.#drop([data]);
    else this.written += 1;
    for (const { response, inFlight } of this.#readers) {
      response.write(this.duplicate ? text + text : text);
      inFlight.set(event.envelope.timestamp, data);
    }
  }

  #drop(events: Iterable<string>): void {
    for (const text of events) this.dropped.push({ text, atMs: performance.now() });
  }

  #listen(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(":\n");
    const reader: Reader = { response, inFlight: new Map() };
    const timer = setInterval(() => this.server.silent || response.write(":\n"), this.#keepAliveMs);
    this.#readers.add(reader);
    response.once("close", () => {
      clearInterval(timer);
      if (this.#readers.delete(reader)) this.#drop(reader.inFlight.values());
    });
  }

  #answer(request: RestRequest): RestAnswer | "kept open" {
    const { path, query, response, json } = request;
    if (path === "/api/v1/check") return { status: 200 };
    if (path === "/api/v1/rpc") return this.#rpc(json);
    if (path !== "/api/v1/events") return { status: 404 };
    if (query.get("account") !== this.number) return { status: 400 };
    this.#listen(response);
    this.#flush();
    return "kept open";
  }

  #rpc({ method, params, id }: Record<string, unknown>): RestAnswer {
    const result = this.#call(String(method), (params ?? {}) as Record<string, unknown>);
    const answer = result instanceof Refusal ? { error: { ...result } } : { result };
    return { status: 200, body: { jsonrpc: "2.0", id, ...answer } };
  }

  #call(method: string, params: Record<string, unknown>): unknown {
    const { recipient, groupId, message, textStyles = [], attachments = [], quoteTimestamp } = params;
    switch (method) {
      case "send": {
        const chat = String(groupId ?? (recipient as string[])[0]);
        const timestamp = this.now();
        const said: Said = {
          ...{ timestamp, text: String(message ?? ""), styles: textStyles as string[] },
          ...{ attachments: attachments as string[], quote: (quoteTimestamp as number | undefined) ?? null },
          voiceNote: params.voiceNote === true,
        };
        this.#said.set(chat, [...(this.#said.get(chat) ?? []), said]);
        return { timestamp, results: [{ recipientAddress: { number: chat }, type: "SUCCESS" }] };
      }
      case "sendTyping":
        this.typing.push(params);
        return {};
      case "sendReceipt":
        this.receipts.push(params);
        for (const { inFlight } of this.#readers)
          for (const timestamp of params.targetTimestamp as number[]) inFlight.delete(timestamp);
        return {};
      case "sendReaction": {
        const about = `${String(params.targetTimestamp)}:${String(params.targetAuthor)}`;
        if (params.remove === true) this.reactions.delete(about);
        else this.reactions.set(about, String(params.emoji));
        return {};
      }
      case "receive":
        // The gateway's stream receives too.
        return this.#onStart || this.streams > 0
          ? new Refusal(-1, "Receive command cannot be used if messages are already being received.")
          : [];
      case "getUserStatus":
        return [{ recipient: this.number, number: this.number, uuid: OWN_UUID, isRegistered: true }];
      case "listAccounts":
        return [{ number: this.number }];
      case "version":
        return { version: this.version };
      case "getAttachment": {
        const file = this.files.get(String(params.id));
        return { data: file?.toString("base64") };
      }
      default:
        return new Refusal(-32601, "Method not implemented");
    }
  }
}

class Refusal {
  readonly code: number;
  readonly message: string;

  constructor(code: number, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** The answer to a send that comes too early. */
export function rateLimited(seconds: number): RestAnswer {
  const results = [{ type: "RATE_LIMIT_FAILURE", token: "t", retryAfterSeconds: seconds }];
  const error = {
    code: -5,
    message: "Failed to send message due to rate limiting",
    data: { response: { results } },
  };
  return { status: 200, body: { jsonrpc: "2.0", id: 1, error } };
}
