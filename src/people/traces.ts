/** Verifies an erasure: searches the files' bytes for some of the person's own sentences. */
import { createReadStream } from "node:fs";
import type { HomePaths } from "../config/paths.js";
import type { ErasurePlan } from "../store/people.js";
import type { Store } from "../store/store.js";

const MAX_PROBES = 16;
const MIN_CHARS = 12;
const MAX_CHARS = 160;

export interface Trace {
  file: string;
  /** How many of the sentences were found. */
  probes: number;
}

/** Their longest messages, which others are least likely to have written too. The plan includes their rows. */
export async function probesFor(store: Store, plan: ErasurePlan): Promise<Buffer[]> {
  const texts = plan.rows!.inbox.map(({ message }) => (message as { text?: string }).text ?? "");
  for (const { id, written } of plan.shared) {
    const ids = written.slice(0, MAX_PROBES);
    const rows = await store.getMessages(id, { ids, includeUndone: true });
    texts.push(...rows.map(({ content }) => lastLine(content)));
  }
  for (const { id } of plan.own.slice(0, MAX_PROBES)) {
    const rows = await store.getMessages(id, { limit: MAX_PROBES });
    texts.push(...rows.filter(({ role }) => role === "user").map(({ content }) => lastLine(content)));
  }
  const long = [...new Set(texts.flatMap((text) => text.split("\n")))].filter(
    (text) => text.length >= MIN_CHARS,
  );
  return long
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_PROBES)
    .map((text) => Buffer.from(text.slice(0, MAX_CHARS)));
}

function lastLine(content: unknown): string {
  return typeof content === "string" ? (content.split("\n").at(-1) ?? "").replace(/^\[[^\]]*\] /, "") : "";
}

/** Call it only without an open database connection: closing the file would drop the connection's locks. */
export async function traces({ stateDb }: HomePaths, probes: readonly Buffer[]): Promise<Trace[]> {
  const list: Trace[] = [];
  for (const file of [stateDb, `${stateDb}-wal`]) {
    const count = await countIn(file, probes);
    if (count > 0) list.push({ file, probes: count });
  }
  return list;
}

async function countIn(file: string, probes: readonly Buffer[]): Promise<number> {
  const left = new Set(probes);
  const overlap = Math.max(0, ...probes.map(({ length }) => length)) - 1;
  let tail: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      const bytes = Buffer.concat([tail, chunk as Buffer]);
      for (const probe of left) if (bytes.includes(probe)) left.delete(probe);
      tail = bytes.subarray(Math.max(0, bytes.length - overlap));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return probes.length - left.size;
}
