/**
 * One person on WhatsApp writes under a phone number, a linked id or a device id. Raw id → the one name that all of
 * them share, so that a switch between them keeps the session. The bridge leaves the links as small files.
 */
import { join } from "node:path";
import { readRegularSync } from "../regular-file.js";

/** The other ids that are linked to this one; nothing when there are none. */
export type ReadAlias = (id: string) => string[];

// Ids become file names, so anything else is neither looked up nor followed.
const SAFE_ID = /^[A-Za-z0-9@.+-]+$/;

/** Every other platform's ids are already stable: they come back as they are. */
export function canonicalId(platform: string, id: string, readAlias: ReadAlias = () => []): string {
  return platform === "whatsapp" ? canonicalWhatsappId(id, readAlias) : id;
}

/** The shortest linked id, ties by code point. An unusual id has no links and stays as it is, normalised. */
export function canonicalWhatsappId(id: string, readAlias: ReadAlias): string {
  const normalised = normaliseWhatsappId(id);
  const aliases = linkedIds(normalised, readAlias);
  return aliases.reduce((best, alias) => (isBefore(alias, best) ? alias : best), normalised);
}

function normaliseWhatsappId(id: string): string {
  return id.trim().replace("+", "").split(":", 1)[0]!.split("@", 1)[0]!;
}

function linkedIds(start: string, readAlias: ReadAlias): string[] {
  const found = new Set<string>();
  const queue = [start];
  for (const id of queue) {
    if (found.has(id) || !SAFE_ID.test(id)) continue;
    found.add(id);
    queue.push(...readAlias(id).map(normaliseWhatsappId));
  }
  return [...found];
}

function isBefore(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}

/** Reads the bridge's `lid-mapping-*.json` files. A missing or torn file is no link. */
export function readAliasFrom(hermesHome: string): ReadAlias {
  const folder = join(hermesHome, "whatsapp", "session");
  return (id) =>
    [`lid-mapping-${id}.json`, `lid-mapping-${id}_reverse.json`].flatMap((name) =>
      readLink(join(folder, name)),
    );
}

function readLink(path: string): string[] {
  try {
    const link: unknown = JSON.parse(readRegularSync(path));
    return typeof link === "string" || typeof link === "number" ? [String(link)] : [];
  } catch {
    return [];
  }
}
