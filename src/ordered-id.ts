import { randomUUID } from "node:crypto";

let time = 0;
let count = 0;

/**
 * A UUID of version 7: it begins with the time, and each is greater than the one before. An index then keeps new ids next
 * to each other, so a commit writes a few of its pages; random ids dirty one page each.
 */
export function orderedId(now = Date.now()): string {
  // The clock may stand still or go back.
  if (now > time) [time, count] = [now, 0];
  else if (++count > 0xfff) [time, count] = [time + 1, 0];
  const digits = time.toString(16).padStart(12, "0");
  const random = randomUUID().slice("xxxxxxxx-xxxx-xxxx".length);
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7${count.toString(16).padStart(3, "0")}${random}`;
}
