import { useEffect, useRef } from "preact/hooks";
import type { PagedList } from "../state/paged.js";
import { Failed } from "./states.js";

/** Beyond this, only the button loads more rows: an endless page gets slow. */
const MAX_AUTO_LOADED = 1000;

/** The end of a list: loads more rows when it scrolls near the view, or with its button. */
export function More<Answer, Row>({ list, what }: { list: PagedList<Answer, Row>; what: string }) {
  const end = useRef<HTMLDivElement>(null);
  const { rows } = list;
  // Observe again after every page: an end that is already visible fires no new event.
  useEffect(() => {
    if (rows.length >= MAX_AUTO_LOADED) return;
    const watch = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && list.more(), {
      rootMargin: "600px",
    });
    watch.observe(end.current!);
    return () => watch.disconnect();
  }, [list, rows.length]);
  return (
    <div class="more" ref={end}>
      {list.error ? (
        <Failed error={list.error} retry={() => (list.hasMore ? list.more() : list.refresh())} />
      ) : null}
      {list.loading && rows.length > 0 ? <p role="status">Loading more {what}…</p> : null}
      {list.hasMore && !list.error ? (
        <button type="button" class="button" onClick={() => list.more()}>
          Show more {what}
        </button>
      ) : null}
    </div>
  );
}
