import { randomUUID } from "node:crypto";

const MAX_COUNT = 0xfff;

/**
 * Makes UUIDs of version 7: each begins with the time and is greater than the one before. An index keeps new ids next to
 * each other, so a commit writes a few of its pages; random ids would dirty a page each.
 */
export function orderedIds(): (now?: number) => string {
  let time = 0;
  let count = 0;
  return (now = Date.now()) => {
    // The clock may stand still or go back.
    if (now > time) [time, count] = [now, 0];
    else if (++count > MAX_COUNT) [time, count] = [time + 1, 0];
    const digits = time.toString(16).padStart(12, "0");
    const random = randomUUID().slice("xxxxxxxx-xxxx-xxxx".length);
    return `${digits.slice(0, 8)}-${digits.slice(8)}-7${count.toString(16).padStart(3, "0")}${random}`;
  };
}

export const orderedId = orderedIds();
