const OF_CHAT = /^(?:-[cr]|--(?:continue|resume)(?:=.*)?)$/s;

/** `hermes -c` means `hermes chat -c`; --home may come first. */
export function chatByFlag(words: readonly string[]): string[] {
  const first = words[0] === "--home" ? 2 : words[0]?.startsWith("--home=") ? 1 : 0;
  return OF_CHAT.test(words[first] ?? "") ? words.toSpliced(first, 0, "chat") : [...words];
}
