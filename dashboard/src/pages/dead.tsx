import { useState } from "preact/hooks";
import type { DeadAnswer } from "../../../src/http/dashboard/types.js";
import { counted } from "../format.js";
import { Badge, Platform } from "../parts/badges.js";
import { Confirm } from "../parts/confirm.js";
import { Icon } from "../parts/icons.js";
import { notify } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { PagedRows } from "../parts/paged-rows.js";
import { Empty } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { Who } from "../parts/who.js";
import { notifyError } from "../state/act.js";
import { post, withQuery } from "../state/api.js";
import { deadCount } from "../state/live.js";
import { usePaged } from "../state/paged.js";
import { href } from "../state/router.js";
import { useThrottled } from "../state/throttle.js";

type Letter = DeadAnswer["letters"][number];

export function DeadPage() {
  const list = usePaged<DeadAnswer, Letter>(
    {
      path: (before) => withQuery("/dead", { before }),
      rowsOf: ({ letters, next }) => ({ rows: letters, next }),
      idOf: ({ id }) => id,
    },
    useThrottled(deadCount.value, 1000),
  );
  const isEmpty = list.rows.length === 0;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // Ignore chosen letters that have been retried or discarded since.
  const ids = list.rows.map(({ id }) => id).filter((id) => chosen.has(id));
  const choose = (id: string, isChosen: boolean) => {
    const others = ids.filter((one) => one !== id);
    setChosen(new Set(isChosen ? [...others, id] : others));
  };
  const settle = async (action: "retry" | "discard", what: { ids: string[] } | { all: true }) => {
    try {
      const done = await post<{ retried?: number; discarded?: number }>(`/dead/${action}`, what);
      const count = done.retried ?? done.discarded ?? 0;
      notify(
        action === "retry"
          ? `${counted(count, "message is", "messages are")} tried again.`
          : `${counted(count, "message was", "messages were")} discarded.`,
      );
      if ("ids" in what) for (const id of what.ids) list.remove(id);
      setChosen(new Set());
    } catch (error) {
      notifyError(error);
    }
    list.refresh();
  };
  return (
    <Page title="Dead letters">
      <p class="lead">
        Messages that failed after several attempts, and answers that a platform rejected. A retry continues
        where they stopped. Failures that were reported in the chat aren’t listed: people can ask again.
      </p>
      {isEmpty ? null : (
        <div class="action-buttons">
          <label class="check">
            <input
              type="checkbox"
              checked={ids.length === list.rows.length}
              onChange={(event) =>
                setChosen(new Set(event.currentTarget.checked ? list.rows.map(({ id }) => id) : []))
              }
            />
            Select all shown
          </label>
          {ids.length > 0 ? (
            <>
              <button type="button" class="button" onClick={() => void settle("retry", { ids })}>
                <Icon name="retry" small />
                Retry {counted(ids.length, "letter")}
              </button>
              <Confirm
                what={`Discard ${counted(ids.length, "letter")}`}
                question="They won’t be tried again."
                danger
                act={() => settle("discard", { ids })}
              />
            </>
          ) : null}
          {list.rows.length > 1 ? (
            <Confirm
              what="Retry all"
              question="Every dead letter is tried again at once."
              act={() => settle("retry", { all: true })}
            />
          ) : null}
        </div>
      )}
      <PagedRows
        list={list}
        label="Dead letters, latest first"
        what="letters"
        loadingRows={3}
        empty={
          <Empty title="No dead letters">Messages that can’t be answered or delivered appear here.</Empty>
        }
      >
        {(letter) => (
          <LetterRow
            key={letter.id}
            letter={letter}
            chosen={chosen.has(letter.id)}
            choose={(isChosen) => choose(letter.id, isChosen)}
            retry={() => settle("retry", { ids: [letter.id] })}
            discard={() => settle("discard", { ids: [letter.id] })}
          />
        )}
      </PagedRows>
    </Page>
  );
}

interface LetterProps {
  letter: Letter;
  chosen: boolean;
  choose(isChosen: boolean): void;
  retry(): Promise<void>;
  discard(): Promise<void>;
}

function LetterRow({ letter, chosen, choose, retry, discard }: LetterProps) {
  const [busy, setBusy] = useState(false);
  const { id, platform, text, error, attempts, at, state } = letter;
  const isAnswer = id.startsWith("out:");
  return (
    <li class="letter">
      <input
        type="checkbox"
        aria-label={`Select ${id}`}
        checked={chosen}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      <div class="letter-main">
        <p class="letter-text">{text || "No text"}</p>
        <p class="letter-error">
          <Icon name="warning" small />
          {error ?? "Unknown reason"}
        </p>
        <p class="session-facts">
          <Badge tone={state === "unknown" ? "wait" : "bad"}>
            {isAnswer ? (state === "unknown" ? "Answer, may have arrived" : "Answer") : "Message"}
          </Badge>
          <Platform name={platform} />
          <Who name={letter.chatName} id={letter.chatId} />
          <span>{counted(attempts, "attempt")}</span>
          <Ago at={at} />
          <a href={href(`/messages/${id}`)}>{id}</a>
        </p>
      </div>
      <div class="letter-buttons">
        <button
          type="button"
          class="button"
          disabled={busy}
          aria-label={`Retry ${id}`}
          onClick={() => {
            setBusy(true);
            void retry().finally(() => setBusy(false));
          }}
        >
          <Icon name="retry" small />
          {busy ? "Trying…" : "Retry"}
        </button>
        <Confirm what="Discard" of={id} question="It won’t be tried again." danger act={discard} />
      </div>
    </li>
  );
}
