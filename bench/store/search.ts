import { setTimeout as pause } from "node:timers/promises";
import type { SearchOptions } from "../../src/store/store.js";
import { COMMON_WORD, RARE_WORD } from "../corpus.js";
import { inTurns, median, p50p95, percentile } from "../measure.js";
import { naiveSearch, type Path } from "./naive.js";
import type { Pair, Scene } from "./scene.js";

interface Case {
  what: string;
  query: string;
  path: Path;
  sort?: SearchOptions["sort"];
  /** Minimum speed-up; 1 means "not slower". */
  target: number;
  /** Absolute limit, regardless of plain. */
  limitMs?: number;
}

const NEWEST_LIMIT_MS = 1.5;

const CASES: Case[] = [
  { what: "common word", query: COMMON_WORD, path: "fts", target: 1 },
  { what: "rare word", query: RARE_WORD, path: "fts", target: 1 },
  { what: "phrase", query: '"docker build"', path: "fts", target: 1 },
  { what: "prefix", query: "deplo*", path: "fts", target: 1 },
  { what: "OR", query: "kubernetes OR postgres", path: "fts", target: 1 },
  { what: "NOT", query: "python NOT java", path: "fts", target: 1 },
  { what: "3 CJK characters", query: "数据库", path: "trigram", target: 1 },
  { what: "6 CJK characters", query: "データベース", path: "trigram", target: 1 },
  { what: "2 CJK characters", query: "部署", path: "like", target: 20 },
  { what: "2 CJK characters, many hits", query: "我们", path: "like", target: 20 },
  {
    what: "newest first, common word",
    query: COMMON_WORD,
    path: "fts",
    sort: "newest",
    target: 20,
    limitMs: NEWEST_LIMIT_MS,
  },
];

export async function benchSearch(scene: Scene, { plain, store }: Pair): Promise<void> {
  for (const { what, query, path, sort, target, limitMs = Number.POSITIVE_INFINITY } of CASES) {
    const options: SearchOptions = sort ? { sort } : {};
    const naive = () => naiveSearch(plain.db, path, query, sort === "newest");
    const found = (await store.searchMessages(query, options)).hits;
    requireSame(what, naive(), found);
    const [plainTimes, times] = (await inTurns([naive, () => store.searchMessages(query, options)], {
      budgetMs: scene.sizes.searchBudgetMs,
    })) as [number[], number[]];
    const ratio = median(plainTimes) / median(times);
    const tail = percentile(plainTimes, 95) / percentile(times, 95);
    scene.rows.push({
      ratio,
      what: `search: ${what} (${found.length === 20 ? "20 of many" : found.length} hits)`,
      ours: p50p95(times),
      plain: p50p95(plainTimes),
      target: `${target === 1 ? "≥ 1× (p50, p95)" : `≥ ${target}×`}${Number.isFinite(limitMs) ? `, ≤ ${limitMs} ms` : ""}`,
      met: ratio >= target && tail >= Math.min(1, target) && median(times) <= limitMs,
    });
    scene.say(`search: ${what} ${ratio.toFixed(2)}×`);
  }
}

/** Requires equal results. Compares counts, because ranks may tie. */
function requireSame(what: string, naive: readonly unknown[], ours: readonly unknown[]): void {
  if (naive.length === 0) throw new Error(`search '${what}' found nothing: the corpus doesn't contain it`);
  if (naive.length !== ours.length)
    throw new Error(`search '${what}': ${ours.length} hits, plain has ${naive.length}`);
}

/** Words in most messages, in some, in few. */
const NEWEST = [COMMON_WORD, "kubernetes", RARE_WORD];

/** After so long without writes, the segments of the full-text index are merged. */
const SETTLE_MS = 10_000;

/** The same in the grown file, whose recent messages aren't in chronological order: while it grows, and in a quiet moment after it. */
export async function benchNewestGrown(scene: Scene, pair: Pair): Promise<void> {
  await benchNewest(scene, pair, "just grown");
  await pause(SETTLE_MS);
  await benchNewest(scene, pair, "settled");
}

async function benchNewest(scene: Scene, { store }: Pair, when: "just grown" | "settled"): Promise<void> {
  for (const query of NEWEST) {
    const [times] = (await inTurns([() => store.searchMessages(query, { sort: "newest" })], {
      budgetMs: scene.sizes.searchBudgetMs,
    })) as [number[]];
    scene.rows.push({
      what: `search: newest first, "${query}", at ${scene.sizes.grown.toLocaleString("en")} messages, ${when}`,
      ours: p50p95(times),
      target: `≤ ${NEWEST_LIMIT_MS} ms (p50)`,
      met: median(times) <= NEWEST_LIMIT_MS,
    });
  }
}
