/** Approvals and questions that wait for an answer. */
import { useState } from "preact/hooks";
import type { OpenQuestion, QuestionsAnswer } from "../../../src/http/dashboard/questions-types.js";
import { duration } from "../format.js";
import { Markdown } from "../markdown/markdown.js";
import { Badge, Platform, type Tone } from "../parts/badges.js";
import { Confirm } from "../parts/confirm.js";
import { Page } from "../parts/page.js";
import { Empty, LoadingOrFailed } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { Who } from "../parts/who.js";
import { act } from "../state/act.js";
import { now } from "../state/clock.js";
import { useFetched } from "../state/fetched.js";
import { questionCount, queuesMark } from "../state/live.js";
import { href } from "../state/router.js";
import { useThrottled } from "../state/throttle.js";
import { personPath } from "./people.js";

export function QuestionsPage() {
  const mark = useThrottled(`${questionCount.value} ${queuesMark.value}`, 1000);
  const fetched = useFetched<QuestionsAnswer>("/questions", mark);
  const questions = fetched.data?.questions;
  return (
    <Page title="Open questions">
      <p class="lead">
        Questions that wait for an answer. The first answer counts, here or in the chat, and the chat shows
        who decided.
      </p>
      {questions?.map((question) => (
        <QuestionCard key={question.id} question={question} reload={fetched.reload} />
      ))}
      {questions?.length === 0 ? (
        <Empty title="No open questions">
          Tools that need an approval ask in the chat, and appear here until they are answered.
        </Empty>
      ) : null}
      <LoadingOrFailed of={fetched} rows={2} />
    </Page>
  );
}

const KINDS: Record<OpenQuestion["kind"], [string, Tone]> = {
  approval: ["Approval", "wait"],
  clarify: ["Question from the agent", "accent"],
  command: ["Choice after a command", "quiet"],
};

interface CardProps {
  question: OpenQuestion;
  reload(): void;
}

function QuestionCard({ question, reload }: CardProps) {
  const { id, kind, text, choices, asked, place, sessionId, createdAt, expiresAt } = question;
  const [busy, setBusy] = useState(false);
  const [label, tone] = KINDS[kind];
  const answer = async (reply: { choice: string } | { text: string }, done: string) => {
    setBusy(true);
    const answered = await act("/questions/answer", { id, ...reply }, done);
    setBusy(false);
    reload();
    return answered !== undefined;
  };
  const left = expiresAt - now.value;
  return (
    <article class="card question" aria-label={`${label} ${id}`}>
      <p class="session-facts">
        <Badge tone={tone}>{label}</Badge>
        {place ? <Platform name={place.platform} /> : null}
        {place && place.name !== asked?.name ? (
          <Who name={place.name} id={place.chatId} unknown="A chat" />
        ) : null}
        <span>
          asked {asked ? <Who name={asked.name} id={asked.userId} to={personPath(asked)} /> : "the owners"}{" "}
          <Ago at={createdAt} />
        </span>
        <span>{left > 0 ? `${duration(Math.max(1, Math.round(left)))} left` : "expires now"}</span>
        {sessionId === null ? null : <a href={href(`/sessions/${encodeURIComponent(sessionId)}`)}>Session</a>}
      </p>
      <div class="question-text">
        <Markdown text={text} />
      </div>
      {kind === "command" ? (
        <div class="letter-buttons">
          <span class="quiet">Only the person who was asked can choose.</span>
          <Confirm
            what="Withdraw"
            of={id}
            question="Its buttons disappear from the chat."
            act={() => act("/questions/withdraw", { id }, "The question was withdrawn.").finally(reload)}
          />
        </div>
      ) : (
        <div class="letter-buttons">
          {choices.map((choice) => (
            <button
              key={choice.id}
              type="button"
              class={`button ${choice.style ?? ""}`}
              disabled={busy}
              onClick={() => void answer({ choice: choice.id }, `${choice.label}: decided.`)}
            >
              {choice.label}
            </button>
          ))}
        </div>
      )}
      {question.acceptsText ? <OwnWords answer={answer} busy={busy} /> : null}
    </article>
  );
}

interface OwnWordsProps {
  answer(reply: { text: string }, done: string): Promise<boolean>;
  busy: boolean;
}

function OwnWords({ answer, busy }: OwnWordsProps) {
  const [text, setText] = useState("");
  const send = async (event: Event) => {
    event.preventDefault();
    if (await answer({ text }, "The agent has your answer.")) setText("");
  };
  return (
    <form class="action-buttons" onSubmit={(event) => void send(event)}>
      <label class="labelled">
        <span>Another answer</span>
        <input
          class="field"
          required
          maxLength={4000}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button" disabled={busy || text.trim() === ""}>
        Answer
      </button>
    </form>
  );
}
