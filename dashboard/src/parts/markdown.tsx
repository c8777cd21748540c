import { useLayoutEffect, useRef } from "preact/hooks";
import { markdown } from "../../../assets/web/markdown.js";

/** Drawn by the web chat's own renderer: text only ever becomes text nodes. */
export function Markdown({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current?.replaceChildren(markdown(text));
  }, [text]);
  return <div class="words" ref={box} />;
}
