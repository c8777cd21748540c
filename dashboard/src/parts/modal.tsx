import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icons.js";

interface ModalProps {
  title: string;
  onClose(): void;
  children: ComponentChildren;
}

/** A modal dialog: the browser traps the focus and closes it with Escape. */
export function Modal({ title, onClose, children }: ModalProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    // A click on the backdrop has the dialog itself as its target.
    dialog?.addEventListener("click", ({ target }) => target === dialog && onClose());
  }, []);
  return (
    <dialog ref={box} aria-labelledby="dialog-title" onClose={onClose}>
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="icon-button small" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  );
}
