/** Bounds the values of a label: model and tool names come from outside, and each is a series. */
export function boundedLabel(most = 50): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (!known.has(value) && known.size >= most) return "other";
    known.add(value);
    return value;
  };
}
