/** One dialog at a time. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Conversation } from "../../../../src/adapters/web/api.js";
import { Modal } from "../../parts/modal.js";
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

export function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Modal title={title} onClose={closeDialog}>
      {children}
    </Modal>
  );
}
