/** The messages of a session, page by page, starting at the newest. Tool calls are shown with their results. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SessionDetail, ShownMessage, TranscriptPage } from "../../../src/http/dashboard/types.js";
import { clock, dayOf, indentedJson, moment } from "../format.js";
import { Markdown } from "../markdown/markdown.js";
import { notifyError } from "../state/act.js";
import { type ApiError, get, toApiError, withQuery } from "../state/api.js";
import { href } from "../state/router.js";
import { Badge } from "./badges.js";
import { Icon } from "./icons.js";
import { Empty, Failed, Loading } from "./states.js";
import { ToolCall } from "./tool-call.js";

interface TranscriptProps {
  session: SessionDetail;
  /** Id of the message to start at. */
  at: number | undefined;
  mark: unknown;
}

export function Transcript({ session, at, mark }: TranscriptProps) {
  const { page, error, load } = useTranscript(session.id, at, mark);
  const shown = useRef<HTMLLIElement>(null);
  const isLoaded = page !== undefined;
  useEffect(() => {
    if (isLoaded) shown.current?.scrollIntoView({ block: "center" });
  }, [isLoaded]);
  return (
    <section class="transcript" aria-label="Transcript">
      {session.system_prompt ? <SystemPrompt text={session.system_prompt} /> : null}
      {page?.earlier ? (
        <button type="button" class="button" onClick={() => load("earlier")}>
          Earlier messages
        </button>
      ) : null}
      {page && page.messages.length > 0 ? (
        <ol class="said">
          {paired(page.messages).map(({ message, results }, i, all) => (
            <Said
              key={message.id}
              day={dayOf(message.at) === dayOf(all[i - 1]?.message.at) ? "" : dayOf(message.at)}
              message={message}
              results={results}
              isWanted={message.id === at}
              wanted={shown}
            />
          ))}
        </ol>
      ) : null}
      {page?.later ? (
        <button type="button" class="button" onClick={() => load("later")}>
          Later messages
        </button>
      ) : null}
      {page && page.messages.length === 0 ? <Empty title="No messages in this session" /> : null}
      {error ? <Failed error={error} /> : null}
      {!page && !error ? <Loading rows={4} /> : null}
    </section>
  );
}

function useTranscript(id: string, at: number | undefined, mark: unknown) {
  const [page, setPage] = useState<TranscriptPage>();
  const [error, setError] = useState<ApiError>();
  const path = (query: Record<string, number | undefined>) =>
    withQuery(`/sessions/${encodeURIComponent(id)}/transcript`, query);
  /** Distance of the scroll position from the end of the page, to restore. */
  const fromEnd = useRef<number | undefined>(undefined);

  const load = async (what: "first" | "earlier" | "later") => {
    const [first, last] = [page?.messages[0]?.id, page?.messages.at(-1)?.id];
    const queries = { first: { around: at }, earlier: { before: first }, later: { after: last ?? 0 } };
    try {
      const answer = await get<TranscriptPage>(path(queries[what]));
      if (what === "earlier") fromEnd.current = document.documentElement.scrollHeight - window.scrollY;
      setPage((now) => (now ? joined(now, answer, what === "earlier") : answer));
      setError(undefined);
    } catch (thrown) {
      setError(toApiError(thrown));
    }
  };
  // Earlier messages must not move the ones in view.
  useLayoutEffect(() => {
    if (fromEnd.current === undefined) return;
    window.scrollTo({ top: document.documentElement.scrollHeight - fromEnd.current });
    fromEnd.current = undefined;
  });
  useEffect(() => {
    if (page === undefined) void load("first");
    else if (!page.later) void load("later");
  }, [id, mark]);
  return { page, error, load };
}

/** Requests may overlap, so messages that are already there are left out. */
function joined(now: TranscriptPage, more: TranscriptPage, isEarlier: boolean): TranscriptPage {
  const known = new Set(now.messages.map(({ id }) => id));
  const fresh = more.messages.filter(({ id }) => !known.has(id));
  return isEarlier
    ? { ...now, messages: [...fresh, ...now.messages], earlier: more.earlier }
    : { ...now, messages: [...now.messages, ...fresh], later: more.later };
}

