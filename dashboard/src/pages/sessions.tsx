import type { BrowsedSession, SessionsAnswer } from "../../../src/http/dashboard/types.js";
import { counted, money, short } from "../format.js";
import { Badge, Platform } from "../parts/badges.js";
import { Hits } from "../parts/hits.js";
import { Icon } from "../parts/icons.js";
import { Page } from "../parts/page.js";
import { PagedRows } from "../parts/paged-rows.js";
import { PlatformChoice } from "../parts/platform-choice.js";
import { Choice, Segmented } from "../parts/segmented.js";
import { Empty, Loading } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { WhoOfSession } from "../parts/who.js";
import { withQuery } from "../state/api.js";
import { DATES, dateRange } from "../state/dates.js";
import { useFetched } from "../state/fetched.js";
import { messagesMark } from "../state/live.js";
import { usePaged } from "../state/paged.js";
import { href, place, setQuery } from "../state/router.js";
import { useDebounced, useThrottled } from "../state/throttle.js";

const STATES = [
  { value: "", label: "All" },
  { value: "active", label: "Active" },
  { value: "ended", label: "Ended" },
  { value: "archived", label: "Archived" },
] as const;

export function SessionsPage() {
  const { query } = place.value;
  const q = query.get("q") ?? "";
  const debounced = useDebounced(q, 180);
  return (
    <Page title="Sessions">
      <SearchBox value={q} />
      <Filters searching={q !== ""} />
      {q === "" ? <SessionList /> : null}
      {q !== "" && debounced === "" ? <Loading rows={5} label="Searching…" /> : null}
      {q !== "" && debounced !== "" ? <Hits q={debounced} typing={debounced !== q} /> : null}
    </Page>
  );
}

function SearchBox({ value }: { value: string }) {
  return (
    <search class="search">
      <Icon name="search" />
      <input
        id="search"
        type="search"
        aria-label="Search messages"
        placeholder="Search messages"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => setQuery({ q: event.currentTarget.value })}
        onKeyDown={(event) => event.key === "Escape" && setQuery({ q: undefined })}
      />
      {value === "" ? <kbd>/</kbd> : null}
    </search>
  );
}

function Filters({ searching }: { searching: boolean }) {
  const { query } = place.value;
  const user = query.get("user");
  const value = (name: string) => query.get(name) ?? "";
  return (
    <div class="filters">
      {searching ? (
        <Segmented
          label="Order"
          name="sort"
          value={value("sort") || "newest"}
          options={[
            { value: "newest", label: "Newest" },
            { value: "rank", label: "Best match" },
          ]}
          onChange={(sort) => setQuery({ sort: sort === "newest" ? undefined : sort })}
        />
      ) : (
        <Segmented
          label="State"
          name="state"
          value={value("state") as (typeof STATES)[number]["value"]}
          options={STATES}
          onChange={(state) => setQuery({ state })}
        />
      )}
      <PlatformChoice name="source" />
      <Choice
        label="Last active"
        value={value("date")}
        options={DATES}
        onChange={(date) => setQuery({ date })}
      />
      {user && !searching ? <PersonChip user={user} /> : null}
    </div>
  );
}

/** The person whose sessions are shown, with the name from their newest session. */
function PersonChip({ user }: { user: string }) {
  const source = place.value.query.get("source");
  const { data } = useFetched<SessionsAnswer>(withQuery("/sessions", { user, source, limit: 1 }));
  const name = data?.sessions[0]?.place?.userName ?? user;
  return (
    <span class="chip" title={user}>
      {name}
      <button
        type="button"
        aria-label={`Show everyone, not only ${name}`}
        onClick={() => setQuery({ user: undefined })}
      >
        <Icon name="close" small />
      </button>
    </span>
  );
}

function SessionList() {
  const { query } = place.value;
  const filters = {
    source: query.get("source"),
    state: query.get("state"),
    user: query.get("user"),
    ...dateRange(query.get("date")),
  };
  const list = usePaged<SessionsAnswer, BrowsedSession>(
    {
      path: (before) => withQuery("/sessions", { ...filters, before }),
      rowsOf: ({ sessions, next }) => ({ rows: sessions, next }),
      idOf: (session) => session.lineage_root_id ?? session.id,
    },
    useThrottled(messagesMark.value, 1500),
  );
  const isFiltered = Object.values(filters).some((value) => value);
  return (
    <PagedRows
      list={list}
      label="Sessions, latest first"
      what="sessions"
      empty={
        <Empty title={isFiltered ? "No matching sessions" : "No sessions yet"}>
          {isFiltered ? "Remove a filter to see more." : "They appear here with the first message."}
        </Empty>
      }
    >
      {(session) => <SessionRow key={session.lineage_root_id ?? session.id} session={session} />}
    </PagedRows>
  );
}

function SessionRow({ session }: { session: BrowsedSession }) {
  const cost = session.actual_cost_usd ?? session.estimated_cost_usd ?? 0;
  return (
    <li class="session-row">
      <div class="session-main">
        <a class="row-link" href={href(`/sessions/${encodeURIComponent(session.id)}`)}>
          {session.title ?? (session.preview || "No messages")}
        </a>
        {session.title && session.preview ? <p class="row-sub">{session.preview}</p> : null}
      </div>
      <p class="session-facts">
        <Platform name={session.source} />
        <WhoOfSession session={session} linked />
        <span>{counted(session.message_count, "message")}</span>
        <span>{short(session.input_tokens + session.output_tokens)} tokens</span>
        {cost > 0 ? <span>{money(cost)}</span> : null}
      </p>
      <p class="session-when">
        <StateBadge session={session} />
        <Ago at={session.last_active} />
      </p>
    </li>
  );
}

export function StateBadge({ session }: { session: Pick<BrowsedSession, "archived" | "ended_at"> }) {
  if (session.archived) return <Badge>Archived</Badge>;
  return session.ended_at === null ? <Badge tone="good">Active</Badge> : null;
}
