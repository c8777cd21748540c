/** Shows the changes to the files before they are written. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { SettingsPreview } from "../../../src/http/dashboard/settings-types.js";

interface ReviewProps {
  changes: SettingsPreview["changes"];
  write(): Promise<void>;
  back(): void;
}

const SIGNS = { "+": "added", "-": "removed", " ": "unchanged" } as const;

export function Review({ changes, write, back }: ReviewProps) {
  const [busy, setBusy] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const confirm = async () => {
    setBusy(true);
    await write();
    setBusy(false);
  };
  return (
    <section class="card review" aria-labelledby="review">
      <h2 id="review" ref={heading} tabIndex={-1}>
        What will be written
      </h2>
      {changes.map(({ file, lines }) => (
        <figure key={file}>
          <figcaption class="mono">{file}</figcaption>
          <div class="diff">
            {lines.map(({ sign, text }, index) => (
              <p key={index} data-sign={sign}>
                <span aria-hidden="true">{sign}</span>
                <span class="unseen">{SIGNS[sign]}: </span>
                {text}
              </p>
            ))}
          </div>
        </figure>
      ))}
      {changes.length === 0 ? <p>The files already have these values: there is nothing to write.</p> : null}
      <div class="action-buttons">
        <button type="button" class="button" onClick={back}>
          Back
        </button>
        {changes.length > 0 ? (
          <button type="button" class="button primary" disabled={busy} onClick={() => void confirm()}>
            Write {changes.map(({ file }) => file).join(" and ")}
          </button>
        ) : null}
      </div>
    </section>
  );
}
