import { useState } from "preact/hooks";
import type { DeadAnswer } from "../../../src/http/dashboard/types.js";
import { counted } from "../format.js";
import { Badge, Platform } from "../parts/badges.js";
import { Icon } from "../parts/icons.js";
import { More } from "../parts/more.js";
import { say } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { post, withQuery } from "../state/api.js";
import { deadCount } from "../state/live.js";
import { usePaged } from "../state/paged.js";
import { href } from "../state/router.js";
import { usePaced } from "../state/settle.js";

type Letter = DeadAnswer["letters"][number];

export function DeadPage() {
  const list = usePaged<DeadAnswer, Letter>(
    {
      path: (before) => withQuery("/dead", { before }),
      rowsOf: ({ letters, next }) => ({ rows: letters, next }),
      idOf: ({ id }) => id,
    },
    usePaced(deadCount.value, 1000),
  );
  const isEmpty = list.rows.length === 0;
  const retry = async (what: { id: string } | { all: true }) => {
    try {
      const { retried } = await post<{ retried: number }>("/dead/retry", what);
      say(`${counted(retried, "message is", "messages are")} tried again.`);
      if ("id" in what) list.remove(what.id);
    } catch (error) {
      say((error as Error).message, "failed");
    }
    list.refresh();
  };
  return (
    <Page
      title="Dead letters"
      aside={
        list.rows.length > 1 ? (
          <button type="button" class="button push" onClick={() => void retry({ all: true })}>
            <Icon name="retry" small />
            Retry all
          </button>
        ) : null
      }
    >
      <p class="lead">
        Messages that were given up after several attempts, and answers that a platform wouldn’t take. Nothing
        is thrown away: a retry takes them up where they were left.
      </p>
      {isEmpty ? null : (
        <ul class="list" aria-label="Dead letters, the latest first">
          {list.rows.map((letter) => (
            <LetterRow key={letter.id} letter={letter} retry={() => retry({ id: letter.id })} />
          ))}
        </ul>
      )}
      {isEmpty && list.loading ? <Loading /> : null}
      {isEmpty && list.error ? <Failed error={list.error} again={() => list.refresh()} /> : null}
      {isEmpty && !list.loading && !list.error ? (
        <Empty title="Nothing was given up">As it should be.</Empty>
      ) : null}
      {isEmpty ? null : <More list={list} what="letters" />}
    </Page>
  );
}

function LetterRow({ letter, retry }: { letter: Letter; retry(): Promise<void> }) {
  const [busy, setBusy] = useState(false);
  const { id, platform, text, error, attempts, at, state } = letter;
  const isAnswer = id.startsWith("out:");
  return (
    <li class="letter">
      <div class="letter-main">
        <p class="letter-text">{text || "No words"}</p>
        <p class="letter-error">
          <Icon name="warning" small />
          {error ?? "No reason is known"}
        </p>
        <p class="session-facts">
          <Badge tone={state === "unknown" ? "wait" : "bad"}>
            {isAnswer ? (state === "unknown" ? "Answer, may have arrived" : "Answer") : "Message"}
          </Badge>
          <Platform name={platform} />
          <span>{counted(attempts, "attempt")}</span>
          <Ago at={at} />
          <a href={href(`/messages/${id}`)}>{id}</a>
        </p>
      </div>
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
    </li>
  );
}
