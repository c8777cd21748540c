/** How carriers count an SMS: GSM-7 where every character is in its alphabet, else UCS-2 for the whole message. Pure. */

export interface Segments {
  encoding: "GSM-7" | "UCS-2";
  /** Septets, or UTF-16 units. */
  units: number;
  segments: number;
}

const BASIC = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** Two septets each. */
const EXTENDED = new Set("\f^{}\\[~]|€");

const CAPACITY = { "GSM-7": { single: 160, each: 153 }, "UCS-2": { single: 70, each: 67 } } as const;

export function segmentsOf(text: string): Segments {
  const septets = septetsOf(text);
  const encoding = septets === undefined ? "UCS-2" : "GSM-7";
  const units = septets ?? text.length;
  const { single, each } = CAPACITY[encoding];
  return { encoding, units, segments: units <= single ? 1 : Math.ceil(units / each) };
}

/** How many units a message of so many segments has. */
export function capacityOf(encoding: Segments["encoding"], segments: number): number {
  const { single, each } = CAPACITY[encoding];
  return segments === 1 ? single : segments * each;
}

/** What a piece of text counts, whichever encoding the rest of its message has. */
export function unitsOf(text: string): number {
  return septetsOf(text) ?? text.length;
}

/** Undefined if a character isn't in the alphabet. */
function septetsOf(text: string): number | undefined {
  let septets = 0;
  for (const char of text) {
    if (BASIC.has(char)) septets += 1;
    else if (EXTENDED.has(char)) septets += 2;
    else return undefined;
  }
  return septets;
}

const FOLDED: Readonly<Record<string, string>> = {
  "‘": "'",
  "’": "'",
  "‚": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "–": "-",
  "—": "-",
  "‑": "-",
  "−": "-",
  "…": "...",
  "•": "-",
  "\u00a0": " ",
  "\u202f": " ",
  "\u200b": "",
  "`": "'",
  "\t": " ",
};

/** One typographic quote would more than double the number of segments. */
export function foldTypography(text: string): string {
  return text.replace(/[‘’‚“”„–—‑−…•\u00a0\u202f\u200b`\t]/g, (char) => FOLDED[char] ?? char);
}
