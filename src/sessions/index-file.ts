/**
 * Routes → `sessions/sessions.json`, byte for byte as Python's `json.dump(indent=2)` writes it in Hermes. The database
 * is the truth: this file is written for those who read it, and read only to adopt an existing home.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileStamp } from "../clock.js";
import { HermesError } from "../errors.js";
import type { Origin } from "../message.js";
import { readRegular } from "../regular-file.js";
import type { SessionId, SessionKey } from "../session.js";
import type { RouteFlags, RouteRow } from "../store/queues.js";
import { originFromSource } from "./key.js";

// --- the format ---------------------------------------------------------------------------------------------------

/** One member of the index, its key included: `  "agent:main:…": {…}`. */
export function renderEntry(route: RouteRow): string {
  const fields = Object.entries(entryFields(route)).map(([name, text]) => `    "${name}": ${text}`);
  return `  ${json(route.sessionKey)}: {\n${fields.join(",\n")}\n  }`;
}

/** Members → the whole file. */
export function renderIndex(entries: Iterable<string>): string {
  return [...indexParts([[...entries]])].join("");
}

function* indexParts(batches: Iterable<readonly string[]>): Generator<string> {
  let before = "{\n";
  for (const members of batches) {
    if (members.length === 0) continue;
    yield before + members.join(",\n");
    before = ",\n";
  }
  yield before === "{\n" ? "{}" : "\n}";
}

/** Every field in Hermes' order. The counters are always 0 there too: nothing has written them for a long time. */
function entryFields(route: RouteRow): Record<string, string> {
  const { origin } = route;
  return {
    session_key: json(route.sessionKey),
    session_id: json(route.sessionId),
    created_at: json(localIso(route.createdAt)),
    updated_at: json(localIso(route.updatedAt)),
    display_name: json(origin.chatName),
    platform: json(origin.platform),
    chat_type: json(origin.chatType),
    input_tokens: "0",
    output_tokens: "0",
    cache_read_tokens: "0",
    cache_write_tokens: "0",
    total_tokens: "0",
    last_prompt_tokens: json(Math.trunc(route.lastPromptTokens)),
    estimated_cost_usd: "0.0",
    cost_status: json("unknown"),
    expiry_finalized: json(route.expiryFinalized),
    suspended: json(route.suspended),
    resume_pending: json(route.resumePending),
    resume_reason: json(route.resumeReason),
    last_resume_marked_at: "null",
    is_fresh_reset: json(route.isFreshReset),
    was_auto_reset: json(route.wasAutoReset),
    auto_reset_reason: json(route.autoResetReason),
    reset_had_activity: json(route.resetHadActivity),
    origin: renderOrigin(origin),
  };
}

