/** Fetches one resource from the daemon for a page. */
import { useEffect, useState } from "preact/hooks";
import { type ApiError, get, toApiError } from "./api.js";

export interface Fetched<T> {
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload(): void;
}

const RETRY_MS = 4000;

/** Refetches when `path` changes, and in the background, with the old data still shown, when `mark` changes. */
export function useFetched<T>(path: string | undefined, mark?: unknown): Fetched<T> {
  const [state, setState] = useState<{ path?: string; data?: T; error?: ApiError; loading: boolean }>({
    loading: path !== undefined,
  });
  const [tries, setTries] = useState(0);
  // `mark` and `tries` only trigger a new request.
  useEffect(() => {
    if (path === undefined) return setState({ loading: false });
    const ended = new AbortController();
    let retry: ReturnType<typeof setTimeout> | undefined;
    setState((before) => ({ ...(before.path === path ? before : {}), path, loading: true }));
    get<T>(path, ended.signal).then(
      (data) => setState({ path, data, loading: false }),
      (thrown: unknown) => {
        if (ended.signal.aborted) return;
        const error = toApiError(thrown);
        setState((before) => ({ ...before, error, loading: false }));
        if (error.status === 0 || error.status >= 500)
          retry = setTimeout(() => setTries((n) => n + 1), RETRY_MS);
      },
    );
    return () => {
      ended.abort();
      clearTimeout(retry);
    };
  }, [path, mark, tries]);
  const { data, error, loading } = state;
  return { data, error, loading, reload: () => setTries((n) => n + 1) };
}
