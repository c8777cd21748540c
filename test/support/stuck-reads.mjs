import { once } from "node:events";
import { exitDespiteReads } from "../../dist/cli/exits.js";
import { openStore } from "../../dist/store/sqlite/index.js";

/**
 * `stuck-reads.mjs FILE JSON-STEPS`: opens the store, says so and waits for a line of input. Then calls verbs, those of one
 * step at the same time, and prints each outcome as a line of JSON when it is there. At last writes a message, closes the store and ends as `hermes` does.
 */
const [, , file, json] = process.argv;
exitDespiteReads();
const store = await openStore({ path: file, limits: { shortMs: 4000, longMs: 4000 } });
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const call = ([verb, ...args]) =>
  (store.reports[verb] ?? store[verb])(...args).then(
    (value) => say({ verb, value }),
    ({ code, message }) => say({ verb, code, message }),
  );

say("opened");
await once(process.stdin, "data");
process.stdin.destroy();
for (const step of JSON.parse(json)) await Promise.all(step.map(call));
await store.appendMessages("s", [{ role: "user", content: "kept" }]);
await store.close();
say("closed");
