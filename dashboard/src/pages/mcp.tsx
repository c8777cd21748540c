import { useState } from "preact/hooks";
import type { McpAnswer } from "../../../src/http/dashboard/operations-types.js";
import { counted } from "../format.js";
import { Badge } from "../parts/badges.js";
import { Confirm } from "../parts/confirm.js";
import { McpState, ReconnectButton } from "../parts/connection-state.js";
import { notify } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { Empty, LoadingOrFailed } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { notifyError } from "../state/act.js";
import { post } from "../state/api.js";
import { useFetched } from "../state/fetched.js";
import { overview } from "../state/live.js";
import { useThrottled } from "../state/throttle.js";

type Server = McpAnswer["servers"][number];

export function McpPage() {
  const mark = useThrottled(JSON.stringify(overview.value?.mcpServers), 1000);
  const fetched = useFetched<McpAnswer>("/mcp", mark);
  const { data, reload } = fetched;
  const reloadAll = async () => {
    try {
      const { servers } = await post<{ servers: { state: string }[] }>("/mcp/reload", {});
      const ready = servers.filter(({ state }) => state === "ready").length;
      notify(`The configuration was reloaded: ${ready} of ${counted(servers.length, "server")} ready.`);
    } catch (thrown) {
      notifyError(thrown);
    }
    reload();
  };
  return (
    <Page
      title="MCP servers"
      aside={
        <Confirm
          what="Reload"
          question="The configuration is reloaded, and every server reconnects. Running calls are cut off."
          act={reloadAll}
        />
      }
    >
      {data?.servers.map((server) => (
        <ServerCard key={server.name} server={server} reload={reload} />
      ))}
      {data?.servers.length === 0 ? (
        <Empty title="No MCP server is configured">
          <code>hermes mcp add</code> adds one; then reload.
        </Empty>
      ) : null}
      <LoadingOrFailed of={fetched} rows={3} />
    </Page>
  );
}

function ServerCard({ server, reload }: { server: Server; reload(): void }) {
  const { name, state, transport, where, trust, allow, oauth, detail, lastError } = server;
  return (
    <section class="card" aria-labelledby={`mcp-${name}`} data-mcp={name}>
      <div class="card-head">
        <h2 id={`mcp-${name}`} class="mono anywhere">
          {name}
        </h2>
        <p class="bot-state">
          <Badge tone={trust === "full" ? "quiet" : "wait"}>
            {trust === "full" ? "Trusted" : "Untrusted"}
          </Badge>
          <McpState state={state} />
        </p>
      </div>
      <p class="quiet anywhere">
        {transport === "stdio" ? "Program: " : "HTTP: "}
        <span class="mono">{where}</span>
        {oauth ? ", with a login (OAuth)" : null}
        {allow ? `, for ${allow.join(", ") || "no one"}` : null}
      </p>
      {detail ? <p class="anywhere">{detail}</p> : null}
      {lastError && state !== "failing" ? (
        <p class="quiet anywhere">
          Last error <Ago at={lastError.at} />: {lastError.reason}
        </p>
      ) : null}
      {state === "off" ? null : <Reconnect name={name} reload={reload} />}
      <Tools server={server} />
    </section>
  );
}

function Reconnect({ name, reload }: { name: string; reload(): void }) {
  const [busy, setBusy] = useState(false);
  const act = async () => {
    setBusy(true);
    try {
      const { server } = await post<{ server: { state: string; detail?: string } }>("/mcp/reconnect", {
        name,
      });
      if (server.state === "ready") notify(`${name} is connected.`);
      else notify(`${name} is ${server.state}${server.detail ? `: ${server.detail}` : ""}`, "failed");
    } catch (error) {
      notifyError(error);
    }
    setBusy(false);
    reload();
  };
  return (
    <div class="action-buttons">
      <ReconnectButton of={name} busy={busy} onClick={() => void act()} />
    </div>
  );
}

function Tools({ server: { offered } }: { server: Server }) {
  if (offered.length === 0) return <p class="quiet">It offers no tools.</p>;
  return (
    <details>
      <summary>{counted(offered.length, "tool")}</summary>
      <dl class="mcp-tools">
        {offered.map(({ name, description, effect }) => (
          <div key={name}>
            <dt>
              <span class="mono anywhere">{name}</span>{" "}
              <Badge tone={effect === "read" ? "quiet" : "accent"}>
                {effect === "read" ? "Reads" : "Writes"}
              </Badge>
            </dt>
            <dd class="quiet anywhere">{description}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
