import { HermesError } from "../../errors.js";
import { CJK } from "./cjk.js";

/**
 * A typed query → FTS5 syntax. The first six steps are Hermes' own, so that the same query means the same
 * to every process; the last two fix what FTS5 would reject: they quote bare punctuation and drop operators
 * without an operand. Every step is linear in the query's length.
 */

const MAX_QUERY_CHARS = 2000;
const MAX_TERMS = 64;
const OPERATORS = new Set(["AND", "OR", "NOT"]);

/** Words joined by dots and dashes. `[\p{L}\p{N}_]` is Python's `\w`: no combining marks. */
const CHAIN = /[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu;

export function sanitizeFtsQuery(raw: string): string {
  requireReasonable(raw.length, 0);
  const quoted: string[] = [];
  let query = raw.replace(/"[^"]*"/g, (part) => `\0Q${quoted.push(part) - 1}\0`);
  query = query.replace(/[+{}():"^]/g, " ");
  query = query.replace(/\*+/g, "*").replace(/(^|\s)\*/gu, "$1");
  query = query.trim().replace(/^(?:AND|OR|NOT)(?![\p{L}\p{N}_])\s*/iu, "");
  query = query.trim().replace(/\s(?:AND|OR|NOT)$/iu, "");
  query = query.replace(CHAIN, (chain) => (isJoined(chain) ? `"${chain}"` : chain));
  query = query.replace(/\0Q(\d+)\0/g, (mark, index) => quoted[Number(index)] ?? mark);
  return mend(query.trim());
}

/** `a.b`, `a-b` and `a_b` are searched as phrases; an underscore at either end joins nothing. */
function isJoined(chain: string): boolean {
  return /[.-]/.test(chain) || chain.slice(1, -1).includes("_");
}

/** Leaves everything that FTS5 accepts unchanged. */
function mend(query: string): string {
  const tokens = tokenize(query);
  if (tokens.every(isSound) && operatorsAreSound(tokens) && !ODD_SPACE.test(query)) return query;
  return joinOperands(tokens.map(quoteIfNeeded).filter((token) => token !== '""'));
}

/** We treat these as white space; to FTS5 they are syntax errors. */
const ODD_SPACE = /[\v\f]/;

/** Quoted phrases (with a prefix star) and runs of anything else between white space. */
function tokenize(query: string): string[] {
  return query.match(/"[^"]*"\*?|[^\s"]+/gu) ?? [];
}

const isOperator = (token: string | undefined) => token !== undefined && OPERATORS.has(token);
const isQuoted = (token: string) => token.startsWith('"');

/** FTS5's barewords: ASCII letters and digits, the underscore, everything beyond ASCII. A star may follow each. */
const BAREWORDS = /^[A-Za-z0-9_\u{80}-\u{10ffff}]+(?:\*[A-Za-z0-9_\u{80}-\u{10ffff}]+)*\*?$/u;

function isSound(token: string): boolean {
  if (isQuoted(token)) return !token.includes("\0");
  // FTS5 ends a word at a star: to it, `AND*` is the operator and a stray star.
  return BAREWORDS.test(token) && (isOperator(token) || !token.split("*").some(isOperator));
}

function quoteIfNeeded(token: string): string {
  if (isSound(token)) return token;
  const star = token.endsWith("*") ? "*" : "";
  const text = token.replaceAll("\0", " ").replaceAll('"', "").replaceAll("*", " ").trim();
  return hasTokens(text) ? `"${text}"${star}` : '""';
}

function operatorsAreSound(tokens: readonly string[]): boolean {
  return tokens.every(
    (token, i) => !isOperator(token) || (i > 0 && i < tokens.length - 1 && !isOperator(tokens[i - 1])),
  );
}

/** `a AND AND b` → `a AND b`; `a AND NOT b` → `a NOT b`; operators at either end go. */
function joinOperands(tokens: readonly string[]): string {
  const out: string[] = [];
  for (const token of tokens) {
    if (!isOperator(token)) out.push(token);
    else if (isOperator(out.at(-1))) out.push(stronger(out.pop()!, token));
    else if (out.length > 0) out.push(token);
  }
  if (isOperator(out.at(-1))) out.pop();
  return out.join(" ");
}

function stronger(first: string, second: string): string {
  if (new Set([first, second]).has("OR") && new Set([first, second]).has("NOT")) {
    throw new HermesError("invalid", "`OR NOT` can't be searched for: it would match almost everything.", {
      hint: "NOT excludes from the term before it: `docker NOT kubernetes`.",
    });
  }
  return first === "NOT" || second === "NOT" ? "NOT" : second;
}

// ── the parsed query ────────────────────────────────────────────────────────────────────────────────────────

export type Expression =
  | { kind: "term"; text: string; prefix: boolean }
  | { kind: "and" | "or" | "not"; left: Expression; right: Expression };

/**
 * FTS5's own grammar: neighbours belong together first (`unwritten` says how), then NOT, then AND, then OR.
 * Undefined where nothing but operators is left.
 */
export function parseExpression(clean: string, unwritten: "and" | "or"): Expression | undefined {
  const tokens = tokenize(clean);
  requireReasonable(clean.length, tokens.length);
  const ors: Expression[][] = [[]];
  let operator = "OR";
  for (const run of runs(tokens)) {
    if (typeof run === "string") {
      operator = run;
      continue;
    }
    const operand = fold(unwritten, run.map(toTerm));
    const ands = operator === "OR" ? [] : ors.pop()!;
    const last = ands.pop();
    if (last === undefined) ors.push([operand]);
    else if (operator === "NOT") ors.push([...ands, { kind: "not", left: last, right: operand }]);
    else ors.push([...ands, last, operand]);
  }
  const groups = ors.filter((ands) => ands.length > 0).map((ands) => fold("and", ands));
  return groups.length === 0 ? undefined : fold("or", groups);
}

function requireReasonable(chars: number, tokens: number): void {
  if (chars <= MAX_QUERY_CHARS && tokens <= MAX_TERMS) return;
  throw new HermesError("invalid", "The query is too long.", {
    hint: `Use at most ${MAX_TERMS} words and ${MAX_QUERY_CHARS} characters.`,
  });
}

/** Neighbouring operands as lists, operators as words. */
function runs(tokens: readonly string[]): (string | string[])[] {
  const out: (string | string[])[] = [];
  for (const token of tokens) {
    const last = out.at(-1);
    if (isOperator(token)) out.push(token);
    else if (Array.isArray(last)) last.push(token);
    else out.push([token]);
  }
  return out;
}

function fold(kind: "and" | "or", parts: readonly Expression[]): Expression {
  return parts.reduce((left, right) => ({ kind, left, right }));
}

function toTerm(token: string): Expression {
  const prefix = token.endsWith("*");
  const bare = prefix ? token.slice(0, -1) : token;
  return { kind: "term", text: isQuoted(bare) ? bare.slice(1, -1) : bare, prefix };
}

export function termsOf(expression: Expression): string[] {
  if (expression.kind === "term") return [expression.text];
  if (expression.kind === "not") return termsOf(expression.left);
  return [...termsOf(expression.left), ...termsOf(expression.right)];
}

export function countCjk(text: string): number {
  return Array.from(text).filter((char) => CJK.test(char)).length;
}

/** Something that the word index can find: unicode61 makes tokens of letters, numbers and private characters. */
export function hasTokens(text: string): boolean {
  return /[\p{L}\p{N}\p{Co}]/u.test(text);
}
