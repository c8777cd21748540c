import { useLayoutEffect, useRef, useState } from "preact/hooks";

type Draw = (box: HTMLElement, text: string) => void;
let draw: Draw | undefined;

/** Loaded after the first paint; until then, the source text is shown. */
export async function loadMarkdown(): Promise<void> {
  draw ??= (await import("./draw.js")).draw;
}

export function Markdown({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(draw !== undefined);
  useLayoutEffect(() => {
    let isUnmounted = false;
    if (!isReady)
      loadMarkdown().then(
        () => !isUnmounted && setReady(true),
        (error: unknown) => console.warn("The text is shown without formatting:", error),
      );
    return () => {
      isUnmounted = true;
    };
  }, [isReady]);
  useLayoutEffect(() => {
    if (box.current && draw) draw(box.current, text);
    else if (box.current) box.current.textContent = text;
  }, [text, isReady]);
  return <div class={isReady ? "md" : "md as-written"} ref={box} />;
}
