/** Tool calls with their user, chat, approval and outcome; and operator actions. */

import type { ComponentChild } from "preact";
import type {
  ActionsAnswer,
  AuditAnswer,
  NamedToolCall,
  OperatorAction,
} from "../../../src/http/dashboard/audit-types.js";
import { duration } from "../format.js";
import { Badge, Platform, type Tone } from "../parts/badges.js";
import { More } from "../parts/more.js";
import { Page } from "../parts/page.js";
import { Choice, Segmented } from "../parts/segmented.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { Who } from "../parts/who.js";
import { withQuery } from "../state/api.js";
import { queuesMark } from "../state/live.js";
import { type PagedList, usePaged } from "../state/paged.js";
import { go, href, place, setQuery } from "../state/router.js";
import { useSources } from "../state/sources.js";
import { useThrottled } from "../state/throttle.js";

const STATES = [
  { value: "", label: "Any state" },
  { value: "waiting", label: "Waiting" },
  { value: "running", label: "Running" },
  { value: "done", label: "Done" },
  { value: "failed", label: "Failed" },
  { value: "denied", label: "Denied" },
  { value: "unknown", label: "Unknown" },
  { value: "stopped", label: "Not run" },
] as const;

const KINDS = [
  { value: "tools", label: "Tool calls" },
  { value: "operator", label: "Operator actions" },
] as const;

export function AuditPage() {
  const kind = place.value.query.get("of") === "operator" ? "operator" : "tools";
  return (
    <Page title="Audit">
      <Segmented
        label="What to show"
        name="of"
        value={kind}
        options={KINDS}
        onChange={(of) => go(of === "tools" ? "/audit" : "/audit?of=operator")}
      />
      {kind === "tools" ? <Calls /> : <Actions />}
    </Page>
  );
}

function Calls() {
  const { query } = place.value;
  const filters = {
    ...{ tool: query.get("tool"), platform: query.get("platform") },
    ...{ user: query.get("user"), state: query.get("state") },
  };
  const list = usePaged<AuditAnswer, NamedToolCall>(
    {
      path: (before) => withQuery("/audit", { ...filters, before }),
      rowsOf: ({ calls, next }) => ({ rows: calls, next }),
      idOf: ({ id }) => id,
    },
    useThrottled(queuesMark.value, 1500),
  );
  const sources = useSources();
  return (
    <>
      <div class="filters">
        <Filter name="tool" label="Tool name" value={filters.tool} />
        <Filter name="user" label="Person’s id" value={filters.user} />
        <Choice
          label="State"
          value={filters.state ?? ""}
          options={STATES}
          onChange={(state) => setQuery({ state })}
        />
        <Choice
          label="Platform"
          value={filters.platform ?? ""}
          options={[{ value: "", label: "All platforms" }, ...sources]}
          onChange={(platform) => setQuery({ platform })}
        />
      </div>
      <Rows list={list} what="calls" label="Tool calls, latest first" empty="No matching calls">
        {(call) => <CallRow key={call.id} call={call} />}
      </Rows>
    </>
  );
}

function Actions() {
  const action = place.value.query.get("action");
  const list = usePaged<ActionsAnswer, OperatorAction>({
    path: (before) => withQuery("/audit/actions", { action, before }),
    rowsOf: ({ actions, next }) => ({ rows: actions, next }),
    idOf: ({ id }) => id,
  });
  return (
    <>
      <div class="filters">
        <Filter name="action" label="Action name" value={action} />
      </div>
      <Rows list={list} what="actions" label="Operator actions, latest first" empty="No matching actions">
        {(one) => <ActionRow key={one.id} one={one} />}
      </Rows>
    </>
  );
}

interface RowsProps<Answer, T> {
  list: PagedList<Answer, T>;
  what: string;
  label: string;
  empty: string;
  children: (row: T) => ComponentChild;
}

function Rows<Answer, T>({ list, what, label, empty, children }: RowsProps<Answer, T>) {
  if (list.rows.length > 0) {
    return (
      <>
        <ul class="list" aria-label={label}>
          {list.rows.map(children)}
        </ul>
        <More list={list} what={what} />
      </>
    );
  }
  if (list.loading) return <Loading rows={8} />;
  if (list.error) return <Failed error={list.error} retry={() => list.refresh()} />;
  return <Empty title={empty}>Audit entries are kept for a year.</Empty>;
}

function Filter({ name, label, value }: { name: string; label: string; value: string | null }) {
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setQuery({ [name]: String(form.get(name) ?? "").trim() });
  };
  return (
    <form class="look-up" onSubmit={onSubmit}>
      <input
        class="field"
        name={name}
        aria-label={label}
        placeholder={label}
        defaultValue={value ?? ""}
        autocomplete="off"
        spellcheck={false}
      />
    </form>
  );
}

const TONES: Record<NamedToolCall["state"], [string, Tone]> = {
  waiting: ["Waiting", "wait"],
  running: ["Running", "accent"],
  done: ["Done", "good"],
  failed: ["Failed", "bad"],
  denied: ["Denied", "quiet"],
  unknown: ["Unknown", "bad"],
  stopped: ["Not run", "quiet"],
};

function CallRow({ call }: { call: NamedToolCall }) {
  const { tool, platform, userId, userName, chatId, chatName, decidedBy, startedAt, endedAt } = call;
  const [label, tone] = TONES[call.state];
  return (
    <li class="letter">
      <div class="letter-main">
        <details class="tool">
          <summary>
            <span class="mono">{tool}</span>
            <span class="tool-args mono">{call.arguments}</span>
          </summary>
          <div class="tool-body">
            <p class="tool-label">Called with</p>
            <pre class="wrap">{call.arguments}</pre>
            <p class="tool-label">{call.result === null ? "No result" : "Gave"}</p>
            {call.result === null ? null : <pre class="wrap">{call.result}</pre>}
          </div>
        </details>
        <p class="session-facts">
          <Badge tone={tone}>{label}</Badge>
          <Platform name={platform} />
          <Who name={userName} id={userId} />
          {chatId === null || chatName === userName ? null : <Who name={chatName} id={chatId} />}
          {decidedBy === null ? null : (
            <span>
              Decided by <Who name={call.deciderName} id={decidedBy} />
            </span>
          )}
          {startedAt === null || endedAt === null ? null : <span>{duration(endedAt - startedAt)}</span>}
          <Ago at={call.createdAt} />
          <a href={href(`/sessions/${encodeURIComponent(call.sessionId)}`)}>Session</a>
        </p>
      </div>
    </li>
  );
}

function ActionRow({ one }: { one: OperatorAction }) {
  const isDone = one.outcome === "done";
  return (
    <li class="letter">
      <div class="letter-main">
        <details class="tool">
          <summary>
            <span class="mono">{one.action}</span>
            <span class="tool-args mono">{one.fields}</span>
          </summary>
          <div class="tool-body">
            <p class="tool-label">About</p>
            <pre class="wrap">{one.fields}</pre>
          </div>
        </details>
        <p class="session-facts">
          <Badge tone={isDone ? "good" : "bad"}>{isDone ? "Done" : one.outcome}</Badge>
          <span>{one.who === "owner" ? "Owner" : one.who}</span>
          <span>{one.from}</span>
          <Ago at={one.at} />
        </p>
      </div>
    </li>
  );
}
