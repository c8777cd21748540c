import { once } from "node:events";
import { ms, perSecond, sum } from "../measure.js";
import { nextMessage, startChild } from "./child.js";
import type { Pair, Scene } from "./scene.js";
import type { WriterKind, WriterReport } from "./writer-process.js";

const WRITERS = 4;
const ROUNDS = 3;
const LIMIT_MS = 500;

interface Round {
  timeMs: number;
  worstMs: number;
  errors: number;
}

/**
 * Four processes append to one file as fast as they can, one caller each, alternating with four that use plain
 * better-sqlite3 and its lock waits. No message may be lost, no process may wait long.
 */
export async function benchWriters(scene: Scene, pair: Pair): Promise<void> {
  const appends = Math.ceil(scene.sizes.appendsPerWriter / ROUNDS);
  const before = (await pair.store.reports.stats()).messages;
  const [ours, plain]: [Round[], Round[]] = [[], []];
  for (let round = 1; round <= ROUNDS; round += 1) {
    scene.say(`${WRITERS} writer processes: round ${round} of ${ROUNDS}`);
    plain.push(await writeAtOnce("plain", pair.plainPath, appends));
    ours.push(await writeAtOnce("ours", pair.storePath, appends));
  }
  const total = ROUNDS * WRITERS * appends;
  const lost = before + total - (await pair.store.reports.stats()).messages;
  const errors = sum(ours.map((round) => round.errors));
  const worst = (rounds: readonly Round[]) => Math.max(...rounds.map((round) => round.worstMs));
  const time = (rounds: readonly Round[]) => sum(rounds.map((round) => round.timeMs));
  const ratio = time(plain) / time(ours);
  scene.rows.push({
    ratio,
    what: `${WRITERS} writer processes at once, one caller each`,
    ours: perSecond(total, time(ours)),
    plain: perSecond(total, time(plain)),
    target: "≥ 1×",
    met: ratio >= 1,
  });
  scene.rows.push({
    what: `${WRITERS} writer processes at once, ${lost} lost, ${errors} errors: worst stall`,
    ours: ms(worst(ours)),
    plain: ms(worst(plain)),
    target: `< ${LIMIT_MS} ms, none lost, no error`,
    met: worst(ours) < LIMIT_MS && lost === 0 && errors === 0,
  });
}

async function writeAtOnce(kind: WriterKind, file: string, appends: number): Promise<Round> {
  const children = Array.from({ length: WRITERS }, (_, i) =>
    startChild(new URL("./writer-process.ts", import.meta.url), [kind, file, String(i), String(appends)]),
  );
  await Promise.all(children.map((child) => nextMessage(child)));
  const reports = children.map((child) => nextMessage<WriterReport>(child));
  const ended = children.map((child) => once(child, "exit"));
  const started = performance.now();
  for (const child of children) child.send("go");
  const all = await Promise.all(reports);
  const timeMs = performance.now() - started;
  await Promise.all(ended);
  return {
    timeMs,
    worstMs: Math.max(...all.map((report) => report.worstMs)),
    errors: sum(all.map((report) => report.errors)),
  };
}
