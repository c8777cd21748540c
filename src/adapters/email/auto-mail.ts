/** Mail that no person wrote: an answer to it would start a loop, or bother a list. Pure. */
import { isOwnMessageId } from "./ids.js";

export interface Headers {
  /** The first value of a header, by its name in lower case. */
  first(name: string): string | undefined;
}

const NO_PERSON =
  /^(?:no-?reply|do-?not-?reply|mailer-daemon|postmaster|bounces?|notifications?|listserv)(?:[+.-]|$)/;

/** Why it gets no answer; undefined if a person may have written it. */
export function automatic(headers: Headers, from: string, own: string): string | undefined {
  const value = (name: string) => headers.first(name)?.trim().toLowerCase();
  if (from === own) return "it is from this address itself";
  if (isOwnMessageId(headers.first("message-id")?.trim())) return "it is one of our own mails";
  if (NO_PERSON.test(from.slice(0, from.lastIndexOf("@")))) return "its sender takes no answers";
  const submitted = value("auto-submitted");
  if (submitted !== undefined && !/^no\b/.test(submitted)) return "it is an automatic reply";
  if (/^(?:bulk|list|junk|auto_reply)\b/.test(value("precedence") ?? "")) return "it is bulk mail";
  if (value("return-path") === "<>") return "it is a bounce";
  for (const name of [
    "list-id",
    "list-unsubscribe",
    "list-post",
    "x-auto-response-suppress",
    "x-autoreply",
    "x-loop",
  ])
    if (value(name) !== undefined) return "it is from a list or a program";
  return undefined;
}
