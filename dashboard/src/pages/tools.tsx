/** All tools, the rules about who may use them, and remembered approvals. */
import type { ShownTool, ToolsAnswer } from "../../../src/http/dashboard/tools-types.js";
import { Badge } from "../parts/badges.js";
import { ExplainTools } from "../parts/explain-tools.js";
import { Grants } from "../parts/grants.js";
import { Page } from "../parts/page.js";
import { Empty, LoadingOrFailed } from "../parts/states.js";
import { useFetched } from "../state/fetched.js";
import { href } from "../state/router.js";

export function ToolsPage() {
  const fetched = useFetched<ToolsAnswer>("/tools");
  const { data } = fetched;
  return (
    <Page title="Tools">
      <p class="lead">
        Rules are under <code>tools</code> in <code>config.yaml</code> (<a href={href("/config")}>settings</a>
        ): the entry of a tool beats those of its toolsets, and those beat <code>*</code>.
      </p>
      {data?.problems.map((problem) => (
        <p key={problem} class="warn">
          {problem}.
        </p>
      ))}
      <ExplainTools />
      <Grants />
      <section class="stack" aria-labelledby="all-tools">
        <h2 id="all-tools">All tools</h2>
        {data && data.tools.length > 0 ? (
          <ul class="list">
            {data.tools.map((tool) => (
              <ToolRow key={tool.name} tool={tool} />
            ))}
          </ul>
        ) : null}
        {data?.tools.length === 0 ? <Empty title="There are no tools" /> : null}
        <LoadingOrFailed of={fetched} rows={5} />
      </section>
    </Page>
  );
}

function ToolRow({ tool }: { tool: ShownTool }) {
  const { name, description, sets, effect, from, rules, unavailable } = tool;
  return (
    <li class="tool-row" data-tool={name}>
      <p class="tool-name">
        <b class="mono">{name}</b>
        <Badge tone={effect === "write" ? "wait" : "quiet"}>{effect === "write" ? "Writes" : "Reads"}</Badge>
        {unavailable === null ? null : <Badge tone="bad">Can’t be used</Badge>}
      </p>
      <p class="quiet tool-text">{description}</p>
      {unavailable === null ? null : <p class="warn tool-text">{unavailable}</p>}
      <p class="session-facts">
        <span>
          {from.kind === "MCP server"
            ? `MCP server ${from.server}`
            : from.kind === "library"
              ? "From the embedding program"
              : "Built in"}
        </span>
        <span>
          {sets.length === 1 ? "Toolset" : "Toolsets"} {sets.join(", ")}
        </span>
        <span>By default: {ruleText(tool.default)}</span>
        {rules.map((rule) => (
          <span key={rule.source}>
            <code>{rule.source}</code>: {ruleText(rule)}
          </span>
        ))}
      </p>
    </li>
  );
}

const PEOPLE: Readonly<Record<string, string>> = {
  owner: "owners",
  paired: "paired people",
  everyone: "everyone",
};

const ASKS = {
  never: "without asking",
  once: "asks once per person",
  session: "asks once per session",
  always: "asks every time",
};

function ruleText({
  allow,
  ask,
  rooms,
}: {
  allow?: readonly string[] | undefined;
  ask?: keyof typeof ASKS | undefined;
  rooms?: string | undefined;
}): string {
  const who = allow && (allow.length === 0 ? "no one" : allow.map((word) => PEOPLE[word] ?? word).join(", "));
  return [who, ask && ASKS[ask], rooms === "dm" ? "in direct chats only" : undefined]
    .filter(Boolean)
    .join(", ");
}
