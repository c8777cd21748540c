import { Fragment } from "preact";

const OPEN = ">>>";
const CLOSE = "<<<";

/** A search snippet with `>>>` and `<<<` around matches. Rendered as text, so it can't inject markup. */
export function Highlight({ text }: { text: string }) {
  const parts = text.split(CLOSE);
  const last = parts.pop();
  return (
    <>
      {parts.map((part, i) => {
        const open = part.indexOf(OPEN);
        if (open === -1) return part + CLOSE;
        return (
          <Fragment key={i}>
            {part.slice(0, open)}
            <mark>{part.slice(open + OPEN.length)}</mark>
          </Fragment>
        );
      })}
      {last}
    </>
  );
}
