import type { ComponentChild, ComponentChildren } from "preact";
import type { PagedList } from "../state/paged.js";
import { More } from "./more.js";
import { Failed, Loading } from "./states.js";

interface PagedRowsProps<Answer, Row> {
  list: PagedList<Answer, Row>;
  label?: string;
  /** The rows in plural, for the button that loads more. */
  what: string;
  /** Placeholders while the first page is loading. */
  loadingRows?: number;
  /** Shown if there are no rows. */
  empty: ComponentChildren;
  children(row: Row): ComponentChild;
}

/** A list that loads more rows at its end. */
export function PagedRows<Answer, Row>({
  list,
  label,
  what,
  loadingRows = 8,
  empty,
  children,
}: PagedRowsProps<Answer, Row>) {
  const { rows } = list;
  if (rows.length === 0) {
    if (list.loading) return <Loading rows={loadingRows} />;
    if (list.error) return <Failed error={list.error} retry={() => list.refresh()} />;
    if (!list.hasMore) return <>{empty}</>;
  }
  return (
    <>
      <ul class="list" aria-label={label}>
        {rows.map((row) => children(row))}
      </ul>
      <More list={list} what={what} />
    </>
  );
}
