import { useRef } from "preact/hooks";
import type { SessionDetail } from "../../../src/http/dashboard/types.js";
import { counted, exactMoney, moment, money, number, platformName, short } from "../format.js";
import { Badge, Platform } from "../parts/badges.js";
import { Fact } from "../parts/facts.js";
import { Icon } from "../parts/icons.js";
import { Lineage } from "../parts/lineage.js";
import { Page } from "../parts/page.js";
import { SessionActions, Takeover } from "../parts/session-actions.js";
import { Failed, Loading } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { Transcript } from "../parts/transcript.js";
import { WhoOfSession } from "../parts/who.js";
import { useFetched } from "../state/fetched.js";
import { messagesMark, overview } from "../state/live.js";
import { href, place } from "../state/router.js";
import { useThrottled } from "../state/throttle.js";
import { StateBadge } from "./sessions.js";

export function SessionPage({ id }: { id: string }) {
  const mark = useThrottled(`${messagesMark.value} ${overview.value?.turns.running ?? 0}`, 1500);
  const { data, error, reload } = useFetched<{ session: SessionDetail }>(
    `/sessions/${encodeURIComponent(id)}`,
    mark,
  );
  const at = useRef(Number(place.value.query.get("at") ?? 0) || undefined);
  const session = data?.session;
  return (
    <Page
      title={session ? (session.title ?? "Untitled session") : "Session"}
      aside={
        session ? (
          <>
            <StateBadge session={session} />
            {session.human_until === null ? null : <Badge tone="wait">Taken over</Badge>}
          </>
        ) : null
      }
      above={
        <a class="back" href={href("/sessions")}>
          <Icon name="back" small />
          Sessions
        </a>
      }
    >
      {session ? <Summary session={session} /> : null}
      {session ? (
        <div class="session">
          <div class="session-talk">
            <Transcript session={session} at={at.current} mark={mark} />
            <Takeover session={session} reload={reload} />
          </div>
          <aside class="session-aside" aria-label="About this session">
            <SessionActions session={session} reload={reload} />
            <Lineage id={session.id} />
            <Facts session={session} />
          </aside>
        </div>
      ) : error ? (
        <Failed error={error} retry={reload} />
      ) : (
        <Loading rows={6} />
      )}
    </Page>
  );
}

function Summary({ session }: { session: SessionDetail }) {
  const cost = session.actual_cost_usd ?? session.estimated_cost_usd ?? 0;
  return (
    <p class="session-facts session-summary">
      <Platform name={session.source} />
      <WhoOfSession session={session} />
      <span>{counted(session.message_count, "message")}</span>
      <span>{short(session.input_tokens + session.output_tokens)} tokens</span>
      {cost > 0 ? <span>{money(cost)}</span> : null}
      <Ago at={session.last_active} />
    </p>
  );
}

function Facts({ session }: { session: SessionDetail }) {
  const { actual_cost_usd: actual, estimated_cost_usd: estimated } = session;
  const cached = (session.cache_read_tokens ?? 0) + (session.cache_write_tokens ?? 0);
  const { ended_at: endedAt, end_reason: reason } = session;
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">Session</h2>
      <dl class="facts">
        <Fact name="Platform">{platformName(session.source)}</Fact>
        <Fact name="Who">
          <WhoOfSession session={session} withId />
        </Fact>
        <Fact name="Model">{session.model ?? "Unknown"}</Fact>
        <Fact name="Messages">{number(session.message_count)}</Fact>
        <Fact name="Tool calls">{number(session.tool_call_count)}</Fact>
        <Fact name="Tokens in">{number(session.input_tokens)}</Fact>
        <Fact name="Tokens out">{number(session.output_tokens)}</Fact>
        {cached > 0 ? <Fact name="Cached">{number(cached)}</Fact> : null}
        <Fact name="Cost">{costText(actual, estimated)}</Fact>
        <Fact name="Began">
          <Ago at={session.started_at} />
        </Fact>
        {endedAt === null ? null : (
          <Fact name="Ended">
            {moment(endedAt)}
            {reason ? `, ${REASONS[reason] ?? reason}` : ""}
          </Fact>
        )}
      </dl>
      <p class="quiet mono id">{session.id}</p>
      {session.session_key ? <p class="quiet mono id">{session.session_key}</p> : null}
    </section>
  );
}

const REASONS: Record<string, string> = {
  compression: "summarised",
  session_reset: "reset",
  session_switch: "switched",
  new_session: "new session",
  branched: "branched",
  cli_close: "closed",
  done: "done",
};

function costText(actual: number | null, estimated: number | null): string {
  if (actual !== null) return exactMoney(actual);
  return estimated === null ? "Unknown" : `${exactMoney(estimated)} (estimated)`;
}
