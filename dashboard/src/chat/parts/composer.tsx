/** The message box: Enter sends, "/" lists commands, files are added by button, drop or paste. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { number } from "../../format.js";
import { Icon } from "../../parts/icons.js";
import { notify } from "../../parts/notices.js";
import { attach, attachments, hasFaultyFile, isUploading, takeUploads } from "../state/attachments.js";
import { newId } from "../state/ids.js";
import { features, limits } from "../state/me.js";
import { isBusy, stop, thread } from "../state/open.js";
import { conversationPath, go, place } from "../state/router.js";
import { send } from "../state/unsent.js";
import { attempt } from "./actions.js";
import { Attachments } from "./attachments.js";
import { Completion, useCompletion } from "./completion.js";
import { composerText, fillComposer, focusMark, writeText } from "./composer-text.js";
import { useRecall } from "./recall.js";

/** On phones, Enter inserts a line break and the button sends. */
const isTouch = window.matchMedia("(pointer: coarse)");

export function Composer() {
  const box = useRef<HTMLTextAreaElement>(null);
  const completion = useCompletion();
  const recall = useRecall();
  useFocus(box);
  const text = composerText.value;
  const tooLong = text.trim().length - limits.value.messageChars;
  const canSend = hasContent(text) && tooLong <= 0 && !isUploading.value && !hasFaultyFile.value;
  const submit = () => {
    if (!canSend) return;
    recall.end();
    sendText(text.trim());
  };
  return (
    <form
      class="composer"
      aria-label="Write a message"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Completion {...completion} />
      {tooLong > 0 ? <TooLong by={tooLong} /> : null}
      <div class="composer-box">
        <Attachments />
        <textarea
          ref={box}
          id="message"
          rows={1}
          aria-label="Message"
          aria-autocomplete="list"
          aria-controls="completion"
          aria-activedescendant={completion.activeId}
          placeholder="Message"
          enterkeyhint={isTouch.matches ? "enter" : "send"}
          value={text}
          onInput={(event) => {
            recall.end();
            writeText(event.currentTarget.value);
          }}
          onPaste={onPaste}
          onKeyDown={(event) => {
            // Enter also confirms an IME composition (Japanese, Chinese, …).
            if (event.isComposing || completion.onKey(event) || recall.onKey(event)) return;
            if (event.key !== "Enter" || event.shiftKey || isTouch.matches) return;
            event.preventDefault();
            submit();
          }}
        />
        <div class="composer-foot">
          {features.value.uploads ? <AttachButton /> : null}
          <span class="composer-hint">{hintOf(text)}</span>
          {isBusy.value ? (
            <button
              type="button"
              class="round stop"
              aria-label="Stop the answer"
              title="Stop (Esc)"
              onClick={() => void attempt(stop)}
            >
              <Icon name="stop" />
            </button>
          ) : null}
          {isBusy.value && !hasContent(text) ? null : (
            <button type="submit" class="round" aria-label="Send" title="Send" disabled={!canSend}>
              <Icon name="up" />
            </button>
          )}
        </div>
      </div>
    </form>
  );
}

const hasContent = (text: string) => text.trim() !== "" || attachments.value.length > 0;

function hintOf(text: string): string {
  if (isUploading.value) return "Uploading…";
  if (thread.value.turn?.waiting) return "";
  if (isBusy.value && text.trim() !== "" && !text.startsWith("/"))
    return "Queued until the answer is complete";
  const left = limits.value.messageChars - text.length;
  return left < 2000 && left >= 0 ? `${number(left)} characters left` : "";
}

function sendText(text: string): void {
  const { id } = thread.value;
  const message = {
    conversationId: id,
    clientId: newId(),
    text,
    files: takeUploads(),
    at: Date.now() / 1000,
  };
  writeText("");
  if (place.value.page === "new") go(conversationPath(id));
  send(message);
}

function onPaste(event: ClipboardEvent): void {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length === 0 || !features.value.uploads) return;
  event.preventDefault();
  addFiles(files);
}

/** Returns whether all of them were attached. */
export function addFiles(files: readonly File[]): boolean {
  const fault = attach(files);
  if (fault) notify(fault, "failed");
  focusMark.value += 1;
  return fault === undefined;
}

function AttachButton() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          addFiles([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}

/** Offers to attach a text that is too long as a file. */
function TooLong({ by }: { by: number }) {
  const asFile = () => {
    const file = new File([composerText.value], "message.txt", { type: "text/plain" });
    if (addFiles([file])) fillComposer("");
  };
  return (
    <div class="too-long" role="alert">
      <span>
        {number(by)} characters too long for one message.{" "}
        {features.value.uploads ? "Shorten it, or" : "Shorten it."}
      </span>
      {features.value.uploads ? (
        <button type="button" class="link" onClick={asFile}>
          attach it as a file
        </button>
      ) : null}
    </div>
  );
}

/** Focuses the box when a page opens, except on phones, where that would open the keyboard. */
function useFocus(box: { current: HTMLTextAreaElement | null }): void {
  const here = place.value;
  useEffect(() => {
    if (!isTouch.matches) box.current?.focus();
  }, [here.page === "conversation" ? here.id : ""]);
  useLayoutEffect(() => {
    if (focusMark.value === 0 || !box.current) return;
    box.current.focus();
    box.current.setSelectionRange(box.current.value.length, box.current.value.length);
  }, [focusMark.value]);
}