interface Pair {
  message: ShownMessage;
  results: Map<string, ShownMessage>;
}

/** Tool results are shown with their calls; a result whose call isn't on the page is shown alone. */
function paired(messages: readonly ShownMessage[]): Pair[] {
  const results = new Map<string, ShownMessage>();
  for (const message of messages)
    if (message.role === "tool" && message.toolCallId) results.set(message.toolCallId, message);
  const called = new Set(messages.flatMap(({ toolCalls }) => toolCalls.map(({ id }) => id)));
  return messages
    .filter(({ role, toolCallId }) => role !== "tool" || !called.has(toolCallId))
    .filter(({ role }) => role !== "session_meta")
    .map((message) => ({ message, results }));
}

const NAMES: Record<string, string> = { user: "User", assistant: "Agent", tool: "Tool", system: "System" };

interface SaidProps extends Pair {
  /** Set on the first message of a day, otherwise empty. */
  day: string;
  isWanted: boolean;
  wanted: { current: HTMLLIElement | null };
}

function Said({ message, results, day, isWanted, wanted }: SaidProps) {
  const { role, text, toolCalls, at, undone, media, reasoning, platformMessageId } = message;
  return (
    <li
      class="said-one"
      data-role={role}
      data-undone={undone || undefined}
      data-wanted={isWanted || undefined}
      ref={isWanted ? wanted : null}
    >
      <p class="said-head">
        <b>{message.finishReason === "human" ? "Operator" : (NAMES[role] ?? role)}</b>
        <time dateTime={new Date(at * 1000).toISOString()} title={moment(at)}>
          {day} {clock(at)}
        </time>
        {undone ? <Badge>undone</Badge> : null}
        {media > 0 ? <Badge>{`${media} ${media === 1 ? "file" : "files"}`}</Badge> : null}
        {role === "user" && platformMessageId ? (
          <a class="quiet-link" href={href(`/messages/${encodeURIComponent(platformMessageId)}`)}>
            Trace
          </a>
        ) : null}
      </p>
      {reasoning ? <Folded title="Reasoning" text={reasoning} /> : null}
      {text ? (
        role === "tool" ? (
          <Folded title={message.toolName ?? "Result"} text={text} />
        ) : (
          <Text message={message} />
        )
      ) : null}
      {toolCalls.map((call, i) => (
        <Called key={call.id ?? i} call={call} result={call.id ? results.get(call.id) : undefined} />
      ))}
    </li>
  );
}

function Text({ message }: { message: ShownMessage }) {
  const [whole, setWhole] = useState<string>();
  const more = () =>
    get<{ message: ShownMessage }>(`/messages/${message.id}`).then(
      (answer) => setWhole(answer.message.text),
      notifyError,
    );
  return (
    <>
      <Markdown text={whole ?? message.text} />
      {message.cut && whole === undefined ? (
        <button type="button" class="button" onClick={() => void more()}>
          Show all
        </button>
      ) : null}
    </>
  );
}

interface CalledProps {
  call: ShownMessage["toolCalls"][number];
  result: ShownMessage | undefined;
}

function Called({ call, result }: CalledProps) {
  return (
    <ToolCall
      icon={<Icon name="tool" small />}
      tool={call.name}
      args={call.arguments}
      result={result ? result.text + (result.cut ? "…" : "") : null}
      noResult="No result on this page"
    />
  );
}

function Folded({ title, text }: { title: string; text: string }) {
  return (
    <details class="tool">
      <summary>
        <Icon name="tool" small />
        <span>{title}</span>
      </summary>
      <div class="tool-body">
        <pre class="wrap">{indentedJson(text)}</pre>
      </div>
    </details>
  );
}

function SystemPrompt({ text }: { text: string }) {
  return <Folded title="System prompt" text={text} />;
}
