import { HermesError } from "../../errors.js";
import { sanitizeTitle } from "../../title.js";
import type { CommandCall } from "../command.js";
import { code } from "./text.js";

/** The title to store, null if nothing is left after cleaning, or why it is invalid. */
export function cleanTitle(raw: string): { title: string | null } | { fault: string } {
  try {
    return { title: sanitizeTitle(raw) };
  } catch (error) {
    if (error instanceof HermesError && error.code === "invalid") {
      return { fault: `${error.message}. Try a shorter one.` };
    }
    throw error;
  }
}

/** Does the work. If the title is taken, returns that as text; the caller adds advice. */
export async function unlessTaken<T>(
  call: CommandCall,
  title: string | null,
  work: () => Promise<T>,
): Promise<{ done: T } | { taken: string }> {
  try {
    return { done: await work() };
  } catch (error) {
    if (title === null || !(error instanceof HermesError) || error.code !== "conflict") throw error;
    return { taken: await titleInUse(call, title) };
  }
}

/** Titles are unique across people. Doesn't use the store's error, which may name another person's session. */
async function titleInUse({ gateway, principal }: CommandCall, title: string): Promise<string> {
  const holder = await gateway.store.getSession({ title }, principal);
  const whose = holder?.title === title ? ` by ${code(holder.id)}` : "";
  return `The title ${code(title)} is in use${whose}.`;
}
