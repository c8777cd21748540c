import { InvalidArgumentError } from "commander";
import type { Person } from "../../message.js";

/** `telegram:123`: everything after the first colon is the id. */
export function parsePerson(text: string): Person {
  const colon = text.indexOf(":");
  const [platform, userId] = [text.slice(0, colon).trim().toLowerCase(), text.slice(colon + 1)];
  if (colon > 0 && platform !== "" && userId !== "") return { platform, userId };
  throw new InvalidArgumentError("Name a person as <platform>:<user>, such as telegram:123456789.");
}
