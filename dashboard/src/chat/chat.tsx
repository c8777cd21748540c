/** The chat page: sidebar, conversation and composer. */

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/icons.js";
import { notify } from "../parts/notices.js";
import { errorText } from "../state/api.js";
import { Composer } from "./parts/composer.js";
import { Conversation } from "./parts/conversation.js";
import { Dialogs } from "./parts/dialogs.js";
import { DropTarget } from "./parts/drop-target.js";
import { Pickers } from "./parts/pickers.js";
import { Sidebar } from "./parts/sidebar.js";
import { isBusy, isEmpty, stop, thread } from "./state/open.js";
import { place } from "./state/router.js";
import { startFault } from "./state/start.js";
import { connection } from "./state/stream.js";

export function Chat() {
  const isOpen = useSignal(false);
  const opener = useRef<HTMLButtonElement>(null);
  const isNew = place.value.page === "new";
  const title = isNew ? "New chat" : (thread.value.conversation?.title ?? "New chat");
  useStopKey();
  useEffect(() => {
    document.title = isNew || !thread.value.conversation ? "Hermes Gateway" : `${title} · Hermes`;
  }, [title, isNew, thread.value.conversation === null]);
  useEffect(() => {
    isOpen.value = false;
  }, [place.value]);
  const close = () => {
    isOpen.value = false;
    opener.current?.focus();
  };
  return (
    <DropTarget>
      <a class="skip" href="#message">
        Skip to the message box
      </a>
      <Sidebar isOpen={isOpen.value} onClose={close} />
      <button
        type="button"
        class="shade"
        tabIndex={-1}
        aria-label="Close the list"
        hidden={!isOpen.value}
        onClick={close}
      />
      <div class={isEmpty.value && isNew ? "main is-new" : "main"}>
        <header class="head">
          <button
            ref={opener}
            type="button"
            class="icon-button only-narrow"
            aria-label="Show your conversations"
            aria-expanded={isOpen.value}
            aria-controls="side"
            onClick={() => {
              isOpen.value = true;
            }}
          >
            <Icon name="menu" />
          </button>
          <h1>{title}</h1>
          <Pickers />
          <Connection />
          <a class="icon-button only-narrow" href="/" aria-label="New chat" title="New chat">
            <Icon name="plus" />
          </a>
        </header>
        <Conversation />
        <Composer />
      </div>
      <Dialogs />
    </DropTarget>
  );
}

/** Shows only a lost connection. */
function Connection() {
  const isLost = connection.value === "lost" || startFault.value !== undefined;
  return (
    <p class="connection" role="status" data-state={connection.value} title={startFault.value}>
      {isLost ? "Reconnecting…" : ""}
    </p>
  );
}

/** Escape stops the answer, unless a dialog, a menu or the completion uses it. */
function useStopKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || !isBusy.value) return;
      if (document.querySelector("dialog[open], [role=menu], .side.open")) return;
      stop().catch((error: unknown) => notify(errorText(error), "failed"));
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
