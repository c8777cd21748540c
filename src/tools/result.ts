/** Results for the model, in Hermes' form: JSON with the fields, or with `error`. */
import { HermesError } from "../errors.js";

export function success(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ success: true, ...fields });
}

export function failure(error: string): string {
  return JSON.stringify({ success: false, error });
}

/** An error the model can act on or explain: it gets the text, and the turn continues. */
export class ToolMistake extends Error {}

/** The result or the error's text. Internal errors are rethrown. */
export async function told(work: () => Promise<string>, { hints = true } = {}): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolMistake) return failure(error.message);
    if (!(error instanceof HermesError) || error.code === "internal") throw error;
    return failure([error.message, hints && error.hint].filter(Boolean).join(" "));
  }
}
