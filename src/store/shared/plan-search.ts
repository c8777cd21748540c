import { HermesError } from "../../errors.js";
import type { SearchPlan } from "../history.js";
import { CJK } from "./cjk.js";
import { countCjk, type Expression, hasTokens, parseExpression, sanitizeFtsQuery, termsOf } from "./query.js";

/** The shortest text that a trigram index holds on its own. */
export const TRIGRAM = 3;

/** Which index to use: words, trigrams, both, or a scan of the messages. */
export function planSearch(query: string, substring: boolean): { plan: SearchPlan; expression: Expression } {
  if (withoutNul(query) === "") {
    throw new HermesError("invalid", "There is nothing to search for.", {
      hint: 'Give a word, a "phrase", a prefix*, or words joined by AND, OR, NOT.',
    });
  }
  const match = sanitizeFtsQuery(query);
  const all = parseExpression(match, "and");
  if (substring || !all || !termsOf(all).some(hasTokens))
    return literally(query, match, substring ? all : undefined);
  if (!CJK.test(match)) return { plan: { query, match, path: "fts" }, expression: all };
  const terms = termsOf(all);
  const cjk = terms.filter((term) => CJK.test(term));
  if (cjk.some((term) => countCjk(term) < TRIGRAM)) {
    return { plan: { query, match, path: "like" }, expression: parseExpression(match, "or")! };
  }
  const path = cjk.length === countTerms(all) ? "trigram" : "mixed";
  return { plan: { query, match: path === "trigram" ? toMatch(all) : match, path }, expression: all };
}

/** Only symbols, or parts of words: not in any index. */
function literally(query: string, match: string, parsed: Expression | undefined) {
  const expression: Expression = parsed ?? { kind: "term", text: withoutNul(query), prefix: false };
  return { plan: { query, match, path: "like" as const }, expression };
}

/** FTS5 reads a query up to the first NUL. */
const withoutNul = (query: string) => query.replaceAll("\0", " ").trim();

function countTerms(expression: Expression): number {
  return expression.kind === "term" ? 1 : countTerms(expression.left) + countTerms(expression.right);
}

/** Every term as a phrase. On the trigram index that means: anywhere in the text. */
function toMatch(expression: Expression): string {
  if (expression.kind === "term") return phrase(expression.text);
  return `(${toMatch(expression.left)} ${expression.kind.toUpperCase()} ${toMatch(expression.right)})`;
}

export const phrase = (text: string) => `"${text.replaceAll('"', '""')}"`;
