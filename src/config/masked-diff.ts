/** What would change in the two files, without a single secret of them. */
import { isScalar, parseDocument, visit } from "yaml";
import { type DiffLine, diffLines } from "./diff-lines.js";
import type { ConfigTexts } from "./load.js";
import { isSecretPath, maskSecrets } from "./mask.js";

export interface FileDiff {
  file: string;
  lines: DiffLine[];
}

export function maskedDiff(before: ConfigTexts, after: ConfigTexts): FileDiff[] {
  const files = [
    { file: "config.yaml", lines: diffLines(maskYaml(before.config), maskYaml(after.config)) },
    // Any variable may hold a secret, and so may a line that is commented out.
    { file: ".env", lines: diffLines(before.env, after.env).map(maskVariable) },
  ];
  return files.filter(({ lines }) => lines.length > 0);
}

function maskVariable({ sign, text }: DiffLine): DiffLine {
  const at = text.indexOf("=");
  if (at === -1) return { sign, text: /^\s*(#|$)/.test(text) ? text : "****" };
  // A line that isn't KEY=VALUE may be part of a secret of several lines.
  if (!/^[#\s]*(?:export\s+)?[A-Za-z_]\w*\s*$/.test(text.slice(0, at))) return { sign, text: "****" };
  return { sign, text: `${text.slice(0, at)}=${text.slice(at + 1).trim() === "" ? "" : "****"}` };
}

/** The text with its secrets replaced in place; references to variables stay. */
function maskYaml(text: string): string {
  const document = parseDocument(text, { prettyErrors: false });
  const masks: { start: number; end: number; mask: string }[] = [];
  visit(document, {
    Scalar(key, node, ancestors) {
      const { value, range } = node;
      if (key === "key" || !range || value === null || /^\$\{\w+(?::-)?\}$/.test(String(value))) return;
      const path = ancestors.flatMap((one) =>
        one && typeof one === "object" && "key" in one && isScalar(one.key) ? [String(one.key.value)] : [],
      );
      const masked = maskSecrets(value, path);
      if (masked === value) return;
      const mask = isSecretPath(path) ? '"****"' : JSON.stringify(masked);
      const [start, end] = range;
      masks.push({ start, end, mask: text[end - 1] === "\n" ? `${mask}\n` : mask });
    },
  });
  return masks
    .toSorted((a, b) => b.start - a.start)
    .reduce((done, { start, end, mask }) => done.slice(0, start) + mask + done.slice(end), text);
}
