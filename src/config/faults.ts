/** Errors of the configuration, one line each. */

import type { z } from "zod";
import { HermesError } from "../errors.js";
import { isSecretPath, maskSecrets } from "./mask.js";
import { didYouMean, nearest } from "./nearest.js";
import { configSchema } from "./schema.js";
import { getIn, isTree } from "./tree.js";
import { keysOf, leafPaths, schemaAt } from "./walk.js";

export interface Fault {
  /** The layer it came from: "config.yaml:12", "env TELEGRAM_BOT_TOKEN", "flag". */
  where: string;
  /** Dotted; empty when it is about a whole file. */
  path: string;
  message: string;
}

/** An error before its layer is known. `at`: another path for the lookup if the key itself is missing. */
export interface Complaint {
  path: PropertyKey[];
  message: string;
  at?: PropertyKey[];
}

/** All faults of one load. The message is the whole list. */
export class ConfigError extends HermesError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const count = faults.length === 1 ? "an error" : `${faults.length} errors`;
    super(
      "invalid",
      [`The configuration has ${count}:`, ...faults.map((fault) => `  ${faultLine(fault)}`)].join("\n"),
      {
        hint: "config.example.yaml shows every key with its default.",
      },
    );
    this.name = "ConfigError";
    this.faults = faults;
  }
}

export function faultLine({ where, path, message }: Fault): string {
  return `${where}  ${path === "" ? "" : `${path}: `}${message}`;
}

/** One issue of the schema → messages for people; every unknown key gets its own line. */
export function explainIssue(issue: z.core.$ZodIssue, tree: unknown): Complaint[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      message: `is not a known key${keyHint(issue.path, key)}`,
    }));
  }
  if (issue.code === "invalid_key")
    return [{ path: issue.path, message: issue.issues[0]?.message ?? "is not a valid name" }];
  const value = getIn(tree, issue.path);
  return [{ path: issue.path, message: `${showValue(value, issue.path)} ${reason(issue, value)}` }];
}

/** A similar sibling key, else the only key of that name anywhere ("port" → `http.port`). */
function keyHint(above: readonly PropertyKey[], key: string): string {
  const siblings = keysOf(schemaAt(configSchema, above.map(String)));
  if (nearest(key, siblings)) return didYouMean(key, siblings, { quote: "`" });
  const elsewhere = leafPaths(configSchema).filter((path) => path.split(".").at(-1) === key);
  return elsewhere.length === 1 ? ` (did you mean \`${elsewhere[0]}\`?)` : "";
}

function showValue(value: unknown, path: readonly PropertyKey[]): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (isTree(value)) return "a mapping";
  const shown = isSecretPath(path) ? "****" : JSON.stringify(maskSecrets(value));
  return shown.length > 80 ? `${shown.slice(0, 79)}…` : shown;
}

const TYPES: Record<string, string> = {
  boolean: "true or false",
  number: "a number",
  int: "a whole number",
  string: "text",
  object: "a mapping",
  record: "a mapping",
  array: "a list",
};

function reason(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_value": {
      const words = issue.values.map(String);
      const hint = typeof value === "string" ? didYouMean(value, words, { generous: true }) : "";
      return `is not one of ${words.join(", ")}${hint}`;
    }
    case "invalid_type":
      return `is not ${TYPES[issue.expected] ?? issue.expected}`;
    case "too_small":
      if (issue.origin === "string") return "is empty";
      return `is too small (${issue.inclusive ? "at least" : "more than"} ${issue.minimum})`;
    case "too_big":
      return `is too large (${issue.inclusive ? "at most" : "less than"} ${issue.maximum})`;
    case "invalid_format":
      return issue.format === "url" ? "is not an http(s) address" : issue.message;
    case "invalid_union":
      return "is not an id";
    default:
      return issue.message;
  }
}
