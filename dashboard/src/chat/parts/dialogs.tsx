/** One dialog at a time. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Conversation } from "../../../../src/adapters/web/api.js";
import { Icon } from "../../parts/icons.js";
import { AccountDialog } from "./account.js";
import { DeleteDialog, RenameDialog } from "./conversation-dialogs.js";
import { ShareDialog } from "./share.js";

type Shown = { kind: "rename" | "delete" | "share"; conversation: Conversation } | { kind: "account" };

const shown = signal<Shown | undefined>(undefined);

export function showDialog(dialog: Shown): void {
  shown.value = dialog;
}

export function closeDialog(): void {
  shown.value = undefined;
}

export function Dialogs() {
  const dialog = shown.value;
  if (!dialog) return null;
  if (dialog.kind === "account") return <AccountDialog />;
  const { kind, conversation } = dialog;
  if (kind === "rename") return <RenameDialog conversation={conversation} />;
  if (kind === "delete") return <DeleteDialog conversation={conversation} />;
  return <ShareDialog conversation={conversation} />;
}

/** A modal dialog: the browser traps the focus and closes it with Escape. */
export function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    // A click on the backdrop has the dialog itself as its target.
    dialog?.addEventListener("click", ({ target }) => target === dialog && closeDialog());
  }, []);
  return (
    <dialog ref={box} aria-labelledby="dialog-title" onClose={closeDialog}>
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="icon-button small" aria-label="Close" onClick={closeDialog}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}
