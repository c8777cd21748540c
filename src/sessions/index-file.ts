/**
 * Routes → `sessions/sessions.json`, byte for byte as Python's `json.dump(indent=2)` writes it in Hermes. The database
 * is authoritative: this file is written for other programs, and read only to adopt an existing home.
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

/** The route's fields in the file. */
type IndexedRoute = Omit<RouteRow, "tuple" | "lastUserActivity" | "epoch" | "expiredReason">;

/**
 * One member of the index with its key: `  "agent:main:…": {…}`. Fields in Hermes' order. The counters are always 0,
 * as in current Hermes versions. A template, for speed: a large home has tens of thousands of members.
 */
export function renderEntry(route: IndexedRoute): string {
  const { origin } = route;
  const key = json(route.sessionKey);
  return `  ${key}: {
    "session_key": ${key},
    "session_id": ${json(route.sessionId)},
    "created_at": "${localIso(route.createdAt)}",
    "updated_at": "${localIso(route.updatedAt)}",
    "display_name": ${json(origin.chatName)},
    "platform": ${json(origin.platform)},
    "chat_type": ${json(origin.chatType)},
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_read_tokens": 0,
    "cache_write_tokens": 0,
    "total_tokens": 0,
    "last_prompt_tokens": ${Math.trunc(route.lastPromptTokens)},
    "estimated_cost_usd": 0.0,
    "cost_status": "unknown",
    "expiry_finalized": ${route.expiryFinalized},
    "suspended": ${route.suspended},
    "resume_pending": ${route.resumePending},
    "resume_reason": ${json(route.resumeReason)},
    "last_resume_marked_at": null,
    "is_fresh_reset": ${route.isFreshReset},
    "was_auto_reset": ${route.wasAutoReset},
    "auto_reset_reason": ${json(route.autoResetReason)},
    "reset_had_activity": ${route.resetHadActivity},
    "origin": ${renderOrigin(origin)}
  }`;
}

/** Members → the whole file, in pieces: a large index exceeds the maximum string length. */
export function* indexParts(batches: Iterable<readonly string[]>): Generator<string> {
  let before = "{\n";
  for (const members of batches) {
    if (members.length === 0) continue;
    yield before + members.join(",\n");
    before = ",\n";
  }
  yield before === "{\n" ? "{}" : "\n}";
}

function renderOrigin(origin: Origin): string {
  // Hermes converts any chat_id to a string: null would become the chat "None".
  return `{
      "platform": ${json(origin.platform)},
      "chat_id": ${json(origin.chatId ?? "")},
      "chat_name": ${json(origin.chatName)},
      "chat_type": ${json(origin.chatType)},
      "user_id": ${json(origin.userId)},
      "user_name": ${json(origin.userName)},
      "thread_id": ${json(origin.threadId)},
      "chat_topic": ${json(origin.chatTopic)}${whereKnown("user_id_alt", origin.userIdAlt)}${whereKnown("chat_id_alt", origin.chatIdAlt)}${whereKnown("guild_id", origin.guildId)}${whereKnown("parent_chat_id", origin.parentChatId)}${whereKnown("message_id", origin.messageId)}
    }`;
}

function whereKnown(name: string, value: string | null | undefined): string {
  return value ? `,\n      "${name}": ${json(value)}` : "";
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** Python's `ensure_ascii` keeps only printable ASCII characters, so DEL is escaped too. */
function json(value: string | null | undefined): string {
  if (value === null || value === undefined) return "null";
  if (PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** `2026-06-16T09:15:23.123456` in the machine's zone, without an offset: Hermes compares naive times. */
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

export const TEMPORARY_INDEX = ".sessions_";
const ABANDONED_MS = 60_000;

/** Removes temporary files of killed processes. Younger ones may still be in use. */
export async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(TEMPORARY_INDEX) && name.endsWith(".tmp"))) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}

/** Replaces a file atomically: writes and syncs a private temporary file, then renames it. Follows links. */
export async function replaceFile(path: string, parts: Iterable<string>, prefix: string): Promise<FileStamp> {
  const target = await linkTarget(path);
  const folder = dirname(target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `${prefix}${randomBytes(6).toString("hex")}.tmp`);
  let written: FileStamp;
  try {
    written = await writeParts(temporary, parts);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
  return written;
}

/** Identifies a file, so that a replaced one is noticed. */
export interface FileStamp {
  size: number;
  mtimeMs: number;
}

async function writeParts(path: string, parts: Iterable<string>): Promise<FileStamp> {
  const handle = await open(path, "wx", 0o600);
  try {
    for (const part of parts) await handle.writeFile(part);
    await handle.sync();
    const { size, mtimeMs } = await handle.stat();
    return { size, mtimeMs };
  } finally {
    await handle.close();
  }
}

/** A rename survives a power cut only if the folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The target of a link, even if it doesn't exist yet. */
async function linkTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const link = await readlink(path).catch(() => undefined);
    return link === undefined ? path : resolve(await realpath(dirname(path)), link);
  }
}

// --- reading ------------------------------------------------------------------------------------------------------

/** A route written by another program. */
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
  /** Invalid entries are skipped and listed as problems. */
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
  return isObject(parsed) ? readEntries(parsed) : { corrupt: "it isn't a JSON object" };
}

/** Only ENOENT counts as missing: an unreadable file must not look like an empty home. */
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

/** The entry, or why it is invalid. */
function readEntry(key: SessionKey, value: unknown): IndexEntry | string {
  if (!isObject(value)) return "is not an object";
  const { session_key, session_id, origin } = value;
  if (session_key !== undefined && session_key !== key) return "session_key doesn't match";
  if (typeof session_id !== "string" || !/^[^/\\\0]+$/.test(session_id))
    return "session_id is missing or invalid";
  // A key can't be parsed back, so the chat is unknown without an origin.
  if (!isObject(origin) || !origin.platform) return "origin is missing or invalid";
  const createdAt = parseTime(value.created_at);
  const updatedAt = parseTime(value.updated_at);
  if (createdAt === undefined || updatedAt === undefined) return "created_at or updated_at isn't a time";
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
    // Named memory_flushed until Hermes 0.12.
    expiryFinalized: (entry.expiry_finalized ?? entry.memory_flushed) === true,
  };
}

/** Local time unless it has an offset. Returns epoch seconds. */
function parseTime(value: unknown): number | undefined {
  const parts = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/.exec(
    String(value),
  );
  if (typeof value !== "string" || !parts) return undefined;
  const zone = (parts[4] ?? "").replace(/(\d\d)(\d\d)$/, "$1:$2");
  const seconds = Date.parse(`${parts[1]}T${parts[2]}${zone}`) / 1000;
  return Number.isNaN(seconds) ? undefined : seconds + Number(parts[3] ?? 0);
}

/** Renames the file without deleting anything. Returns the new name. */
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
