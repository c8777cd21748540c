/** Tool calls with their user, chat, approval and outcome; and operator actions. */

import type {
  ActionsAnswer,
  AuditAnswer,
  NamedToolCall,
  OperatorAction,
} from "../../../src/http/dashboard/audit-types.js";
import { duration } from "../format.js";
import { Badge, Platform } from "../parts/badges.js";
import { Page } from "../parts/page.js";
import { PagedRows } from "../parts/paged-rows.js";
import { PlatformChoice } from "../parts/platform-choice.js";
import { Choice, Segmented } from "../parts/segmented.js";
import { Empty } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { CallState, ToolCall } from "../parts/tool-call.js";
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
        <PlatformChoice />
      </div>
      <PagedRows list={list} label="Tool calls, latest first" what="calls" empty={empty("No matching calls")}>
        {(call) => <CallRow key={call.id} call={call} />}
      </PagedRows>
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
      <PagedRows
        list={list}
        label="Operator actions, latest first"
        what="actions"
        empty={empty("No matching actions")}
      >
        {(one) => <ActionRow key={one.id} one={one} />}
      </PagedRows>
    </>
  );
}

const empty = (title: string) => <Empty title={title}>Audit entries are kept for a year.</Empty>;

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

function CallRow({ call }: { call: NamedToolCall }) {
  const { tool, platform, userId, userName, chatId, chatName, decidedBy, startedAt, endedAt } = call;
  return (
    <li class="letter">
      <div class="letter-main">
        <ToolCall tool={tool} args={call.arguments} result={call.result} />
        <p class="session-facts">
          <CallState state={call.state} />
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
