import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

let isFirst = true;

interface PageProps {
  title: string;
  /** Beside the title, on the right. */
  aside?: ComponentChildren;
  /** Above the title: a link back. */
  above?: ComponentChildren;
  children: ComponentChildren;
}

/** A page. Its heading gets the focus when the page opens, so that screen readers announce it. */
export function Page({ title, aside, above, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Hermes Gateway`;
  }, [title]);
  useEffect(() => {
    const page = heading.current?.closest(".page");
    // The shortcut `/` has already focused the search box.
    const isTaken = page?.contains(document.activeElement);
    if (!isFirst && !isTaken) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <div class="page">
      {above}
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {aside}
      </div>
      {children}
    </div>
  );
}
