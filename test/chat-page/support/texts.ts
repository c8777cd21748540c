/** What a hostile page, model or person could write. */
export const HOSTILE = [
  "<script>window.hacked = 1</script>",
  "<img src=x onerror=window.hacked=1>",
  "<svg onload=window.hacked=1><a xlink:href='javascript:window.hacked=1'><text>x</text></a></svg>",
  "[a](javascript:window.hacked=1) [b](data:text/html,<script>window.hacked=1</script>)",
  "[c](vbscript:x) [d](JaVaScRiPt:window.hacked=1) [e](&#106;avascript:window.hacked=1)",
  "![x](https://evil.example/pixel.png) ![y](javascript:window.hacked=1) ![z](//evil.example/p.png)",
  '<a href="javascript:window.hacked=1">a</a> <iframe srcdoc="<script>parent.hacked=1</script>"></iframe>',
  "`</code><svg onload=window.hacked=1>`",
  "```html\n</pre><script>window.hacked = 1</script>\n```",
  '```"onmouseover="window.hacked=1\nx\n```',
  "| <img src=x onerror=window.hacked=1> | b |\n|---|---|\n| <svg onload=window.hacked=1> | d |",
  '[a](https://example.com/"onmouseover="window.hacked=1 "t"onclick="window.hacked=1")',
  "$\\href{javascript:window.hacked=1}{x}$ $$\\htmlData{x=y}{z} \\includegraphics{https://evil.example/p.png}$$",
  "<math><mtext><table><mglyph><style><img src=x onerror=window.hacked=1></style></mglyph></table></mtext></math>",
  '<details open ontoggle=window.hacked=1><summary>x</summary></details> <p style="position:fixed">y</p>',
  '[^a"onclick="window.hacked=1]: note [^1]\n\n[^1]: <img src=x onerror=window.hacked=1>',
  "<form action=https://evil.example><button>x</button></form><input autofocus onfocus=window.hacked=1>",
];

/** Everything that an answer can look like. */
export const MARKDOWN = `# Everything at once

A paragraph with **bold**, \`code\`, a [link](https://example.com/a_(b)) and maths $e^{i\\pi}$.[^1] It costs $5 and $10.

- one
- [x] done
- [ ] open

> Quoted

\`\`\`ts
const a = "<b>"; // a rather long comment that makes this line of code wider than a small screen has room for
\`\`\`

| Thing | Price | Note |
|:------|------:|------|
| Tea \\| green | 3 | a long text in the last column, which makes the table wide |
| Coffee | 4 | black |

$$\\int_0^\\infty e^{-x^2}\\,dx = \\frac{\\sqrt{\\pi}}{2}$$

[^1]: Euler.
`;
