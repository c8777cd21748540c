import { openStore } from "../../dist/store/sqlite/index.js";

/**
 * `store-process.mjs FILE VERB JSON-ARGS`: opens the store, says so, runs the verb, prints its result as one line of
 * JSON. Verb `none` only opens, `hold` keeps it open until the input ends, `appends` takes turns with other writes.
 */
const [, , file, verb, json] = process.argv;
const say = (word, value) =>
  process.stdout.write(`${word}${value === undefined ? "" : ` ${JSON.stringify(value)}`}\n`);
const tell = (progress) => say("progress", progress);

async function run(store) {
  const args = JSON.parse(json ?? "[]");
  if (verb === "none") return null;
  if (verb === "hold") return new Promise((resolve) => process.stdin.on("end", () => resolve(null)).resume());
  const owner = verb in store.maintenance ? store.maintenance : store;
  return owner[verb](...args, tell);
}

try {
  const store = await openStore({ path: file, onProgress: tell, foreign: "adopt" });
  say("opened");
  const result = await run(store);
  await store.close();
  say("result");
  say(JSON.stringify(result ?? null));
} catch (error) {
  say(
    JSON.stringify({
      error: { name: error.name, code: error.code, message: error.message, hint: error.hint },
    }),
  );
}
