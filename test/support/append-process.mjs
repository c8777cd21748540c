import { openStore } from "../../dist/store/sqlite/index.js";

/**
 * `append-process.mjs FILE {sessions, perSession, callers, name}`: opens, says `ready`, waits for a line, appends with
 * several callers at once, prints how it went as one line of JSON.
 */
const [, , file, json] = process.argv;
const { sessions, perSession, callers = 1, name } = JSON.parse(json);
const store = await openStore({ path: file, foreign: "adopt" });
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
process.stdin.pause();

const errors = [];

async function call(session, caller) {
  for (let i = 0; i < perSession; i += 1) {
    const message = { role: "user", content: `${name}:${session}:${caller}:${i}` };
    await store.appendMessages(session, [message]).catch((error) => errors.push(error.message));
  }
}
await Promise.all(sessions.flatMap((id) => Array.from({ length: callers }, (_, caller) => call(id, caller))));
await store.close();
process.stdout.write(`${JSON.stringify({ errors })}\n`);
