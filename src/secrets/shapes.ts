/**
 * Removes secrets from text written by people, models and tools. Linear in the text's length: no pattern
 * rescans the same characters from a later start.
 */

const REDACTED = "[REDACTED]";

/** Also matches a truncated key. */
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

const SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer\s+)(?:(?=\S*\d)[\w.~+/=-]{8,}|[\w.~+/=-]{16,})/gi, `$1${REDACTED}`],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{12,}/g, REDACTED],
  [
    /\b(?:gh[opsur]_|github_pat_|glpat-|xox[a-z]-|xapp-|hf_|npm_|AKIA|ASIA|AIza)[A-Za-z0-9_-]{10,}/g,
    REDACTED,
  ],
  [/\b\d{8,10}:[A-Za-z0-9_-]{30,}/g, REDACTED],
  [/(:\/\/[^\s:/@]+:)[^\s@/]+@/g, `$1${REDACTED}@`],
  // `OPENAI_API_KEY=…`, `"token": "…"`: any name that ends in one of these words.
  [
    /((?:^|[^A-Za-z0-9])(?:api[_-]?key|token|secret|passw(?:or)?d)["']?\s*[:=]\s*["']?)[^\s"',;}[]{6,}/gi,
    `$1${REDACTED}`,
  ],
];

function redactShapes(text: string): string {
  let clean = redactDotted(redactAuthorization(text), REDACTED);
  for (const [shape, replacement] of SHAPES) clean = clean.replace(shape, replacement);
  return clean;
}

// --- ends of a long text ------------------------------------------------------------------------------------------

/** Longer than any secret but a private key. */
const MARGIN_CHARS = 8192;

/**
 * The text without secrets; for a long text only its start and end, so the dropped middle costs nothing.
 * Scans a margin beyond the cut to recognise a secret that crosses it. The margin itself is never returned:
 * it may contain half a secret.
 */
export function redactEnds(text: string, startChars: number, endChars: number): string | [string, string] {
  const safe = text.replace(PRIVATE_KEY, REDACTED);
  if (safe.length <= startChars + endChars + 2 * MARGIN_CHARS) return redactShapes(safe);
  const start = redactShapes(safe.slice(0, startChars + MARGIN_CHARS));
  const end = redactShapes(safe.slice(-(endChars + MARGIN_CHARS)));
  return [
    start.slice(0, shownOf(start.length, startChars)),
    end.slice(end.length - shownOf(end.length, endChars)),
  ];
}

function shownOf(length: number, chars: number): number {
  return Math.max(0, Math.min(chars, length - MARGIN_CHARS));
}

// --- headers -----------------------------------------------------------------------------------------------------

const AUTHORIZATION = /(Authorization["']?\s*[:=]\s*["']?)([A-Za-z]+\s+)?([^\s"',;]+)/gi;
const MIN_VALUE = 6;

/** `Authorization: <scheme> <secret>`, or the secret alone. */
function redactAuthorization(text: string): string {
  return text.replace(AUTHORIZATION, (whole, lead: string, scheme: string | undefined, value: string) => {
    if (value.length >= MIN_VALUE) return `${lead}${scheme ?? ""}${REDACTED}`;
    const word = scheme?.trimEnd() ?? "";
    return word.length >= MIN_VALUE ? `${lead}${REDACTED}${scheme!.slice(word.length)}${value}` : whole;
  });
}

// --- tokens with dots ---------------------------------------------------------------------------------------------

/** Words with their dots. Matches every word, so none is scanned twice. */
const DOTTED = /[\w-]+(?:\.[\w-]*)*/g;

/** JSON web tokens and bot tokens: three parts with dots between them. */
export function redactDotted(text: string, replacement: string): string {
  return text.replace(DOTTED, (word) =>
    word.includes(".") ? redactParts(word.split("."), replacement) : word,
  );
}

function redactParts(parts: readonly string[], replacement: string): string {
  const kept: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const from = tokenStart(parts[i]!, parts[i + 1], parts[i + 2]);
    if (from === -1) {
      kept.push(parts[i]!);
    } else {
      kept.push(parts[i]!.slice(0, from) + replacement);
      i += 2;
    }
  }
  return kept.join(".");
}

/** Where the token starts in the first part: other text may precede it, separated by a dash. */
function tokenStart(first: string, second: string | undefined, third: string | undefined): number {
  if (second === undefined || third === undefined) return -1;
  if (second.length >= 8) return jwtStart(first);
  return second.length === 6 && third.length >= 25 ? botTokenStart(first) : -1;
}

function jwtStart(first: string): number {
  const at = first.startsWith("eyJ") ? 0 : first.indexOf("-eyJ") + 1;
  return (at > 0 || first.startsWith("eyJ")) && first.length - at >= 11 ? at : -1;
}

function botTokenStart(first: string): number {
  for (let at = Math.max(0, first.length - 28); at <= first.length - 23; at++) {
    const before = at === 0 ? "-" : first[at - 1];
    if ((before === "-") !== (first[at] === "-")) return at;
  }
  return -1;
}
