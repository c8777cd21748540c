/**
 * For `node --import`: the process lives at another time, in all its threads. The file that SHIFTED_CLOCK names holds
 * how far away, in milliseconds; writing it moves the clock. What is to happen every minute or more rarely
 * happens by that clock, as on a machine that slept.
 */
import fs from "node:fs";

const REAL = Date;
const LOOK_MS = 20;
const LONG_MS = 60_000;
const file = fs.openSync(process.env.SHIFTED_CLOCK, "r");
const bytes = Buffer.alloc(8);

function now() {
  fs.readSync(file, bytes, 0, 8, 0);
  return REAL.now() + bytes.readDoubleLE(0);
}

globalThis.Date = new Proxy(REAL, {
  construct: (target, args, self) => Reflect.construct(target, args.length > 0 ? args : [now()], self),
  apply: () => new REAL(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});

const everyReal = globalThis.setInterval;

globalThis.setInterval = (action, ms, ...args) => {
  if (!(ms >= LONG_MS)) return everyReal(action, ms, ...args);
  let dueAt = now() + ms;
  return everyReal(() => {
    if (now() < dueAt) return;
    dueAt = now() + ms;
    action(...args);
  }, LOOK_MS);
};
