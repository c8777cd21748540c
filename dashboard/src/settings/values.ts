/** A setting's value ↔ the text of its control. */
import type { SettingField } from "../../../src/http/dashboard/settings-types.js";

/** The typed text, or that the key will be removed from the file. */
export type Draft = { text: string } | { removed: true };

export interface Change {
  path: string;
  /** Undefined removes the key. */
  value?: unknown;
}

export function textOf({ kind, value }: SettingField): string {
  if (kind === "secret" || value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join("\n");
  if (typeof value === "object")
    return Object.entries(value)
      .map(([key, below]) => `${key}: ${Array.isArray(below) ? below.join(", ") : String(below)}`)
      .join("\n");
  return String(value);
}

/** The value as read-only text. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return "unset";
  if (typeof value !== "object") return String(value);
  const parts = Object.entries(value);
  if (parts.length === 0) return "none";
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
  return outline(value).join("\n");
}

/** One line per value, like YAML, without unset values. */
function outline(value: object, indent = ""): string[] {
  return Object.entries(value).flatMap(([key, below]: [string, unknown]) => {
    const name = `${indent}${Array.isArray(value) ? "-" : `${key}:`}`;
    if (below === null || below === undefined) return [];
    const isPlain = typeof below !== "object" || Object.values(below).every((one) => typeof one !== "object");
    if (isPlain && (typeof below !== "object" || Array.isArray(below)))
      return Array.isArray(below) && below.length === 0 ? [] : [`${name} ${shownValue(below)}`];
    return [name, ...outline(below, `${indent}  `)];
  });
}

export function changeOf(field: SettingField, draft: Draft): Change {
  const { path } = field;
  const value = "removed" in draft ? undefined : typedValue(field, draft.text);
  return value === undefined ? { path } : { path, value };
}

/** An empty text removes the key, or sets an empty value if the default isn't empty. */
function typedValue(field: SettingField, text: string): unknown {
  if (text.trim() === "") return emptyOf(field);
  switch (field.kind) {
    case "switch":
      return text === "true";
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case "list":
      return linesOf(text);
    case "map":
      return Object.fromEntries(linesOf(text).map((line) => entryOf(line, field.ofLists === true)));
    default:
      return text;
  }
}

function emptyOf({ kind, nullable, default: usual }: SettingField): unknown {
  if (kind === "list") return Array.isArray(usual) && usual.length > 0 ? [] : undefined;
  return nullable && usual !== null && kind !== "map" ? null : undefined;
}

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function entryOf(line: string, ofLists: boolean): [string, unknown] {
  const at = line.indexOf(":");
  const key = (at === -1 ? line : line.slice(0, at)).trim();
  const value = at === -1 ? "" : line.slice(at + 1).trim();
  if (!ofLists) return [key, value];
  return [key, value.split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]))];
}
