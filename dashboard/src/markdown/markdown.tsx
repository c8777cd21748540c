import { useLayoutEffect, useRef, useState } from "preact/hooks";

type Draw = (box: HTMLElement, text: string) => void;
let draw: Draw | undefined;

/** Loaded after the first picture of the page: until then the text is shown as it was written. */
export async function loadMarkdown(): Promise<void> {
  draw ??= (await import("./draw.js")).draw;
}

export function Markdown({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [isReady, setReady] = useState(draw !== undefined);
  useLayoutEffect(() => {
    let isGone = false;
    if (!isReady)
      loadMarkdown().then(
        () => !isGone && setReady(true),
        (error: unknown) => console.warn("The text stays as it was written:", error),
      );
    return () => {
      isGone = true;
    };
  }, [isReady]);
  useLayoutEffect(() => {
    if (box.current && draw) draw(box.current, text);
    else if (box.current) box.current.textContent = text;
  }, [text, isReady]);
  return <div class={isReady ? "md" : "md as-written"} ref={box} />;
}
