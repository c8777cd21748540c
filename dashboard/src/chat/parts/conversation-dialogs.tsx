import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Conversation } from "../../../../src/adapters/web/api.js";
import { changeConversation, deleteConversation } from "../state/list.js";
import { limits } from "../state/me.js";
import { go, place } from "../state/router.js";
import { attempt } from "./actions.js";
import { closeDialog, Dialog } from "./dialogs.js";

export function RenameDialog({ conversation: { id, title } }: { conversation: Conversation }) {
  const name = useSignal(title);
  const save = async () => {
    const newTitle = name.value.trim();
    if (newTitle !== "" && (await attempt(() => changeConversation(id, { title: newTitle })))) closeDialog();
  };
  return (
    <Dialog title="Rename the conversation">
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          Name
          <input
            class="field"
            value={name.value}
            maxLength={limits.value.titleChars}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
        </label>
        <Buttons>
          <button type="submit" class="button primary" disabled={name.value.trim() === ""}>
            Rename
          </button>
        </Buttons>
      </form>
    </Dialog>
  );
}

export function DeleteDialog({ conversation: { id, title } }: { conversation: Conversation }) {
  const erase = async () => {
    if (!(await attempt(() => deleteConversation(id)))) return;
    closeDialog();
    const here = place.value;
    if (here.page === "conversation" && here.id === id) go("/", { replace: true });
  };
  return (
    <Dialog title="Delete the conversation?">
      <p>“{title}” will be deleted with its versions, files and shared links. This can't be undone.</p>
      <Buttons>
        <button type="button" class="button danger" onClick={() => void erase()}>
          Delete
        </button>
      </Buttons>
    </Dialog>
  );
}

function Buttons({ children }: { children: ComponentChildren }) {
  return (
    <div class="dialog-buttons">
      <button type="button" class="button" onClick={closeDialog}>
        Cancel
      </button>
      {children}
    </div>
  );
}
