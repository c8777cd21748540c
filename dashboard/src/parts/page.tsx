import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

let isFirst = true;

interface PageProps {
  title: string;
  /** Beside the title, on the right. */
  aside?: ComponentChildren;
  /** Above the title: the way back. */
  above?: ComponentChildren;
  children: ComponentChildren;
}

/** A page with its heading: it is read out when the page changes. */
export function Page({ title, aside, above, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Hermes Gateway`;
  }, [title]);
  useEffect(() => {
    const page = heading.current?.closest(".page");
    // After a shortcut the focus is in the search already.
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
