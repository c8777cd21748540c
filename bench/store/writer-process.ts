import { makeGroup } from "../corpus.js";
import { openStore } from "../engine.js";

export interface WriterReport {
  worstMs: number;
  errors: number;
}

/** `writer-process <file> <number> <appends>`: opens, says so, waits for "go", appends one by one, reports. */
const [file, number, appends] = process.argv.slice(2) as [string, string, string];
const store = await openStore({ path: file });
const { lines } = makeGroup(900_000 + Number(number), 900_000);
const { id } = await store.createSession({ source: `writer-${number}` });
process.once("disconnect", () => process.exit());
process.send!("ready");
await new Promise((resolve) => process.once("message", resolve));

const report: WriterReport = { worstMs: 0, errors: 0 };
for (let i = 0; i < Number(appends); i += 1) {
  const started = performance.now();
  try {
    await store.appendMessages(id, [{ ...lines[i % lines.length]!.message, timestamp: Date.now() / 1000 }]);
  } catch (error) {
    report.errors += 1;
    console.error(error);
  }
  report.worstMs = Math.max(report.worstMs, performance.now() - started);
}
await store.close();
process.send!(report, () => process.exit());
