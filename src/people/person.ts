import { HermesError } from "../errors.js";
import type { Person } from "../message.js";

export function formatPerson({ platform, userId }: Person): string {
  return `${platform}:${userId}`;
}

export function unknownPerson(person: Person): HermesError {
  return new HermesError("not_found", `Nothing is stored about ${formatPerson(person)}.`, {
    hint: "`hermes people list` shows who is known.",
  });
}
