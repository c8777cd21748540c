/** How columns share a width. Pure. */

export interface Flexible {
  /** Its longest text. */
  natural: number;
  /** Doesn't shrink below this while another column can shrink. */
  min: number;
}

/** The narrowest useful column, with an ellipsis. */
const LEAST = 4;

/**
 * All get what they need if there is room. Else the widest shrink first, down to their minimum; if that isn't enough
 * because an id is longer than anyone expected, every column shrinks.
 */
export function shareWidth(columns: readonly Flexible[], total: number): number[] {
  const least = columns.map(({ natural }) => Math.min(natural, LEAST));
  const mins = columns.map(({ min }) => min);
  return level(columns, sum(mins) <= total ? mins : least, total);
}

/** Every column gets the same, but not more than it needs nor less than its minimum. */
function level(columns: readonly Flexible[], mins: readonly number[], total: number): number[] {
  const at = (height: number) =>
    columns.map(({ natural }, index) => Math.min(natural, Math.max(mins[index]!, height)));
  let height = Math.max(0, ...columns.map(({ natural }) => Math.min(natural, total)));
  while (height > 0 && sum(at(height)) > total) height -= 1;
  // What the last step took too much goes to the columns from the left.
  const widths = at(height);
  let left = total - sum(widths);
  return widths.map((width, index) => {
    const more = left > 0 && width < columns[index]!.natural ? 1 : 0;
    left -= more;
    return width + more;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
