import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { type Group, type Line, makeGroup } from "../corpus.js";
import { median, perSecond, sum, timed } from "../measure.js";
import type { Plain } from "../plain.js";
import type { Pair, Scene } from "./scene.js";

export const CALLERS = 64;

export interface AppendTimes {
  /** One round each, in milliseconds. */
  plain: number[];
  alone: number[];
  together: number[];
  perRound: number;
}

export async function benchAppends(scene: Scene, pair: Pair): Promise<void> {
  const times = await measureAppends(scene, pair);
  addRow(scene, times, "one caller at a time", times.alone, 1.4);
  addRow(scene, times, `${CALLERS} concurrent callers`, times.together, 4.5);
}

/** Alternates plain, the store with one caller and the store with many; a few hundred messages each. */
export async function measureAppends(scene: Scene, pair: Pair): Promise<AppendTimes> {
  const { appendsPerRound: perRound, appendRounds } = scene.sizes;
  const times: AppendTimes = { plain: [], alone: [], together: [], perRound };
  for (let round = 0; round < appendRounds; round += 1) {
    const lines = await freshLines(pair, perRound);
    times.plain.push(await timed(() => pair.plain.append(lines)));
    times.alone.push(await timed(() => appendAlone(pair.store, lines)));
    times.together.push(await timed(() => appendTogether(pair.store, lines)));
    scene.say(`appends: round ${round + 1} of ${appendRounds}`);
  }
  return times;
}

/** New lines for both files; creates their sessions. */
export async function freshLines(
  pair: { plain?: Plain; store: OpenedStore; nextGroup: number },
  count: number,
): Promise<Line[]> {
  const lines: Line[] = [];
  while (lines.length < count) {
    const group: Group = makeGroup(pair.nextGroup, pair.nextGroup);
    pair.nextGroup += 1;
    pair.plain?.fill(group.sessions, []);
    for (const session of group.sessions) await pair.store.createSession(session);
    lines.push(...group.lines);
  }
  return lines.slice(0, count);
}

export async function appendAlone(store: OpenedStore, lines: readonly Line[]): Promise<void> {
  for (const { session, message } of lines) await store.appendMessages(session, [message]);
}

/** Each caller waits for its append before the next one. */
export async function appendTogether(store: OpenedStore, lines: readonly Line[]): Promise<void> {
  let next = 0;
  const caller = async () => {
    for (let line = lines[next++]; line; line = lines[next++])
      await store.appendMessages(line.session, [line.message]);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

function addRow(scene: Scene, times: AppendTimes, who: string, ours: number[], target: number): void {
  const ratio = sum(times.plain) / sum(ours);
  scene.rows.push({
    ratio,
    what: `appends, ${who}, at ${scene.sizes.messages.toLocaleString("en")} messages`,
    ours: perSecond(times.perRound, median(ours)),
    plain: perSecond(times.perRound, median(times.plain)),
    target: `≥ ${target}×`,
    met: ratio >= target,
  });
}
