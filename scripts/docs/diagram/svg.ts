/** A placed diagram as SVG. The file has its own colours, light and dark; on the site, the page's colours apply. */
import fs from "node:fs";
import path from "node:path";
import { escapeHtml } from "../escape.js";
import { parseDiagram } from "./parse.js";
import { LINE_HEIGHT, NOTE_CHAR_WIDTH, type Placed, type PlacedArrow, place } from "./place.js";

const STYLE = `<style>
svg{font-family:system-ui,sans-serif}
.box{fill:#f6f5f2;stroke:#898c92}.disk{fill:#e0efec;stroke:#0f6b5f}.plain{fill:none;stroke:none}
.line{fill:none;stroke:#5c6067}.head{fill:#5c6067}text{fill:#1f2226}.note{fill:#5c6067}.behind{fill:#fff}
@media(prefers-color-scheme:dark){.box{fill:#282b2f;stroke:#71757b}.disk{fill:#1d3733;stroke:#62c9b6}
.line{stroke:#a6aab0}.head{fill:#a6aab0}text{fill:#ebe9e6}.note{fill:#a6aab0}.behind{fill:#0d1117}}
</style>
`;

/** `docs/diagrams/turn.txt` → the text of `turn.svg`. */
export function diagramSvg(source: string, name: string): string {
  const diagram = parseDiagram(source);
  const { width, height, boxes, arrows } = place(diagram);
  const size = `${round(width)} ${round(height)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" role="img" aria-labelledby="${name}-title" font-size="13">
<title id="${name}-title">${escapeHtml(diagram.title)}</title>
${STYLE}<defs><marker id="${name}-head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>
${arrows.map((arrow) => lineSvg(arrow, name)).join("\n")}
${boxes.map(boxSvg).join("\n")}
${arrows.flatMap(labelSvg).join("\n")}
</svg>
`;
}

/** The drawing for a page of the site; undefined if the picture isn't a diagram. */
export function inlineDiagram(root: string, file: string): string | undefined {
  if (!/^docs\/diagrams\/[\w-]+\.svg$/.test(file)) return undefined;
  return fs.readFileSync(path.join(root, file), "utf8").replace(STYLE, "");
}

function lineSvg({ points, dashed }: PlacedArrow, name: string): string {
  const at = points.map(([x, y]) => `${round(x)} ${round(y)}`).join(" L");
  const dashes = dashed ? ' stroke-dasharray="5 4"' : "";
  return `<path class="line" d="M${at}" marker-end="url(#${name}-head)"${dashes}/>`;
}

function boxSvg({ x, y, width, height, kind, lines }: Placed): string {
  const middle = round(x + width / 2);
  const first = y + height / 2 - ((lines.length - 1) * LINE_HEIGHT) / 2 + 4.5;
  const texts = lines.map((line, i) => {
    const look = i === 0 ? ' font-weight="600"' : ' class="note"';
    return `<text x="${middle}" y="${round(first + i * LINE_HEIGHT)}" text-anchor="middle"${look}>${escapeHtml(line)}</text>`;
  });
  const shape = `<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="8"/>`;
  return shape + texts.join("");
}

function labelSvg({ label, labelAt: [x, y] }: PlacedArrow): string[] {
  if (label === "") return [];
  const width = label.length * NOTE_CHAR_WIDTH + 6;
  const behind = `<rect class="behind" x="${round(x - width / 2)}" y="${round(y - 11)}" width="${round(width)}" height="15"/>`;
  return [
    `${behind}<text class="note" x="${round(x)}" y="${round(y)}" font-size="12" text-anchor="middle">${escapeHtml(label)}</text>`,
  ];
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
