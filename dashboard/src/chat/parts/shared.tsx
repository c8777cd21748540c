/** A shared conversation, read-only. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SharedConversation } from "../../../../src/adapters/web/api.js";
import { moment } from "../../format.js";
import { Markdown } from "../../markdown/markdown.js";
import { ApiError, errorText } from "../../state/api.js";
import { get } from "../state/request.js";

export function SharedPage({ secret }: { secret: string }) {
  const shared = useSignal<SharedConversation | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  useEffect(() => {
    get<SharedConversation>(`/shared/${encodeURIComponent(secret)}`).then(
      (answer) => {
        shared.value = answer;
        document.title = `${answer.title} · Hermes`;
      },
      (error: unknown) => {
        const isGone = error instanceof ApiError && error.status === 404;
        fault.value = isGone ? "This link has expired or was revoked." : errorText(error);
      },
    );
  }, [secret]);
  if (fault.value)
    return (
      <main class="single">
        <h1>Not available</h1>
        <p role="alert">{fault.value}</p>
      </main>
    );
  if (!shared.value) return <main class="single">Loading…</main>;
  const { title, sharedAt, expiresAt, messages } = shared.value;
  return (
    <main class="shared">
      <header>
        <h1>{title}</h1>
        <p class="quiet">
          Shared {moment(sharedAt)}, available until {moment(expiresAt)}
        </p>
      </header>
      <div class="messages">
        {messages.map(({ from, text, tools }, i) => (
          <article key={i} class={`message ${from}`} aria-label={from === "user" ? "Question" : "Answer"}>
            {tools.length > 0 ? <p class="quiet">Used {tools.join(", ")}</p> : null}
            {from === "user" ? <p class="bubble">{text}</p> : <Markdown text={text} />}
          </article>
        ))}
      </div>
    </main>
  );
}
