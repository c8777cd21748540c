const CJK_RANGES: readonly (readonly [number, number])[] = [
  [0x3000, 0x303f],
  [0x3040, 0x309f],
  [0x30a0, 0x30ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7af],
  [0x20000, 0x2a6df],
];
/** The characters of Chinese, Japanese and Korean, for use inside a character class. */
export const CJK_CLASS = CJK_RANGES.map(
  ([from, to]) => `${String.fromCodePoint(from)}-${String.fromCodePoint(to)}`,
).join("");

export const CJK = new RegExp(`[${CJK_CLASS}]`, "u");
