/** The text of a mail without quoted history and signature. Pure; every step looks at each line once. */

export interface OwnWords {
  text: string;
  /** What the mail quotes below, without the marks. */
  quoted: string | undefined;
}

const MAX_LINES = 5000;
const MAX_INTRO = 300;

export function ownWords(body: string): OwnWords {
  const lines = body.replace(/\r\n?/g, "\n").split("\n").slice(0, MAX_LINES);
  const cut = historyStart(lines);
  const own = withoutSignature(lines.slice(0, cut)).join("\n").trim();
  const quoted = lines
    .slice(cut)
    .flatMap((line) => (line.startsWith(">") ? [line.replace(/^>{1,20} ?/, "")] : []))
    .join("\n")
    .trim();
  // Nothing but a quote: better than an empty message.
  if (own === "" && cut === 0) return { text: lines.join("\n").trim(), quoted: undefined };
  return { text: own, quoted: quoted === "" ? undefined : quoted };
}

/** Where the history begins: at a separator line, or at quoted lines up to the end. */
function historyStart(lines: readonly string[]): number {
  const divider = lines.findIndex((line, i) => isDivider(line, lines[i + 1] ?? "", lines[i + 2] ?? ""));
  const end = divider < 0 ? lines.length : divider;
  let at = end;
  while (at > 0 && (lines[at - 1]!.startsWith(">") || lines[at - 1]!.trim() === "")) at -= 1;
  const hasQuote = lines.slice(at, end).some((line) => line.startsWith(">"));
  if (!hasQuote) return end;
  return at - introLines(lines, at);
}

/** `On …, Ann wrote:`, which clients wrap over up to two lines. */
function introLines(lines: readonly string[], at: number): number {
  if (isIntro(lines[at - 1] ?? "")) return 1;
  return at >= 2 && isIntro(`${lines[at - 2]} ${lines[at - 1]}`) ? 2 : 0;
}

function isIntro(line: string): boolean {
  const text = line.trim();
  if (text.length > MAX_INTRO || !text.endsWith(":")) return false;
  return (
    /^(?:on|am|le|el|il|op|em|den|dnia)\s/i.test(text) &&
    /(?:wrote|schrieb|écrit|escribió|scritto|schreef|escreveu|skrev|napisał)/i.test(text)
  );
}

function isDivider(line: string, next: string, afterNext: string): boolean {
  const text = line.trim();
  if (text.length > MAX_INTRO) return false;
  if (
    /^-{3,10} ?(?:original message|ursprüngliche nachricht|message d'origine|forwarded message) ?-{3,10}$/i.test(
      text,
    )
  )
    return true;
  const isRule = /^_{10,100}$/.test(text);
  const head = isRule ? next : text;
  const below = isRule ? afterNext : next;
  return (
    /^\*?(?:from|von|de|da):\*? /i.test(head.trim()) &&
    /^\*?(?:sent|gesendet|date|datum|envoyé|enviado|inviato):\*? /i.test(below.trim())
  );
}

function withoutSignature(lines: readonly string[]): readonly string[] {
  const mark = lines.findIndex((line) => line === "-- " || line === "--");
  const kept = mark < 0 ? [...lines] : lines.slice(0, mark);
  let last = kept.length - 1;
  while (last >= 0 && kept[last]!.trim() === "") last -= 1;
  const isPhone =
    last > 0 && /^(?:sent from my|von meinem|get outlook for|envoyé de mon)\b/i.test(kept[last]!.trim());
  return isPhone ? kept.slice(0, last) : kept;
}
