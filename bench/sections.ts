import fs from "node:fs";

/** Keeps one section of a page of results, and leaves the others. A section begins with its title: a line with `#`. */
export function keepSection(file: URL, section: string): void {
  const now = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  fs.writeFileSync(file, withSection(now, section));
}

function withSection(page: string, section: string): string {
  const [title] = section.split("\n", 1);
  const sections = page.split(/^(?=##? )/m).filter((text) => text.trim() !== "");
  const at = sections.findIndex((text) => text.startsWith(`${title}\n`));
  if (at === -1) sections.push(section);
  else sections[at] = section;
  return sections.map((text) => `${text.trimEnd()}\n`).join("\n");
}
