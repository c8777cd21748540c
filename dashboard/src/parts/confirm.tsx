import { useState } from "preact/hooks";

interface ConfirmProps {
  what: string;
  /** Distinguishes buttons with the same label; for screen readers only. */
  of?: string;
  /** Explains the consequence before the user confirms. */
  question: string;
  danger?: boolean;
  act(): Promise<unknown>;
}

/** A button that asks for confirmation. */
export function Confirm({ what, of, question, danger = false, act }: ConfirmProps) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    await act();
    setBusy(false);
    setAsking(false);
  };
  if (!asking) {
    return (
      <button type="button" class="button" onClick={() => setAsking(true)}>
        {what}
        {of ? <span class="unseen"> {of}</span> : null}
      </button>
    );
  }
  return (
    <fieldset class="confirm" aria-label={`${what}?`}>
      <span>{question}</span>
      <button type="button" class="button" onClick={() => setAsking(false)}>
        Cancel
      </button>
      <button
        type="button"
        class={`button ${danger ? "danger" : "primary"}`}
        disabled={busy}
        onClick={() => void confirm()}
      >
        {what} now
      </button>
    </fieldset>
  );
}
