/** A list that grows page by page, and whose first page is reloaded after changes. */
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type ApiError, get, toApiError } from "./api.js";

type Cursor = string | number;

export interface PagedOptions<Answer, Row> {
  /** The page after a cursor, or the first. */
  path(cursor: Cursor | undefined): string;
  rowsOf(answer: Answer): { rows: Row[]; next: Cursor | null };
  idOf(row: Row): Cursor;
  /** Rows that make a page. */
  size?: number;
}

interface State<Answer, Row> {
  rows: readonly Row[];
  next: Cursor | null;
  /** The first page's whole answer. */
  first: Answer | undefined;
  loaded: boolean;
  loading: boolean;
  error: ApiError | undefined;
}

/** A page may come by parts: so many are put together to one. */
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
  /** One look after the other: an old answer never overtakes a new one. */
  #work: Promise<void> = Promise.resolve();
  #refreshes = false;
  #left = new AbortController();

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

  /** Rows are on their way that were asked for; looking again is quiet. */
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
    this.#do(() => this.#append(this.#state.peek().next ?? undefined));
  }

  refresh(): void {
    if (this.#refreshes) return;
    this.#refreshes = true;
    this.#do(async () => {
      this.#refreshes = false;
      if (!this.#state.peek().loaded) return this.#append(undefined);
      const fresh = await this.#firstPage();
      this.#change(merged(this.#state.peek(), fresh, this.#options.idOf));
    });
  }

  /** Takes a row away before the daemon says so. */
  remove(id: Cursor): void {
    const { idOf } = this.#options;
    this.#change({ rows: this.#state.peek().rows.filter((row) => idOf(row) !== id) });
  }

  /** The page was closed. */
  leave(): void {
    this.#left.abort();
    this.#left = new AbortController();
    this.#refreshes = false;
    this.#change({ loading: false });
  }

  /** Shows what is there already while the rest of the page is looked for. */
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
    return get<Answer>(this.#options.path(cursor), this.#left.signal);
  }

  #do(look: () => Promise<void>): void {
    const { signal: left } = this.#left;
    this.#work = this.#work.then(async () => {
      if (left.aborted) return;
      try {
        await look();
        if (!left.aborted) this.#change({ loading: false, error: undefined });
      } catch (error) {
        if (!left.aborted) this.#change({ loading: false, error: toApiError(error) });
      }
    });
  }

  #change(change: Partial<State<Answer, Row>>): void {
    this.#state.value = { ...this.#state.peek(), ...change };
  }
}

/** Reloads the first page and keeps the pages below it. */
function merged<Answer, Row>(
  old: State<Answer, Row>,
  fresh: { rows: readonly Row[]; next: Cursor | null; first: Answer },
  idOf: (row: Row) => Cursor,
): Partial<State<Answer, Row>> {
  const last = fresh.rows.at(-1);
  const below = last ? old.rows.findIndex((row) => idOf(row) === idOf(last)) : -1;
  // All is there, or so much is new that the two don't meet: what is older comes again when it is asked for.
  if (fresh.next === null || below === -1 || old.rows.length <= fresh.rows.length) return fresh;
  const known = new Set(fresh.rows.map(idOf));
  const older = old.rows.slice(below + 1).filter((row) => !known.has(idOf(row)));
  return { rows: [...fresh.rows, ...older], first: fresh.first };
}

/** Going back to a list finds it as it was left. */
const remembered = new Map<string, unknown>();
const MAX_REMEMBERED = 8;

/** `mark`: when it changes, the list is reloaded in the background. */
export function usePaged<Answer, Row>(
  options: PagedOptions<Answer, Row>,
  mark?: unknown,
): PagedList<Answer, Row> {
  const path = options.path(undefined);
  const list = (remembered.get(path) as PagedList<Answer, Row> | undefined) ?? new PagedList(options);
  remembered.delete(path);
  remembered.set(path, list);
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
  useEffect(() => () => list.leave(), [list]);
  useEffect(() => list.refresh(), [list, mark]);
  return list;
}