function renderOrigin(origin: Origin): string {
  const always = {
    platform: origin.platform,
    // Hermes makes a string of whatever stands here: null would become the chat "None".
    chat_id: origin.chatId ?? "",
    chat_name: origin.chatName,
    chat_type: origin.chatType,
    user_id: origin.userId,
    user_name: origin.userName,
    thread_id: origin.threadId,
    chat_topic: origin.chatTopic,
  };
  const whereKnown = {
    user_id_alt: origin.userIdAlt,
    chat_id_alt: origin.chatIdAlt,
    guild_id: origin.guildId,
    parent_chat_id: origin.parentChatId,
    message_id: origin.messageId,
  };
  const fields = [...Object.entries(always), ...Object.entries(whereKnown).filter(([, value]) => value)];
  return `{\n${fields.map(([name, value]) => `      "${name}": ${json(value)}`).join(",\n")}\n    }`;
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** Python's `ensure_ascii` leaves only the printable ASCII characters: DEL is escaped as well. */
function json(value: string | number | boolean | null | undefined): string {
  if (typeof value !== "string") return String(value ?? null);
  if (PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** `2026-06-16T09:15:23.123456` in the machine's zone, without an offset: Hermes can't compare any other. */
export function localIso(epochSeconds: number): string {
  const micros = Math.round(epochSeconds * 1e6);
  const fraction = micros - Math.floor(micros / 1e6) * 1e6;
  const date = new Date((micros - fraction) / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day}T${time}${fraction === 0 ? "" : `.${String(fraction).padStart(6, "0")}`}`;
}

// --- writing ------------------------------------------------------------------------------------------------------

const INTERVAL_MS = 1000;
const ENTRIES_AT_ONCE = 100;
const TEMPORARY = ".sessions_";
const ABANDONED_MS = 60_000;

export interface IndexFileOptions {
  path: string;
  /** A write failed. What changed is kept and written with the next change. */
  onError(error: unknown): void;
  /** Milliseconds on any clock that never goes back. */
  now?: () => number;
}

/** Keeps the file up to date: at most one write a second, each of them whole. */
export class IndexFile {
  readonly #path: string;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  /** Text once rendered; a route that changed is rendered with the next write. */
  readonly #entries = new Map<SessionKey, RouteRow | string>();
  #changed = false;
  #closed = false;
  #tidied = false;
  #lastWrite = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor({ path, onError, now = () => performance.now() }: IndexFileOptions) {
    this.#path = path;
    this.#onError = onError;
    this.#now = now;
  }

  /** All routes there are, in their order; the file is written even when there are none. */
  load(routes: Iterable<RouteRow>): void {
    this.#entries.clear();
    for (const route of routes) this.#entries.set(route.sessionKey, route);
    this.#touch();
  }

  update(route: RouteRow): void {
    this.#entries.set(route.sessionKey, route);
    this.#touch();
  }

  remove(key: SessionKey): void {
    if (this.#entries.delete(key)) this.#touch();
  }

  /** Resolves when everything until now is on the disk, or its failure was reported. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#changed) await this.#write();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
    clearTimeout(this.#timer);
  }

  #touch(): void {
    this.#changed = true;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#timer || this.#writing || this.#closed) return;
    const wait = Math.max(0, this.#lastWrite + INTERVAL_MS - this.#now());
    this.#timer = setTimeout(() => void this.#write(), wait);
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changed = false;
    this.#lastWrite = this.#now();
    this.#writing = this.#save().then(
      () => this.#ended(this.#changed),
      (error: unknown) => {
        this.#changed = true;
        this.#ended(false);
        this.#onError(error);
      },
    );
    return this.#writing;
  }

  #ended(again: boolean): void {
    this.#writing = undefined;
    if (again) this.#schedule();
  }

  async #save(): Promise<void> {
    if (!this.#tidied) await removeAbandoned(dirname(this.#path));
    this.#tidied = true;
    const keys = [...this.#entries.keys()];
    await replaceFile(this.#path, indexParts(this.#batches(keys)), TEMPORARY);
  }

  /** A few entries at a time, so that a large index never holds up the event loop. */
  *#batches(keys: readonly SessionKey[]): Generator<string[]> {
    for (let at = 0; at < keys.length; at += ENTRIES_AT_ONCE) {
      yield keys.slice(at, at + ENTRIES_AT_ONCE).flatMap((key) => this.#member(key));
    }
  }

  #member(key: SessionKey): string[] {
    const entry = this.#entries.get(key);
    if (entry === undefined || typeof entry === "string") return entry === undefined ? [] : [entry];
    const text = renderEntry(entry);
    this.#entries.set(key, text);
    return [text];
  }
}

/** What a killed process left behind. Younger ones may still be written. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(TEMPORARY) && name.endsWith(".tmp"))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}

/** Old or new, never half: a private file beside the target, on the disk before it takes its name. Follows links. */
export async function replaceFile(path: string, parts: Iterable<string>, prefix: string): Promise<void> {
  const target = await linkTarget(path);
  const folder = dirname(target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `${prefix}${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeParts(temporary, parts);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

async function writeParts(path: string, parts: Iterable<string>): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    for (const part of parts) await handle.writeFile(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The rename itself survives a power cut only when the folder is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The file that a link means, also where that doesn't exist yet. */
async function linkTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const link = await readlink(path).catch(() => undefined);
    return link === undefined ? path : resolve(await realpath(dirname(path)), link);
  }
}

// --- reading ------------------------------------------------------------------------------------------------------

/** A route as another program left it. */
export interface IndexEntry {
  sessionKey: SessionKey;
  sessionId: SessionId;
  origin: Origin;
  createdAt: number;
  updatedAt: number;
  lastPromptTokens: number;
  flags: RouteFlags;
}

export type IndexContents =
  | "missing"
  | { corrupt: string }
  /** Entries that make no sense are left out and named among the problems. */
  | { entries: IndexEntry[]; problems: string[] };

export async function readIndex(path: string): Promise<IndexContents> {
  const bytes = await readBytes(path);
  if (bytes === undefined) return "missing";
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    return { corrupt: bytes.length === 0 ? "it is empty" : (error as Error).message };
  }
  return isObject(parsed) ? readEntries(parsed) : { corrupt: "it holds no JSON object" };
}

/** Only "isn't there" counts as missing: a file that can't be read must not look like an empty home. */
async function readBytes(path: string): Promise<Buffer | undefined> {
  try {
    return await readRegular(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new HermesError("unavailable", `Can't read ${path}: ${message}`, { cause });
  }
}

function readEntries(index: Readonly<Record<string, unknown>>): {
  entries: IndexEntry[];
  problems: string[];
} {
  const entries: IndexEntry[] = [];
  const problems: string[] = [];
  for (const [key, value] of Object.entries(index)) {
    const entry = readEntry(key, value);
    if (typeof entry === "string") problems.push(`${key}: ${entry}`);
    else entries.push(entry);
  }
  return { entries, problems };
}

/** The entry, or what is wrong with it. */
function readEntry(key: SessionKey, value: unknown): IndexEntry | string {
  if (!isObject(value)) return "is not an object";
  const { session_key, session_id, origin } = value;
  if (session_key !== undefined && session_key !== key) return "session_key is another one";
  if (typeof session_id !== "string" || !/^[^/\\\0]+$/.test(session_id))
    return "session_id is missing or wrong";
  // A key can't be taken apart again, so a chat that isn't written down is not known.
  if (!isObject(origin) || !origin.platform) return "origin is missing or wrong";
  const createdAt = parseTime(value.created_at);
  const updatedAt = parseTime(value.updated_at);
  if (createdAt === undefined || updatedAt === undefined) return "created_at or updated_at is no time";
  return {
    sessionKey: key,
    sessionId: session_id,
    origin: readOrigin(origin),
    createdAt,
    updatedAt,
    lastPromptTokens: Number.isSafeInteger(value.last_prompt_tokens) ? Number(value.last_prompt_tokens) : 0,
    flags: readFlags(value),
  };
}

function readOrigin(source: Readonly<Record<string, unknown>>): Origin {
  const origin = originFromSource(source);
  return { ...origin, chatId: origin.chatId || null };
}

function readFlags(entry: Readonly<Record<string, unknown>>): RouteFlags {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    suspended: entry.suspended === true,
    resumePending: entry.resume_pending === true,
    resumeReason: text(entry.resume_reason),
    wasAutoReset: entry.was_auto_reset === true,
    autoResetReason: text(entry.auto_reset_reason),
    resetHadActivity: entry.reset_had_activity === true,
    isFreshReset: entry.is_fresh_reset === true,
    // Its name until Hermes 0.12.
    expiryFinalized: (entry.expiry_finalized ?? entry.memory_flushed) === true,
  };
}

/** Local unless it says otherwise; epoch seconds. */
function parseTime(value: unknown): number | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/.exec(
    String(value),
  );
  if (typeof value !== "string" || !parts) return undefined;
  const zone = (parts[4] ?? "").replace(/(\d\d)(\d\d)$/, "$1:$2");
  const seconds = Date.parse(`${parts[1]}T${parts[2]}${zone}`) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds + Number(parts[3] ?? 0);
}

/** Out of the way but never lost: gives the new name. */
export async function keepAside(path: string): Promise<string> {
  const target = await linkTarget(path);
  const wanted = `${target}.corrupt-${fileStamp()}`;
  const taken = new Set(await readdir(dirname(target)));
  let aside = wanted;
  for (let n = 2; taken.has(basename(aside)); n++) aside = `${wanted}-${n}`;
  await rename(target, aside);
  return aside;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
