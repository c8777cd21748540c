/** Fills `{{path.to.value}}` from a JSON body; missing values are empty. Pure. */
import { MAX_MESSAGE_CHARS, truncated } from "../../text-limits.js";

const MAX_VALUE_CHARS = 20_000;

/** `@name` are facts about the call; everything else is looked up in the body. */
export function fillTemplate(
  template: string,
  body: unknown,
  facts: Readonly<Record<string, string>>,
): string {
  const filled = template.replace(/\{\{([^{}]+)\}\}/g, (_, written: string) => {
    const path = written.trim();
    const value = path.startsWith("@") ? fact(path.slice(1), body, facts) : textOf(valueAt(body, path));
    return truncated(value, MAX_VALUE_CHARS, "value");
  });
  return truncated(filled, MAX_MESSAGE_CHARS, "prompt").trim();
}

function fact(name: string, body: unknown, facts: Readonly<Record<string, string>>): string {
  if (name === "body") return JSON.stringify(body, null, 2);
  return Object.hasOwn(facts, name) ? facts[name]! : "";
}

/** Own properties only: paths never reach an object's prototype. */
function valueAt(body: unknown, path: string): unknown {
  let value = body;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}
