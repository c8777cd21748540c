/** A terminal's text with its colours → a page that looks like a window. */

const COLOURS: Readonly<Record<string, string>> = {
  "31": "#f87171",
  "32": "#4ade80",
  "33": "#facc15",
  "34": "#60a5fa",
  "35": "#e879f9",
  "36": "#22d3ee",
  "90": "#8b949e",
};
const STYLES: Readonly<Record<string, string>> = {
  "1": "font-weight: 700",
  "2": "opacity: 0.65",
  "4": "text-decoration: underline",
  "7": "background: #e6edf3; color: #0d1117",
};
const ESCAPE = "\u001b[";

export function terminalPage(title: string, screen: string): string {
  return `<!doctype html><style>
body { margin: 0; background: transparent; }
main { display: inline-block; border-radius: 10px; overflow: hidden; background: #0d1117; color: #e6edf3; }
header { padding: 8px 14px; background: #21262d; color: #c9d1d9; font: 13px system-ui, sans-serif; text-align: center; }
pre { margin: 0; padding: 14px 16px; font: 14px/1.35 "DejaVu Sans Mono", monospace; }
</style><main><header>${escaped(title)}</header><pre>${spans(screen)}</pre></main>`;
}

/** Each sequence sets styles until the next one that ends them: `ESC[36m`, `ESC[0;2m`, `ESC[39m`. */
function spans(screen: string): string {
  const [first = "", ...rest] = screen.split(ESCAPE);
  let on: string[] = [];
  let page = escaped(first);
  for (const piece of rest) {
    const end = piece.indexOf("m");
    for (const code of piece.slice(0, end).split(";")) on = after(on, code === "" ? "0" : code);
    page += `<span style="${on.map(styleOf).join(";")}">${escaped(piece.slice(end + 1))}</span>`;
  }
  return page;
}

function after(on: readonly string[], code: string): string[] {
  if (code === "0") return [];
  if (code === "39") return on.filter((one) => COLOURS[one] === undefined);
  if (code === "22") return on.filter((one) => one !== "1" && one !== "2");
  if (code === "24") return on.filter((one) => one !== "4");
  if (code === "27") return on.filter((one) => one !== "7");
  return [...on.filter((one) => COLOURS[one] === undefined || COLOURS[code] === undefined), code];
}

function styleOf(code: string): string {
  return COLOURS[code] === undefined ? (STYLES[code] ?? "") : `color: ${COLOURS[code]}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
