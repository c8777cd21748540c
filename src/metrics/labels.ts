/** A label's values, kept few: models and tools have names that others choose, and each is a series of its own. */
export function boundedLabel(most = 50): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (!known.has(value) && known.size >= most) return "other";
    known.add(value);
    return value;
  };
}
