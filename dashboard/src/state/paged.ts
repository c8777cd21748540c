/** A list that loads page by page and reloads its first page after changes. */
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type ApiError, get, toApiError } from "./api.js";

type Cursor = string | number;

export interface PagedOptions<Answer, Row> {
  /** Path of the page after the cursor; without a cursor, of the first page. */
  path(cursor: Cursor | undefined): string;
  rowsOf(answer: Answer): { rows: Row[]; next: Cursor | null };
  idOf(row: Row): Cursor;
  /** Rows per page. */
  size?: number;
}

interface State<Answer, Row> {
  rows: readonly Row[];
  next: Cursor | null;
  /** The whole answer for the first page. */
  first: Answer | undefined;
  loaded: boolean;
  loading: boolean;
  error: ApiError | undefined;
}

/** Maximum number of partial answers that are joined into one page. */
const MAX_PARTS = 40;
const SIZE = 50;

export class PagedList<Answer, Row> {
  readonly #state: Signal<State<Answer, Row>> = signal({
    rows: [],
    next: null,
    first: undefined,
    loaded: false,
    loading: false,
    error: undefined,
  });
  readonly #options: PagedOptions<Answer, Row>;
  /** Requests run one after the other, so an old answer never replaces a newer one. */
  #work: Promise<void> = Promise.resolve();
  #isRefreshQueued = false;
  #closed = new AbortController();

  constructor(options: PagedOptions<Answer, Row>) {
    this.#options = options;
  }

  get rows(): readonly Row[] {
    return this.#state.value.rows;
  }

  get first(): Answer | undefined {
    return this.#state.value.first;
  }

  get error(): ApiError | undefined {
    return this.#state.value.error;
  }

  /** True while requested rows are loading, but not during a background refresh. */
  get loading(): boolean {
    const { loading, loaded, error } = this.#state.value;
    return loading || (!loaded && !error);
  }

  get hasMore(): boolean {
    return this.#state.value.next !== null && !this.#state.value.loading;
  }

  more(): void {
    const { next, loading } = this.#state.peek();
    if (next === null || loading) return;
    this.#change({ loading: true });
    this.#enqueue(() => this.#append(this.#state.peek().next ?? undefined));
  }

  refresh(): void {
    if (this.#isRefreshQueued) return;
    this.#isRefreshQueued = true;
    this.#enqueue(async () => {
      this.#isRefreshQueued = false;
      if (!this.#state.peek().loaded) return this.#append(undefined);
      const fresh = await this.#firstPage();
      this.#change(merged(this.#state.peek(), fresh, this.#options.idOf));
    });
  }

  /** Removes a row before the daemon confirms it. */
  remove(id: Cursor): void {
    const { idOf } = this.#options;
    this.#change({ rows: this.#state.peek().rows.filter((row) => idOf(row) !== id) });
  }

  /** Cancels the requests when the page is closed. */
  close(): void {
    this.#closed.abort();
    this.#closed = new AbortController();
    this.#isRefreshQueued = false;
    this.#change({ loading: false });
  }

  /** Shows rows as they arrive, before the page is complete. */
  async #append(from: Cursor | undefined): Promise<void> {
    const { rowsOf, idOf, size = SIZE } = this.#options;
    let cursor = from;
    let added = 0;
    for (let part = 0; part < MAX_PARTS && added < size; part += 1) {
      const answer = await this.#get(cursor);
      const { rows, next } = rowsOf(answer);
      const { rows: before, first } = this.#state.peek();
      const known = new Set(before.map(idOf));
      this.#change({
        rows: [...before, ...rows.filter((row) => !known.has(idOf(row)))],
        first: first ?? answer,
        next,
        loaded: true,
      });
      if (next === null) return;
      added += rows.length;
      cursor = next;
    }
  }

  async #firstPage(): Promise<{ rows: Row[]; next: Cursor | null; first: Answer }> {
    const { rowsOf, size = SIZE } = this.#options;
    const first = await this.#get(undefined);
    let { rows, next } = rowsOf(first);
    for (let part = 1; part < MAX_PARTS && rows.length < size && next !== null; part += 1) {
      const more = rowsOf(await this.#get(next));
      rows = [...rows, ...more.rows];
      next = more.next;
    }
    return { rows, next, first };
  }

  #get(cursor: Cursor | undefined): Promise<Answer> {
    return get<Answer>(this.#options.path(cursor), this.#closed.signal);
  }

  #enqueue(task: () => Promise<void>): void {
    const { signal: closed } = this.#closed;
    this.#work = this.#work.then(async () => {
      if (closed.aborted) return;
      try {
        await task();
        if (!closed.aborted) this.#change({ loading: false, error: undefined });
      } catch (error) {
        if (!closed.aborted) this.#change({ loading: false, error: toApiError(error) });
      }
    });
  }

  #change(change: Partial<State<Answer, Row>>): void {
    this.#state.value = { ...this.#state.peek(), ...change };
  }
}

/** Puts the reloaded first page above the older pages. */
function merged<Answer, Row>(
  old: State<Answer, Row>,
  fresh: { rows: readonly Row[]; next: Cursor | null; first: Answer },
  idOf: (row: Row) => Cursor,
): Partial<State<Answer, Row>> {
  const last = fresh.rows.at(-1);
  const below = last ? old.rows.findIndex((row) => idOf(row) === idOf(last)) : -1;
  // The first page is the whole list, or it doesn't overlap the old rows: older ones are loaded again on demand.
  if (fresh.next === null || below === -1 || old.rows.length <= fresh.rows.length) return fresh;
  const known = new Set(fresh.rows.map(idOf));
  const older = old.rows.slice(below + 1).filter((row) => !known.has(idOf(row)));
  return { rows: [...fresh.rows, ...older], first: fresh.first };
}

/** Lists by path: going back to a list shows it as it was. */
const cache = new Map<string, unknown>();
const MAX_CACHED = 8;

/** Reloads the list in the background when `mark` changes. */
export function usePaged<Answer, Row>(
  options: PagedOptions<Answer, Row>,
  mark?: unknown,
): PagedList<Answer, Row> {
  const path = options.path(undefined);
  const list = (cache.get(path) as PagedList<Answer, Row> | undefined) ?? new PagedList(options);
  cache.delete(path);
  cache.set(path, list);
  if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
  useEffect(() => () => list.close(), [list]);
  useEffect(() => list.refresh(), [list, mark]);
  return list;
}
