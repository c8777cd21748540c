/** One thing that a page has asked the daemon for. */
import { useEffect, useState } from "preact/hooks";
import { type ApiError, get, toApiError } from "./api.js";

export interface Fetched<T> {
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload(): void;
}

const AGAIN_MS = 4000;

/** Refetched when the path changes, silently when `mark` does. The old data stays until the new is there. */
export function useFetched<T>(path: string | undefined, mark?: unknown): Fetched<T> {
  const [state, setState] = useState<{ path?: string; data?: T; error?: ApiError; loading: boolean }>({
    loading: path !== undefined,
  });
  const [tries, setTries] = useState(0);
  // Mark and tries only say that it is time
  useEffect(() => {
    if (path === undefined) return setState({ loading: false });
    const ended = new AbortController();
    let again: ReturnType<typeof setTimeout> | undefined;
    setState((before) => ({ ...(before.path === path ? before : {}), path, loading: true }));
    get<T>(path, ended.signal).then(
      (data) => setState({ path, data, loading: false }),
      (thrown: unknown) => {
        if (ended.signal.aborted) return;
        const error = toApiError(thrown);
        setState((before) => ({ ...before, error, loading: false }));
        if (error.status === 0 || error.status >= 500)
          again = setTimeout(() => setTries((n) => n + 1), AGAIN_MS);
      },
    );
    return () => {
      ended.abort();
      clearTimeout(again);
    };
  }, [path, mark, tries]);
  const { data, error, loading } = state;
  return { data, error, loading, reload: () => setTries((n) => n + 1) };
}
