/** Files that come in: fetched from Slack, with its token, and from nowhere else. */
import { checkSize, download, type Fetched, type IncomingPlace, MediaProblem } from "../../media/incoming.js";
import type { Attachment } from "../../message.js";
import type { SlackFile } from "./native.js";

export interface FetchOptions {
  token: string;
  apiUrl: string;
  place: IncomingPlace;
  timeoutMs: number;
  signal: AbortSignal;
}

/** The attachment with its path, or with the reason why there is none. Never rejects. */
export async function fetchFile(
  file: SlackFile,
  attachment: Attachment,
  options: FetchOptions,
): Promise<Attachment> {
  try {
    const fetched = await fromSlack(file, options);
    // A recording of Slack's own comes as a video without pictures.
    const kind = attachment.kind === "audio" ? "audio" : fetched.kind;
    return { ...attachment, ...fetched, kind };
  } catch (error) {
    const problem = error instanceof MediaProblem ? error.message : "It could not be fetched from Slack";
    return { ...attachment, problem };
  }
}

async function fromSlack(file: SlackFile, options: FetchOptions): Promise<Fetched> {
  const { token, apiUrl, place, timeoutMs, signal } = options;
  checkSize(file.size ?? 0, place.maxBytes);
  const url = file.url_private_download ?? file.url_private;
  if (!url || !isSlacks(url, apiUrl)) throw new MediaProblem("It lies outside of Slack");
  const headers = { authorization: `Bearer ${token}` };
  const check = (response: Response) => checkLogin(response, file);
  return download({ url, headers, declared: file.mimetype, timeoutMs, signal, check }, place);
}

/** The token goes to Slack and nowhere else. */
function isSlacks(address: string, apiUrl: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) return false;
  if (url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === "https:" && /(^|\.)slack(-files)?\.com$/.test(url.hostname);
}

/** Whom Slack doesn't let in gets its login page instead. */
function checkLogin(response: Response, file: SlackFile): void {
  const html = response.headers.get("content-type")?.startsWith("text/html") ?? false;
  if (html && !(file.mimetype ?? "").includes("html"))
    throw new MediaProblem("The Slack app lacks the scope files:read: add it and reinstall the app");
}
