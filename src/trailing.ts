/** Removes these characters from the end. `/[…]+$/` would be quadratic, because it restarts at every run. */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
