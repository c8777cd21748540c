/** Small buttons below a message. */
import { useSignal } from "@preact/signals";
import { copyText } from "../../markdown/copy.js";
import { Icon, type IconName } from "../../parts/icons.js";
import { say } from "../../parts/notices.js";
import { sentenceOf } from "../state/request.js";

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
    if (!(await copyText(text))) return say("The browser doesn't allow copying here.", "failed");
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

/** Runs a request; says why it failed. */
export async function tried(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    say(sentenceOf(error), "failed");
    return false;
  }
}
