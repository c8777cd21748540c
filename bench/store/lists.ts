import path from "node:path";
import type { OpenedStore } from "../../src/store/sqlite/index.js";
import { type Group, LINEAGE, SESSIONS_PER_GROUP, titleOf } from "../corpus.js";
import { openStore } from "../engine.js";
import { inTurns, median, ms, p50p95, percentile } from "../measure.js";
import { Plain } from "../plain.js";
import { fillStore } from "./fill.js";
import { naiveList, naiveNextTitle, naiveResolveTitle } from "./naive.js";
import type { Pair, Scene } from "./scene.js";

const LIMIT_MS = 2;
const RESOLVE_LIMIT_MS = 0.1;
const SHORT_MESSAGES = 6;

/** On the history, and on a file with many short sessions. */
export async function benchLists(scene: Scene, pair: Pair): Promise<void> {
  await measure(scene, pair.store, pair.plain, scene.sizes.sessions);
  const many = await manySessions(scene);
  await measure(scene, many.store, many.plain, scene.sizes.manySessions);
  await many.store.close();
  many.plain.close();
}

async function measure(scene: Scene, store: OpenedStore, plain: Plain, sessions: number): Promise<void> {
  const single = titleOf(sessions - 3);
  // A read that does next to nothing, in the same turns: a thread that has slept answers later.
  const hop = () => store.getValue("none");
  const cases: [string, () => unknown, () => unknown, number?][] = [
    ["list by last activity", () => naiveList(plain.db), () => store.listSessions({ order: "active" })],
    [
      "title resolve, in a lineage",
      () => naiveResolveTitle(plain.db, LINEAGE),
      () => store.getSession({ title: LINEAGE }),
      RESOLVE_LIMIT_MS,
    ],
    [
      "title resolve, alone",
      () => naiveResolveTitle(plain.db, single),
      () => store.getSession({ title: single }),
      RESOLVE_LIMIT_MS,
    ],
    ["next title", () => naiveNextTitle(plain.db, LINEAGE), () => store.nextTitle(LINEAGE)],
  ];
  for (const [what, naive, ours, limitMs] of cases) {
    const [plainTimes, times, hopTimes] = (await inTurns([naive, ours, hop], {
      budgetMs: scene.sizes.searchBudgetMs,
      atLeast: 20,
      atMost: 500,
    })) as [number[], number[], number[]];
    scene.rows.push({
      ratio: median(plainTimes) / median(times),
      what: `${what}, ${sessions.toLocaleString("en")} sessions`,
      ours: p50p95(times),
      plain: p50p95(plainTimes),
      ...(limitMs === undefined
        ? { target: `< ${LIMIT_MS} ms (p50, p95)`, met: percentile(times, 95) < LIMIT_MS }
        : {
            target: `≤ ${limitMs} ms and the thread hop (${ms(median(hopTimes))})`,
            met: median(times) <= limitMs + median(hopTimes),
          }),
    });
    scene.say(`${what} at ${sessions} sessions`);
  }
}

/** Reopened after filling, like the history: right after filling, a store is busy merging its full-text index. */
async function manySessions(scene: Scene): Promise<{ store: OpenedStore; plain: Plain }> {
  const file = path.join(scene.folder, "many.db");
  const store = await openStore({ path: file, foreign: "adopt" });
  const plain = Plain.create(path.join(scene.folder, "many-plain.db"));
  for (let i = 0; i < scene.sizes.manySessions / SESSIONS_PER_GROUP; i += 1) {
    const group = shortGroup(i);
    plain.fill(group.sessions, group.lines);
    await fillStore(store, group);
  }
  await store.close();
  return { store: await openStore({ path: file, foreign: "adopt" }), plain };
}

function shortGroup(index: number): Group {
  const numbers = Array.from({ length: SESSIONS_PER_GROUP }, (_, i) => index * SESSIONS_PER_GROUP + i);
  const started_at = 1_700_000_000 + index * 1000;
  const sessions = numbers.map((n) => ({
    id: `many_${String(n).padStart(6, "0")}`,
    source: "telegram",
    user_id: `user_${n % 40}`,
    model: "claude-sonnet-4.6",
    title: titleOf(n),
    started_at,
  }));
  const lines = sessions.flatMap(({ id }, i) =>
    Array.from({ length: SHORT_MESSAGES }, (_, k) => ({
      session: id,
      message: {
        role: k % 2 ? "assistant" : "user",
        content: `Hello, this is message ${k}.`,
        timestamp: started_at + i + k * 10,
      },
    })),
  );
  return { sessions, lines };
}
