import { notify } from "../parts/notices.js";
import { errorText, post } from "./api.js";

/** Posts, shows a notice with the outcome, and returns the answer; undefined if it failed. */
export async function act<T = object>(path: string, body: object, done: string): Promise<T | undefined> {
  try {
    const answer = await post<T>(path, body);
    notify(done);
    return answer;
  } catch (error) {
    notifyError(error);
    return undefined;
  }
}

export function notifyError(error: unknown): void {
  notify(errorText(error), "failed");
}
