/** Search results: session titles first, then messages. */
import { useRef, useState } from "preact/hooks";
import type { SearchAnswer, TitleHit } from "../../../src/http/dashboard/types.js";
import { counted, platformColor } from "../format.js";
import { withQuery } from "../state/api.js";
import { dateRange } from "../state/dates.js";
import { usePaged } from "../state/paged.js";
import { href, place } from "../state/router.js";
import { Platform } from "./badges.js";
import { Highlight } from "./highlight.js";
import { More } from "./more.js";
import { Empty, Failed, Loading } from "./states.js";
import { Ago } from "./time.js";
import { WhoOfSession } from "./who.js";

type Hit = SearchAnswer["hits"][number];

const ROLES: Record<string, string> = { user: "User", assistant: "Agent", tool: "Tool" };

export function Hits({ q, typing }: { q: string; typing: boolean }) {
  const { query } = place.value;
  const filters = { source: query.get("source"), sort: query.get("sort"), ...dateRange(query.get("date")) };
  const asked = usePaged<SearchAnswer, Hit>({
    path: (offset) => withQuery("/search", { q, ...filters, offset }),
    rowsOf: ({ hits, next }) => ({ rows: hits, next }),
    idOf: (hit) => hit.id,
    size: 20,
  });
  // Show the previous results until the new ones have arrived.
  const last = useRef(asked);
  const isWaiting = typing || asked.loading;
  if (!asked.loading) last.current = asked;
  const list = last.current;
  const titles = list.first?.titles ?? [];
  return (
    <section aria-label="Found" aria-busy={isWaiting} class="found">
      <p class="unseen" role="status">
        {isWaiting ? "Searching…" : `${list.rows.length}${list.hasMore ? " or more" : ""} messages found`}
      </p>
      {titles.length > 0 ? <Titles titles={titles} q={q} /> : null}
      {list.rows.length > 0 ? (
        <ul class="list">
          {bySession(list.rows).map((hits) => (
            <FoundSession key={hits[0]!.session_id} hits={hits} />
          ))}
        </ul>
      ) : null}
      {list.rows.length === 0 && isWaiting && !list.error ? <Loading rows={5} label="Searching…" /> : null}
      {list.rows.length === 0 && list.error ? (
        <Failed error={list.error} retry={() => list.refresh()} />
      ) : null}
      {list.rows.length === 0 && !isWaiting && !list.error && titles.length === 0 ? (
        <Empty title={`No message contains “${q}”`}>
          The search matches beginnings of words. Use quotes for a phrase; AND, OR and NOT also work.
        </Empty>
      ) : null}
      {list.rows.length > 0 ? <More list={list} what="messages" /> : null}
    </section>
  );
}

function Titles({ titles, q }: { titles: readonly TitleHit[]; q: string }) {
  return (
    <ul class="titles" aria-label="Sessions by title">
      {titles.map(({ id, title, source }) => (
        <li key={id}>
          <a href={href(`/sessions/${encodeURIComponent(id)}`)}>
            <i class="dot" data-color={platformColor(source)} aria-hidden="true" />
            <span>
              <Highlight text={marked(title, q)} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Marks the match as the store does in snippets. */
function marked(title: string, q: string): string {
  const at = title.toLowerCase().indexOf(q.trim().toLowerCase());
  if (at === -1) return title;
  const end = at + q.trim().length;
  return `${title.slice(0, at)}>>>${title.slice(at, end)}<<<${title.slice(end)}`;
}

/** Markdown syntax is noise in a one-line snippet. */
const withoutMarks = (text: string) => text.replace(/```\w*|\*\*|`/g, "");

/** Groups hits by session, in the order of each session's first hit. */
function bySession(hits: readonly Hit[]): Hit[][] {
  const sessions = new Map<string, Hit[]>();
  for (const hit of hits) {
    const known = sessions.get(hit.session_id);
    if (known) known.push(hit);
    else sessions.set(hit.session_id, [hit]);
  }
  return [...sessions.values()];
}

/** Hits per session that are shown before it is expanded. */
const SHOWN = 3;

function FoundSession({ hits }: { hits: readonly Hit[] }) {
  const [all, setAll] = useState(false);
  const session = hits[0]!;
  const rest = hits.length - SHOWN;
  return (
    <li class="found-session" data-session={session.session_id}>
      <a class="found-title" href={href(`/sessions/${encodeURIComponent(session.session_id)}`)}>
        {session.title ?? "Untitled session"}
      </a>
      <p class="session-facts">
        <Platform name={session.source} />
        <WhoOfSession session={session} linked />
        <span>{counted(hits.length, "hit")}</span>
      </p>
      <ul class="found-hits">
        {(all ? hits : hits.slice(0, SHOWN)).map((hit) => (
          <HitRow key={hit.id} hit={hit} />
        ))}
      </ul>
      {rest > 0 ? (
        <button type="button" class="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show fewer" : `${rest} more in this session`}
        </button>
      ) : null}
    </li>
  );
}

function HitRow({ hit }: { hit: Hit }) {
  return (
    <li class="hit found-hit">
      <a href={href(`/sessions/${encodeURIComponent(hit.session_id)}?at=${hit.id}`)}>
        <span class="snippet">
          <Highlight text={withoutMarks(hit.snippet)} />
        </span>
      </a>
      <p class="session-facts">
        <span>{ROLES[hit.role] ?? hit.role}</span>
        <Ago at={hit.timestamp} />
      </p>
    </li>
  );
}
