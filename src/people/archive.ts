/** Exports all data of a person as one archive. */
import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { fileStamp, nowSeconds } from "../clock.js";
import type { HomePaths } from "../config/paths.js";
import { HermesError } from "../errors.js";
import { jsonLine } from "../json-line.js";
import type { Person } from "../message.js";
import { type ErasurePlan, isNobody } from "../store/people.js";
import type { Store } from "../store/store.js";
import { version } from "../version.js";
import { filesOf, type PersonFiles } from "./files.js";
import { formatPerson, unknownPerson } from "./person.js";

type ArchivedStore = Pick<Store, "planErasure" | "exportSessions" | "getMessages">;

export interface Exported {
  person: string;
  file: string;
  bytes: number;
  sessions: number;
  messages: number;
  sharedSessions: number;
  sharedMessages: number;
  queueRows: number;
  memories: number;
  files: number;
}

export function archiveName({ platform, userId }: Person): string {
  return `${platform}-${userId.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 40)}-${fileStamp()}.tar.gz`;
}

export function taken(file: string): HermesError {
  return new HermesError("conflict", `${file} already exists.`, { hint: "Name another file with --to." });
}

/** Writes a `.tar.gz` that only this user can read. Never replaces an existing file. */
export async function writeArchive(
  store: ArchivedStore,
  person: Person,
  target: string,
  paths: HomePaths,
): Promise<Exported> {
  const plan = await store.planErasure(person, "rows");
  const files = await filesOf(plan, paths);
  if (isNobody(plan) && files.memories.length + files.history.length === 0) throw unknownPerson(person);
  const stage = path.join(paths.home, `.export-${randomBytes(6).toString("hex")}`);
  const partial = `${target}.${randomBytes(4).toString("hex")}.partial`;
  try {
    await fs.mkdir(stage, { mode: 0o700 });
    const counts = await fill(stage, store, plan, files, paths.home);
    await pack(stage, partial);
    // Unlike a rename, a link never replaces a file created in the meantime.
    await fs.link(partial, target);
    const { size } = await fs.stat(target);
    return { person: formatPerson(person), file: target, bytes: size, ...counts };
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "EEXIST" ? taken(target) : error;
  } finally {
    await fs.rm(partial, { force: true });
    await fs.rm(stage, { recursive: true, force: true });
  }
}

type Counts = Omit<Exported, "person" | "file" | "bytes">;

async function fill(
  stage: string,
  store: ArchivedStore,
  plan: ErasurePlan,
  files: PersonFiles,
  home: string,
): Promise<Counts> {
  const write = (name: string, text: string) => fs.writeFile(path.join(stage, name), text, { mode: 0o600 });
  const messages = await writeOwn(stage, store, plan);
  const sharedMessages = await writeShared(stage, store, plan);
  const rows = plan.rows!;
  await write("queues.json", JSON.stringify(rows, null, 2));
  for (const [i, file] of files.memories.entries())
    await copy(file, path.join(stage, "memory", `${i + 1}-${path.basename(file)}`));
  for (const file of [...files.media, ...files.history])
    await copy(file, path.join(stage, path.relative(home, file)));
  const counts: Counts = {
    sessions: plan.own.length,
    messages,
    sharedSessions: plan.shared.length,
    sharedMessages,
    queueRows: rows.inbox.length + rows.outbox.length,
    memories: files.memories.length,
    files: files.media.length,
  };
  const about = {
    ...plan.person,
    ids: plan.ids,
    names: plan.names,
    exported_at: nowSeconds(),
    version: version(),
  };
  await write("person.json", JSON.stringify({ ...about, ...counts, note: NOTE }, null, 2));
  return counts;
}

const NOTE =
  "sessions.jsonl: complete sessions that only they took part in. shared.jsonl: sessions with others, with only their own messages.";

async function writeOwn(stage: string, store: ArchivedStore, { own }: ErasurePlan): Promise<number> {
  let messages = 0;
  await writeLines(path.join(stage, "sessions.jsonl"), async function* () {
    for (const { id } of own) {
      for await (const session of store.exportSessions({ sessionId: id })) {
        messages += session.messages.length;
        yield session;
      }
    }
  });
  return messages;
}

async function writeShared(stage: string, store: ArchivedStore, { shared }: ErasurePlan): Promise<number> {
  let messages = 0;
  await writeLines(path.join(stage, "shared.jsonl"), async function* () {
    for (const { id, source, startedAt, written } of shared) {
      const rows = await store.getMessages(id, { ids: written, includeUndone: true });
      messages += rows.length;
      yield { id, source, started_at: startedAt, shared: true, messages: rows };
    }
  });
  return messages;
}

async function writeLines(file: string, lines: () => AsyncIterable<unknown>): Promise<void> {
  const handle = await fs.open(file, "wx", 0o600);
  try {
    for await (const line of lines()) await handle.writeFile(`${jsonLine(line)}\n`);
  } finally {
    await handle.close();
  }
}

async function copy(from: string, to: string): Promise<void> {
  await fs.mkdir(path.dirname(to), { recursive: true, mode: 0o700 });
  await fs.copyFile(from, to);
}

async function pack(stage: string, file: string): Promise<void> {
  const { create } = await import("tar");
  // Created empty and private before anything is written to it.
  await (await fs.open(file, "wx", 0o600)).close();
  await create({ gzip: true, portable: true, cwd: stage, file, strict: true }, await fs.readdir(stage));
  await fs.chmod(file, 0o600);
  const handle = await fs.open(file, "r+");
  await handle.sync().finally(() => handle.close());
}
