/** Follows the gateway's log. Keeps a limited number of lines. A hidden tab closes its connection. */
import { useEffect, useReducer, useRef } from "preact/hooks";
import type { LogLine, LogLines } from "../../../src/http/dashboard/operations-types.js";
import { get, withQuery } from "./api.js";

export type NumberedLine = LogLine & { number: number };

const MAX_LINES = 1000;
const RETRY_MS = 3000;

export interface LogFilter {
  level: string | null;
  area: string | null;
  text: string | null;
}

export interface FollowedLog {
  lines: readonly NumberedLine[];
  /** Number of lines that arrived during a pause. */
  unseen: number;
  state: "connecting" | "live" | "lost";
  /** Number of lines that aren't shown because they came too fast or exceed `MAX_LINES`. */
  skipped: number;
}

/** During a pause the shown lines don't change; new ones are shown afterwards. */
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
        const dropped = Math.max(0, all.length - MAX_LINES);
        change({
          lines: all.slice(-MAX_LINES),
          skipped: log.current.skipped + skipped + dropped,
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

/** Returns a function that closes the connection. */
function follow(path: string, follower: Follower): () => void {
  let source: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    clearTimeout(retry);
    if (source || document.hidden) return;
    const opened = new EventSource(`/api/dashboard${path}`);
    source = opened;
    const read = (event: Event) => JSON.parse((event as MessageEvent<string>).data) as LogLines;
    opened.addEventListener("start", (event) => follower.start(read(event)));
    opened.addEventListener("lines", (event) => follower.lines(read(event)));
    opened.addEventListener("error", () => {
      follower.state("lost");
      // The event has no reason. If the login has expired, this request redirects to the login page.
      void get("/log").catch(() => undefined);
      if (opened.readyState !== EventSource.CLOSED || source !== opened) return;
      source = undefined;
      retry = setTimeout(connect, RETRY_MS);
    });
  };
  const disconnect = () => {
    clearTimeout(retry);
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
