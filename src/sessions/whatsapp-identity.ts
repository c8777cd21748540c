/**
 * A WhatsApp user can appear under a phone number, a linked id or a device id. Maps each to one canonical id, so a
 * switch between them keeps the session. The bridge stores the links as small files.
 */
import { join } from "node:path";
import { readRegularSync } from "../regular-file.js";

/** Returns the ids linked to this one. */
export type ReadAlias = (id: string) => string[];

// Ids become file names, so ids with other characters are ignored.
const SAFE_ID = /^[A-Za-z0-9@.+-]+$/;

/** Ids of other platforms are stable and returned unchanged. */
export function canonicalId(platform: string, id: string, readAlias: ReadAlias = () => []): string {
  return platform === "whatsapp" ? canonicalWhatsappId(id, readAlias) : id;
}

/** The shortest linked id, ties by code point. An id with unexpected characters is only normalised. */
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

/** Reads the bridge's `lid-mapping-*.json` files. Missing and corrupt files count as no link. */
export function readAliasFrom(hermesHome: string): ReadAlias {
  // Newer versions of Hermes Agent use the second one.
  const folders = [
    join(hermesHome, "whatsapp", "session"),
    join(hermesHome, "platforms", "whatsapp", "session"),
  ];
  return (id) =>
    folders.flatMap((folder) =>
      [`lid-mapping-${id}.json`, `lid-mapping-${id}_reverse.json`].flatMap((name) =>
        readLink(join(folder, name)),
      ),
    );
}

function readLink(path: string): string[] {
  try {
    const link: unknown = JSON.parse(readRegularSync(path));
    return typeof link === "string" || typeof link === "number" ? [String(link)] : [];
  } catch {
    // Most numbers have no file. With a broken one, the number just isn't recognised as the same person.
    return [];
  }
}
