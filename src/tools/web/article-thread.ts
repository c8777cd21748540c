/** Parses pages in separate threads: nothing else can stop a parser that takes too long. */
import { Worker } from "node:worker_threads";
import PQueue from "p-queue";
import { packageFile } from "../../package-files.js";
import type { Article } from "./article.js";

/** Threads run compiled code, even if this file runs as TypeScript. */
const ENTRY = packageFile("dist/tools/web/article-worker.js");
const DEADLINE_MS = 10_000;
const MEMORY_MB = 384;
/** Each thread may use that much memory. */
const CONCURRENCY = 2;
const MAX_WAITING = 50;

const queue = new PQueue({ concurrency: CONCURRENCY });

/** Undefined if there is no article, or the page is too much work. */
export async function readArticle(
  page: { html: string; url: string },
  signal: AbortSignal,
  deadlineMs = DEADLINE_MS,
): Promise<Article | undefined> {
  if (queue.size >= MAX_WAITING) return undefined;
  return queue.add(async () => (signal.aborted ? undefined : inThread(page, signal, deadlineMs)));
}

function inThread(
  page: { html: string; url: string },
  signal: AbortSignal,
  deadlineMs: number,
): Promise<Article | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(ENTRY, {
      workerData: page,
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    const end = (article?: Article) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve(article);
      void worker.terminate();
    };
    const stop = () => end();
    const timer = setTimeout(stop, deadlineMs);
    signal.addEventListener("abort", stop, { once: true });
    worker.on("message", (article: Article | undefined) => end(article));
    worker.on("error", stop);
    worker.on("exit", stop);
  });
}
