import { onEarlyExit } from "../early-exit.js";
import type { OnProgress, Progress } from "../store/store.js";
import { bar } from "./bars.js";
import { cutToCells, padToCells } from "./cells.js";
import { io } from "./io.js";
import { grouped } from "./numbers.js";

const QUIET_MS = 1000;
const REDRAW_MS = 100;
const BAR_CELLS = 24;
const CLEAR_LINE = "\r\u001b[K";

export interface Terminal {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write(text: string): unknown;
}

/** Gives `work` a progress bar on stderr: only on a terminal, only once it has taken a second. */
export async function withProgress<T>(
  work: (onProgress: OnProgress) => Promise<T>,
  terminal: Terminal = io().stderr,
): Promise<T> {
  if (!terminal.isTTY) return work(() => {});
  const progress = startBar(terminal);
  try {
    return await work(progress.update);
  } finally {
    progress.end();
  }
}

/** A timer draws, so that fast reports cost nothing and a slow step is shown too. */
function startBar(terminal: Terminal): { update: OnProgress; end: () => void } {
  let latest: Progress | undefined;
  let drawn: Progress | undefined;
  const draw = () => {
    if (!latest || latest === drawn) return;
    drawn = latest;
    terminal.write(CLEAR_LINE + cutToCells(progressLine(latest), (terminal.columns ?? 80) - 1));
  };
  const stopTimer = drawAfter(QUIET_MS, draw);
  const clear = () => {
    if (drawn) terminal.write(CLEAR_LINE);
  };
  const forget = onEarlyExit(clear);
  const end = () => {
    stopTimer();
    forget();
    clear();
  };
  return { update: (progress) => (latest = { ...progress }), end };
}

function drawAfter(delayMs: number, draw: () => void): () => void {
  let interval: NodeJS.Timeout | undefined;
  const timeout = setTimeout(() => {
    draw();
    interval = setInterval(draw, REDRAW_MS).unref();
  }, delayMs).unref();
  return () => {
    clearTimeout(timeout);
    clearInterval(interval);
  };
}

/** `exporting  ████████                  33%  20/60`. */
export function progressLine({ step, done, total }: Progress): string {
  if (total <= 0) return done > 0 ? `${step}  ${grouped(done)}` : `${step} …`;
  const share = Math.min(1, Math.max(0, done / total));
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `${step}  ${padToCells(bar(share, 1, BAR_CELLS), BAR_CELLS)} ${percent}  ${grouped(done)}/${grouped(total)}`;
}
