import { Fragment } from "preact";

const OPEN = ">>>";
const CLOSE = "<<<";

/** A snippet with `>>>` and `<<<` around what was found. Everything stays text: nothing in it can act. */
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
