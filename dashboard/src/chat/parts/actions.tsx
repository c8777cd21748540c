/** Small buttons below a message. */

import { useSignal } from "@preact/signals";
import { copyText } from "../../markdown/copy.js";
import { Icon, type IconName } from "../../parts/icons.js";
import { notify } from "../../parts/notices.js";
import { errorText } from "../../state/api.js";

interface ActionProps {
  label: string;
  icon: IconName;
  disabled?: boolean;
  onClick(): void;
}

export function Action({ label, icon, disabled, onClick }: ActionProps) {
  return (
    <button
      type="button"
      class="icon-button small"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} small />
    </button>
  );
}

export function CopyAction({ text, label }: { text: string; label: string }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    if (!(await copyText(text))) return notify("The browser doesn't allow copying here.", "failed");
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, 2000);
  };
  return (
    <Action
      label={isCopied.value ? "Copied" : label}
      icon={isCopied.value ? "check" : "copy"}
      onClick={() => void copy()}
    />
  );
}

/** Runs a request and shows a notice if it fails. Returns whether it succeeded. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    notify(errorText(error), "failed");
    return false;
  }
}
