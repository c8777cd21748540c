import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileStamp } from "../../clock.js";
import { HermesError } from "../../errors.js";
import { freeName } from "../../free-name.js";
import type { OnProgress } from "../common.js";
import type { CheckReport, Maintenance, Optimized, RepairReport, Scrubbed } from "../maintenance.js";
import type { Engine } from "./engine.js";
import { isDamage } from "./salvage.js";
import type { Verbs } from "./verbs.js";

const EMPTY_LOG_TRIES = 50;
const EMPTY_LOG_PAUSE_MS = 40;

/** Work on the whole file, composed of several verbs. */
export function maintenanceOf(engine: Engine, verbs: Verbs, file: string): Maintenance {
  return {
    shrink: (onProgress) => giveSpaceBack(engine, verbs, onProgress),
    optimize: (onProgress) => optimize(engine, verbs, onProgress),
    check: (onProgress) => verbs.check(onProgress),
    repair: (onProgress) => repair(engine, verbs, file, onProgress),
    backup: (target) => backup(verbs, file, target),
    scrub: (onProgress, how) => scrub(engine, verbs, onProgress, how),
    scrubDue: () => verbs.scrubDue(),
    layout: () => verbs.layout(),
    writerStats: () => engine.writerStats(),
  };
}

async function optimize(engine: Engine, verbs: Verbs, onProgress?: OnProgress): Promise<Optimized> {
  const bytesBefore = await verbs.databaseBytes();
  const converted = await verbs.optimizeFullText(onProgress);
  const given = await giveSpaceBack(engine, verbs, onProgress);
  const sizes = { bytesBefore, bytesAfter: await verbs.databaseBytes(), converted };
  return given ? sizes : { ...sizes, note: "Another process has state.db open: stop it to free disk space." };
}

async function repair(
  engine: Engine,
  verbs: Verbs,
  file: string,
  onProgress?: OnProgress,
): Promise<RepairReport> {
  const copy = freeName(`${file}.repair-${fileStamp()}`);
  await keepCopy(verbs, file, copy);
  const { problems } = await verbs.check(onProgress);
  const damaged = problems.some(isDamage);
  if (damaged && !(await engine.alone(() => verbs.salvage()))) throw inUse(file, copy);
  const repaired = await verbs.rebuildDerived(problems, onProgress);
  const after: CheckReport = await verbs.check(onProgress);
  return {
    ok: after.ok,
    problems: after.ok ? problems : after.problems,
    copy,
    repaired: damaged ? ["file", ...repaired] : repaired,
  };
}

async function backup(verbs: Verbs, file: string, target: string): Promise<void> {
  if (path.resolve(target) === path.resolve(file)) {
    throw new HermesError("invalid", "A backup can't replace the file that it is taken from.");
  }
  await verbs.copyDatabase(target);
}

/** A damaged file may not be fully readable, so its pages are copied as they are. */
async function keepCopy(verbs: Verbs, file: string, copy: string): Promise<void> {
  try {
    await backup(verbs, file, copy);
  } catch {
    await verbs.copyPages(copy);
  }
}

async function scrub(
  engine: Engine,
  verbs: Verbs,
  onProgress?: OnProgress,
  { inUse } = { inUse: false },
): Promise<Scrubbed> {
  await verbs.mergeFullText(onProgress);
  const rewritten = !inUse && (await engine.alone(() => verbs.vacuum()));
  if (!rewritten) await verbs.shrink(onProgress);
  if (rewritten) await verbs.scrubbed();
  return { rewritten, logEmptied: await emptyLog(verbs) };
}

/** Retries until there is a moment without readers. */
async function emptyLog(verbs: Verbs, tries = EMPTY_LOG_TRIES): Promise<boolean> {
  if (await verbs.emptyLog()) return true;
  await sleep(EMPTY_LOG_PAUSE_MS);
  return tries > 1 ? emptyLog(verbs, tries - 1) : false;
}

/** Frees a few pages at a time. A file without incremental vacuum is vacuumed as a whole, if no other process has it open. */
async function giveSpaceBack(engine: Engine, verbs: Verbs, onProgress?: OnProgress): Promise<boolean> {
  if (!(await verbs.shrink(onProgress))) return engine.alone(() => verbs.vacuum());
  await verbs.checkpoint();
  return true;
}

function inUse(file: string, copy: string): HermesError {
  return new HermesError("unavailable", `${file} is damaged, and another process has it open.`, {
    hint: `Stop the gateway and every other Hermes process, then repair again. A copy is kept at ${copy}`,
  });
}
