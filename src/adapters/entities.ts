const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Markdown may hold HTML's entities; a chat shows what they stand for. */
export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, name, dec, hex) => {
      if (name) return NAMED[name.toLowerCase()] ?? whole;
      const point = dec ? Number(dec) : Number.parseInt(hex, 16);
      const valid = point > 31 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
      return valid ? String.fromCodePoint(point) : whole;
    },
  );
}
