/** Results for the model, in Hermes' form: JSON with the fields, or with `error`. */
import { HermesError } from "../errors.js";

export function success(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ success: true, ...fields });
}

export function failure(error: string): string {
  return JSON.stringify({ success: false, error });
}

/** A mistake of the model, or something that it can tell the person: it gets the words, and the turn goes on. */
export class ToolMistake extends Error {}

/** The result, or the words of the error. Internal errors are passed on. */
export async function told(work: () => Promise<string>, { hints = true } = {}): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolMistake) return failure(error.message);
    if (!(error instanceof HermesError) || error.code === "internal") throw error;
    return failure([error.message, hints && error.hint].filter(Boolean).join(" "));
  }
}
