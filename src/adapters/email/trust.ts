/**
 * Whether the receiving server vouches for the sender: its Authentication-Results (RFC 8601) say that DMARC passed, or that
 * SPF or DKIM passed for the domain in From. Anyone can write From. Pure.
 */
import { domainOf } from "./ids.js";

export type Trust = "passed" | "failed" | "unchecked";

const MAX_HEADER = 10_000;

/** `results`: the values of the headers, topmost first. Only the topmost is the receiving server's. */
export function trustIn(results: readonly string[], from: string, authservId: string | null): Trust {
  const ours = results.find((value) => authservId === null || serverOf(value) === authservId);
  if (ours === undefined) return "unchecked";
  const checks = withoutComments(ours.slice(0, MAX_HEADER)).split(";").slice(1).map(readCheck);
  const domain = domainOf(from);
  const isPassed = checks.some(({ method, result, domains }) => {
    if (result !== "pass") return false;
    if (method === "dmarc") return domains.length === 0 || domains.some((one) => isAligned(one, domain));
    return (method === "spf" || method === "dkim") && domains.some((one) => isAligned(one, domain));
  });
  return isPassed ? "passed" : "failed";
}

/** `mx.example.org 1; …` */
function serverOf(value: string): string {
  return value.slice(0, MAX_HEADER).split(";", 1)[0]!.trim().split(/\s/, 1)[0]!.toLowerCase();
}

interface Check {
  method: string;
  result: string;
  /** Of header.from, header.d, header.i and smtp.mailfrom. */
  domains: string[];
}

function readCheck(text: string): Check {
  const words = text.trim().toLowerCase().split(/\s+/);
  const [method = "", result = ""] = (words[0] ?? "").split("=", 2);
  const domains = words.slice(1).flatMap((word) => {
    const [name = "", value = ""] = word.split("=", 2);
    if (!["header.from", "header.d", "header.i", "smtp.mailfrom", "smtp.from"].includes(name)) return [];
    return [domainOf(value.replaceAll('"', ""))];
  });
  return { method, result, domains };
}

/** The same domain, or one below the other. Public suffixes aren't known here, so siblings don't count. */
function isAligned(checked: string, from: string): boolean {
  return checked === from || (checked.includes(".") && from.endsWith(`.${checked}`));
}

/** `(a comment (in a comment))` may contain anything, also what looks like a result. */
function withoutComments(text: string): string {
  let depth = 0;
  let out = "";
  for (const char of text) {
    if (char === "(") depth += 1;
    else if (char === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) out += char;
  }
  return out;
}
