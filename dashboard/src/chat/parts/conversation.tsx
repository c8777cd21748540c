/** The messages, oldest first, and the answer that is being written. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { ChatMessage } from "../../../../src/adapters/web/api.js";
import { Icon } from "../../parts/icons.js";
import { isBusy, isEmpty, isLoading, loadEarlier, openFault, reopen, thread } from "../state/open.js";
import { place } from "../state/router.js";
import { isUnanswered, shownMessages } from "../state/thread.js";
import { unsent } from "../state/unsent.js";
import { LiveAnswer } from "./live-answer.js";
import { AnswerAgain, Message } from "./message.js";
import { Queued, UnsentMessage } from "./pending.js";
import { Welcome } from "./welcome.js";

/** The key of a question stays the same when the server stores it, so its element stays. */
const keyOf = (message: ChatMessage) =>
  message.from === "user" && message.clientId !== null ? `u:${message.clientId}` : message.id;

/** Within this many pixels of the end, the view follows the answer. */
const NEAR = 80;

export function Conversation() {
  const scroll = useRef<HTMLElement>(null);
  const isAtEnd = useSignal(true);
  const { id, turn, queued, earlier } = thread.value;
  const messages = shownMessages(thread.value);
  const pending = unsent.value.filter(({ conversationId }) => conversationId === id);
  const isBlank = isEmpty.value && pending.length === 0 && queued.length === 0;
  useFollow(scroll, isAtEnd, id, [messages, turn, queued, pending.length]);
  const lastAnswer = messages.findLast((one) => one.from === "agent");
  return (
    <>
      <main
        ref={scroll}
        class="scroll"
        id="conversation"
        tabIndex={-1}
        onScroll={({ currentTarget: box }) => {
          isAtEnd.value = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;
        }}
      >
        <div class="column">
          {earlier ? <Earlier scroll={scroll} /> : null}
          {openFault.value ? <Fault text={openFault.value} /> : null}
          {isLoading.value ? <p class="loading">Loading…</p> : null}
          {isBlank && !isLoading.value && !openFault.value ? <Welcome /> : null}
          <div class="messages" role="log" aria-label="Conversation" aria-live="polite">
            {messages.map((message) => (
              <Message
                key={keyOf(message)}
                message={message}
                isLastAnswer={message === lastAnswer && message === messages.at(-1) && !isBusy.value}
              />
            ))}
          </div>
          {isUnanswered(thread.value) && pending.length === 0 ? (
            <div class="actions always">
              <AnswerAgain />
            </div>
          ) : null}
          {turn ? <LiveAnswer key={turn.turnId} turn={turn} /> : null}
          {queued.map((one) => (
            <Queued key={one.clientId} message={one} />
          ))}
          {pending.map((one) => (
            <UnsentMessage key={one.clientId} message={one} />
          ))}
        </div>
      </main>
      {isAtEnd.value ? null : (
        <button type="button" class="to-end" onClick={() => toEnd(scroll.current)}>
          <Icon name="down" small />
          Newest
        </button>
      )}
    </>
  );
}

function toEnd(box: HTMLElement | null): void {
  box?.scrollTo({ top: box.scrollHeight });
}

/** Keeps the view at the end if it is there. A newly opened conversation starts at its end. */
function useFollow(
  scroll: { current: HTMLElement | null },
  isAtEnd: { value: boolean },
  id: string,
  changes: readonly unknown[],
): void {
  const last = useRef("");
  useLayoutEffect(() => {
    if (last.current !== id) isAtEnd.value = true;
    last.current = id;
    if (isAtEnd.value) toEnd(scroll.current);
  }, [id, ...changes]);
  // Images, code highlighting and formulas change the height later.
  useEffect(() => {
    const column = scroll.current?.firstElementChild;
    if (!column) return;
    const observer = new ResizeObserver(() => isAtEnd.value && toEnd(scroll.current));
    observer.observe(column);
    return () => observer.disconnect();
  }, []);
}

/** Loads older messages when scrolled into view, and keeps the scroll position. */
function Earlier({ scroll }: { scroll: { current: HTMLElement | null } }) {
  const button = useRef<HTMLButtonElement>(null);
  const isFetching = useSignal(false);
  const load = async () => {
    if (isFetching.value) return;
    isFetching.value = true;
    const box = scroll.current;
    const below = box ? box.scrollHeight - box.scrollTop : 0;
    await loadEarlier();
    isFetching.value = false;
    requestAnimationFrame(() => box?.scrollTo({ top: box.scrollHeight - below }));
  };
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) void load();
    });
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, [thread.value.messages[0]?.id]);
  return (
    <button ref={button} type="button" class="earlier link" onClick={() => void load()}>
      {isFetching.value ? "Loading…" : "Earlier messages"}
    </button>
  );
}

function Fault({ text }: { text: string }) {
  return (
    <div class="fault" role="alert">
      <p>{text}</p>
      {place.value.page === "conversation" ? (
        <button type="button" class="button" onClick={() => void reopen()}>
          <Icon name="retry" small />
          Try again
        </button>
      ) : null}
    </div>
  );
}
