/** The gateway's log as it is written. Keeps a bounded number of lines; a hidden tab lets go of its connection. */
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { LogLine, LogLines } from "../../../src/http/dashboard/operations-types.js";
import { get, withQuery } from "./api.js";

export type NumberedLine = LogLine & { number: number };

const MAX_LINES = 1000;
const AGAIN_MS = 3000;

export interface LogFilter {
  level: string | null;
  area: string | null;
  text: string | null;
}

export interface FollowedLog {
  lines: readonly NumberedLine[];
  /** Came while it was paused. */
  unseen: number;
  state: "connecting" | "live" | "lost";
  /** Left out because they came too fast, or because there are too many. */
  skipped: number;
}

/** While it is paused, the lines stay as they are; new ones are kept for later. */
export function useLog(filter: LogFilter, paused: boolean): FollowedLog {
  const path = withQuery("/log/live", { ...filter });
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const log = useRef<FollowedLog>({ lines: [], unseen: 0, state: "connecting", skipped: 0 });
  const shown = useRef(log.current);
  const isPaused = useRef(paused);
  isPaused.current = paused;
  const change = (changes: Partial<FollowedLog>) => {
    log.current = { ...log.current, ...changes };
    redraw(undefined);
  };
  useEffect(() => {
    change({ lines: [], unseen: 0, state: "connecting", skipped: 0 });
    return follow(path, {
      state: (state) => change({ state }),
      start: ({ lines }) => change({ lines: numbered(lines), skipped: 0, state: "live" }),
      lines: ({ lines, skipped }) => {
        const all = [...log.current.lines, ...numbered(lines)];
        const left = Math.max(0, all.length - MAX_LINES);
        change({
          lines: all.slice(-MAX_LINES),
          skipped: log.current.skipped + skipped + left,
          unseen: isPaused.current ? log.current.unseen + lines.length : 0,
        });
      },
    });
  }, [path]);
  if (!paused) shown.current = { ...log.current, unseen: 0 };
  return paused ? { ...shown.current, unseen: log.current.unseen, state: log.current.state } : shown.current;
}

let last = 0;

function numbered(lines: readonly LogLine[]): NumberedLine[] {
  return lines.map((line) => ({ ...line, number: ++last }));
}

interface Follower {
  state(state: FollowedLog["state"]): void;
  start(lines: LogLines): void;
  lines(lines: LogLines): void;
}

/** Returns what ends it. */
function follow(path: string, follower: Follower): () => void {
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    clearTimeout(again);
    if (source || document.hidden) return;
    const opened = new EventSource(`/api/dashboard${path}`);
    source = opened;
    const read = (event: Event) => JSON.parse((event as MessageEvent<string>).data) as LogLines;
    opened.addEventListener("start", (event) => follower.start(read(event)));
    opened.addEventListener("lines", (event) => follower.lines(read(event)));
    opened.addEventListener("error", () => {
      follower.state("lost");
      // The event doesn't say why: a login that has ended is found out by asking.
      void get("/log").catch(() => undefined);
      if (opened.readyState !== EventSource.CLOSED || source !== opened) return;
      source = undefined;
      again = setTimeout(connect, AGAIN_MS);
    });
  };
  const disconnect = () => {
    clearTimeout(again);
    source?.close();
    source = undefined;
  };
  const onVisible = () => (document.hidden ? disconnect() : connect());
  document.addEventListener("visibilitychange", onVisible);
  connect();
  return () => {
    document.removeEventListener("visibilitychange", onVisible);
    disconnect();
  };
}
