/** Who used which tool where, who approved it, and what came of it. */
import type { AuditAnswer, ToolCallRow } from "../../../src/http/dashboard/types.js";
import { duration } from "../format.js";
import { Badge, Platform, type Tone } from "../parts/badges.js";
import { More } from "../parts/more.js";
import { Page } from "../parts/page.js";
import { Choice } from "../parts/segmented.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { withQuery } from "../state/api.js";
import { queuesMark } from "../state/live.js";
import { usePaged } from "../state/paged.js";
import { href, place, setQuery } from "../state/router.js";
import { usePaced } from "../state/settle.js";
import { useSources } from "../state/sources.js";

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

export function AuditPage() {
  const { query } = place.value;
  const filters = {
    ...{ tool: query.get("tool"), platform: query.get("platform") },
    ...{ user: query.get("user"), state: query.get("state") },
  };
  const list = usePaged<AuditAnswer, ToolCallRow>(
    {
      path: (before) => withQuery("/audit", { ...filters, before }),
      rowsOf: ({ calls, next }) => ({ rows: calls, next }),
      idOf: ({ id }) => id,
    },
    usePaced(queuesMark.value, 1500),
  );
  const sources = useSources();
  const isEmpty = list.rows.length === 0;
  return (
    <Page title="Tools">
      <div class="filters">
        <Filter name="tool" label="The name of a tool" value={filters.tool} />
        <Filter name="user" label="The id of a person" value={filters.user} />
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
      {isEmpty ? null : (
        <ul class="list" aria-label="Calls of tools, the latest first">
          {list.rows.map((call) => (
            <CallRow key={call.id} call={call} />
          ))}
        </ul>
      )}
      {isEmpty && list.loading ? <Loading rows={8} /> : null}
      {isEmpty && list.error ? <Failed error={list.error} again={() => list.refresh()} /> : null}
      {isEmpty && !list.loading && !list.error ? (
        <Empty title="No call is like that">Calls are kept for a year.</Empty>
      ) : null}
      {isEmpty ? null : <More list={list} what="calls" />}
    </Page>
  );
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

const TONES: Record<ToolCallRow["state"], [string, Tone]> = {
  waiting: ["Waiting", "wait"],
  running: ["Running", "accent"],
  done: ["Done", "good"],
  failed: ["Failed", "bad"],
  denied: ["Denied", "quiet"],
  unknown: ["Unknown", "bad"],
  stopped: ["Not run", "quiet"],
};

function CallRow({ call }: { call: ToolCallRow }) {
  const { tool, platform, userId, userName, chatId, decidedBy, startedAt, endedAt } = call;
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
          <span title={userId}>{userName ?? userId}</span>
          {chatId === null ? null : <span>{chatId}</span>}
          {decidedBy === null ? null : <span>Decided by {decidedBy}</span>}
          {startedAt === null || endedAt === null ? null : <span>{duration(endedAt - startedAt)}</span>}
          <Ago at={call.createdAt} />
          <a href={href(`/sessions/${encodeURIComponent(call.sessionId)}`)}>Session</a>
        </p>
      </div>
    </li>
  );
}
