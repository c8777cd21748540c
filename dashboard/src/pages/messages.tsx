import type { MessagesAnswer, RecentMessage } from "../../../src/http/dashboard/types.js";
import { duration } from "../format.js";
import { Badge, Platform, type Tone } from "../parts/badges.js";
import { Page } from "../parts/page.js";
import { PagedRows } from "../parts/paged-rows.js";
import { PlatformChoice } from "../parts/platform-choice.js";
import { Choice } from "../parts/segmented.js";
import { SendForm } from "../parts/send-form.js";
import { Empty } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { Who } from "../parts/who.js";
import { withQuery } from "../state/api.js";
import { queuesMark } from "../state/live.js";
import { usePaged } from "../state/paged.js";
import { go, href, place, setQuery } from "../state/router.js";
import { useThrottled } from "../state/throttle.js";

const STATES = [
  { value: "", label: "Any state" },
  { value: "waiting", label: "Waiting" },
  { value: "running", label: "Running" },
  { value: "done", label: "Done" },
  { value: "refused", label: "Refused" },
  { value: "cancelled", label: "Cancelled" },
  { value: "dead", label: "Given up" },
] as const;

export function MessagesPage() {
  const { query } = place.value;
  const filters = { platform: query.get("platform"), state: query.get("state") };
  const list = usePaged<MessagesAnswer, RecentMessage>(
    {
      path: (before) => withQuery("/messages", { ...filters, before }),
      rowsOf: ({ messages, next }) => ({ rows: messages, next }),
      idOf: ({ id }) => id,
    },
    useThrottled(queuesMark.value, 1500),
  );
  return (
    <Page title="Messages">
      <SendForm />
      <div class="filters">
        <LookUp />
        <Choice
          label="State"
          value={filters.state ?? ""}
          options={STATES}
          onChange={(state) => setQuery({ state })}
        />
        <PlatformChoice />
      </div>
      <PagedRows
        list={list}
        label="Messages, latest first"
        what="messages"
        empty={<Empty title="No matching messages">Finished messages are kept for thirty days.</Empty>}
      >
        {(message) => <MessageRow key={message.id} message={message} />}
      </PagedRows>
    </Page>
  );
}

function LookUp() {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const reference = String(form.get("reference") ?? "").trim();
    if (reference) go(`/messages/${encodeURIComponent(reference)}`);
  };
  return (
    <form class="look-up" onSubmit={onSubmit}>
      <input
        class="field"
        name="reference"
        aria-label="Message id"
        placeholder="in:12, or the platform’s id"
        autocomplete="off"
        spellcheck={false}
      />
      <button type="submit" class="button">
        Trace
      </button>
    </form>
  );
}

function MessageRow({ message }: { message: RecentMessage }) {
  const { id, platform, text, attachments, receivedAt, finishedAt } = message;
  const what = text || (attachments > 0 ? `${attachments} attached` : "No text");
  return (
    <li class="message-row session-row">
      <div class="session-main">
        <a class="row-link" href={href(`/messages/in:${id}`)}>
          {what}
        </a>
        {message.state !== "done" && (message.reason ?? message.error) ? (
          <p class="row-sub">{message.reason ?? message.error}</p>
        ) : null}
      </div>
      <p class="session-facts">
        <Platform name={platform} />
        <Who name={message.userName} id={message.userId} />
        {message.chatType === "dm" ? null : <Who name={message.chatName} id={message.chatId} />}
        {finishedAt === null ? null : <span>{duration(finishedAt - receivedAt)}</span>}
      </p>
      <p class="session-when">
        <MessageState message={message} />
        <Ago at={receivedAt} />
      </p>
    </li>
  );
}

const TONES: Record<RecentMessage["state"], [string, Tone]> = {
  waiting: ["Waiting", "wait"],
  running: ["Running", "accent"],
  done: ["Done", "quiet"],
  refused: ["Refused", "quiet"],
  cancelled: ["Cancelled", "quiet"],
  dead: ["Given up", "bad"],
};

/** The outcome, including the delivery of the answer. */
function MessageState({ message: { state, delivery } }: { message: RecentMessage }) {
  if (state === "done" && delivery === "sent") return <Badge tone="good">Answered</Badge>;
  if (state === "done" && (delivery === "pending" || delivery === "sending"))
    return <Badge tone="wait">Being sent</Badge>;
  if (state === "done" && (delivery === "dead" || delivery === "unknown"))
    return <Badge tone="bad">Not delivered</Badge>;
  const [label, tone] = TONES[state];
  return <Badge tone={tone}>{label}</Badge>;
}
