import type { NewMessage } from "../../src/session.js";
import { makeGroup } from "../corpus.js";
import { openStore } from "../engine.js";
import { Plain } from "../plain.js";

export interface WriterReport {
  worstMs: number;
  errors: number;
}

export type WriterKind = "ours" | "plain";

interface Writer {
  append(message: NewMessage): unknown;
  close(): unknown;
}

/** `writer-process <kind> <file> <number> <appends>`: opens, reports ready, waits for "go", appends one by one, reports. */
const [kind, file, number, appends] = process.argv.slice(2) as [WriterKind, string, string, string];
const { lines } = makeGroup(900_000 + Number(number), 900_000);
const writer = await (kind === "ours" ? openOurs() : openPlain());
process.once("disconnect", () => process.exit());
process.send!("ready");
await new Promise((resolve) => process.once("message", resolve));

const report: WriterReport = { worstMs: 0, errors: 0 };
for (let i = 0; i < Number(appends); i += 1) {
  const started = performance.now();
  try {
    await writer.append({ ...lines[i % lines.length]!.message, timestamp: Date.now() / 1000 });
  } catch (error) {
    report.errors += 1;
    console.error(error);
  }
  report.worstMs = Math.max(report.worstMs, performance.now() - started);
}
process.send!(report);
await writer.close();
process.exit();

async function openOurs(): Promise<Writer> {
  const store = await openStore({ path: file, foreign: "adopt" });
  const { id } = await store.createSession({ source: `writer-${number}` });
  return { append: (message) => store.appendMessages(id, [message]), close: () => store.close() };
}

function openPlain(): Writer {
  const plain = Plain.open(file);
  const session = {
    id: `writer_${number}_${process.pid}`,
    source: "cli",
    user_id: "user_1",
    model: "none",
    title: `writer ${number} ${process.pid}`,
    started_at: Date.now() / 1000,
  };
  plain.fill([session], []);
  return {
    append: (message) => plain.append([{ session: session.id, message }]),
    close: () => plain.close(),
  };
}
