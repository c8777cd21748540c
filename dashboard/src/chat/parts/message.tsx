/** One message of the conversation. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type {
  AnswerMessage,
  ChatMessage,
  NoticeMessage,
  UserMessage,
} from "../../../../src/adapters/web/api.js";
import { clock, fullMoment } from "../../format.js";
import { Markdown } from "../../markdown/markdown.js";
import { limits } from "../state/me.js";
import { edit, isBusy, press, regenerate } from "../state/open.js";
import { Action, attempt, CopyAction } from "./actions.js";
import { Branches } from "./branches.js";
import { Files } from "./files.js";
import { Sources } from "./sources.js";
import { ToolCalls } from "./tool-calls.js";
import { Usage } from "./usage.js";

export function Message({ message, isLastAnswer }: { message: ChatMessage; isLastAnswer: boolean }) {
  if (message.from === "user") return <Question message={message} />;
  if (message.from === "agent") return <Answer message={message} isLast={isLastAnswer} />;
  return <Notice message={message} />;
}

function When({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={fullMoment(at)}>
      {clock(at)}
    </time>
  );
}

function Question({ message }: { message: UserMessage }) {
  const isEditing = useSignal(false);
  const { id, text, files, undone, at } = message;
  if (isEditing.value)
    return (
      <Editor
        message={message}
        onClose={() => {
          isEditing.value = false;
        }}
      />
    );
  const isStored = !id.startsWith("sent:");
  return (
    <article class="message user" data-undone={undone || undefined} aria-label="You">
      <Files files={files} />
      {text ? <p class="bubble">{text}</p> : null}
      <div class="actions">
        {undone ? <span class="tag">Undone</span> : null}
        <When at={at} />
        <Branches messageId={id} />
        <CopyAction text={text} label="Copy the question" />
        {isStored && !undone && !text.startsWith("/") ? (
          <Action
            label="Edit the question"
            icon="pencil"
            onClick={() => {
              isEditing.value = true;
            }}
          />
        ) : null}
      </div>
    </article>
  );
}

function Editor({ message, onClose }: { message: UserMessage; onClose(): void }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const text = useSignal(message.text);
  const isSending = useSignal(false);
  // Before the browser paints, so that the cursor doesn't jump for someone who is already typing.
  useLayoutEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(text.value.length, text.value.length);
  }, []);
  const files = message.files.flatMap(({ id }) => id ?? []);
  const canSend = text.value.trim() !== "" || files.length > 0;
  const send = async () => {
    if (!canSend || isSending.value) return;
    isSending.value = true;
    const isDone = await attempt(() => edit(message.id, text.value.trim(), files));
    isSending.value = false;
    if (isDone) onClose();
  };
  return (
    <form
      class="message user editor"
      aria-label="Edit the question"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={box}
        aria-label="Question"
        value={text.value}
        maxLength={limits.value.messageChars}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            void send();
          } else if (event.key === "Escape") {
            event.preventDefault();
            onClose();
          }
        }}
      />
      <div class="editor-foot">
        <span class="quiet">The current version stays; you can switch back.</span>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" class="button primary" disabled={!canSend || isSending.value}>
          Send
        </button>
      </div>
    </form>
  );
}

function Answer({ message, isLast }: { message: AnswerMessage; isLast: boolean }) {
  const { id, text, tools, files, sources, stopped, undone, final, usage, at, reasoning } = message;
  return (
    <article class="message agent" data-undone={undone || undefined} aria-label="Hermes">
      {reasoning ? (
        <details class="reasoning">
          <summary>Thoughts</summary>
          <Markdown text={reasoning} />
        </details>
      ) : null}
      {text ? <Markdown text={text} /> : null}
      <ToolCalls calls={tools} />
      <Files files={files} />
      <Sources sources={sources} />
      {stopped ? <p class="tag">Stopped</p> : null}
      {final || stopped ? (
        <div class={isLast ? "actions always" : "actions"}>
          {undone ? <span class="tag">Undone</span> : null}
          <Branches messageId={id} />
          <CopyAction text={text} label="Copy the answer" />
          {isLast && !undone ? <AnswerAgain /> : null}
          <When at={at} />
          {usage ? <Usage usage={usage} /> : null}
        </div>
      ) : null}
    </article>
  );
}

export function AnswerAgain() {
  return (
    <Action
      label="Answer again"
      icon="retry"
      disabled={isBusy.value}
      onClick={() => void attempt(regenerate)}
    />
  );
}

function Notice({ message }: { message: NoticeMessage }) {
  const isPressed = useSignal(false);
  const { kind, text, files, buttons } = message;
  const onPress = async (data: string, label: string) => {
    isPressed.value = true;
    if (!(await attempt(() => press(data, label)))) isPressed.value = false;
  };
  return (
    <article
      class="message gateway"
      data-kind={kind}
      aria-label={kind === "question" ? "A question" : "Notice"}
    >
      <Markdown text={text} />
      <Files files={files} />
      {buttons.length > 0 ? (
        <div class="choices">
          {buttons.map(({ label, data, style }) => (
            <button
              key={data}
              type="button"
              class={`button ${style ?? ""}`}
              disabled={isPressed.value}
              onClick={() => void onPress(data, label)}
            >
              {label}
            </button>
          ))}
        </div>
      ) : null}
    </article>
  );
}
