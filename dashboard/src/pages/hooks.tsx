import type { HooksAnswer, ShownHook, ShownWebhook } from "../../../src/http/dashboard/hooks-types.js";
import { counted } from "../format.js";
import { Badge } from "../parts/badges.js";
import { Page } from "../parts/page.js";
import { Empty, LoadingOrFailed } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { useFetched } from "../state/fetched.js";
import { overview } from "../state/live.js";
import { href } from "../state/router.js";
import { useThrottled } from "../state/throttle.js";

const PACE_MS = 2000;

export function HooksPage() {
  const mark = useThrottled(overview.value?.at, PACE_MS);
  const fetched = useFetched<HooksAnswer>("/hooks", mark);
  return (
    <Page title="Hooks">
      <p class="lead">
        Hooks receive the gateway's events: modules in the home, and HTTP endpoints. Webhooks are calls from
        other programs to the gateway. The numbers count from the gateway's start.
      </p>
      {fetched.data ? <Content answer={fetched.data} /> : null}
      <LoadingOrFailed of={fetched} rows={4} />
    </Page>
  );
}

function Content({ answer }: { answer: HooksAnswer }) {
  const settings = <a href={href("/config?find=hooks.enabled")}>Settings</a>;
  return (
    <>
      {answer.enabled ? null : (
        <p class="notice-line">
          Modules in the home are not called: <code>hooks.enabled</code> is false in the {settings}.
        </p>
      )}
      <section class="stack" aria-labelledby="hooks">
        <h2 id="hooks">Hooks</h2>
        {answer.hooks.length > 0 ? (
          <ul class="list">
            {answer.hooks.map((hook) => (
              <HookRow key={hook.name + hook.where} hook={hook} />
            ))}
          </ul>
        ) : (
          <Empty title="No hooks">
            None in {answer.folder}, none under hooks.webhooks. <code>docs/hooks.md</code> explains how to
            write one.
          </Empty>
        )}
      </section>
      <section class="stack" aria-labelledby="webhooks">
        <h2 id="webhooks">Webhooks</h2>
        {answer.webhooks.length > 0 ? (
          <ul class="list">
            {answer.webhooks.map((webhook) => (
              <WebhookRow key={webhook.name} webhook={webhook} />
            ))}
          </ul>
        ) : (
          <Empty title="No webhooks">
            They are set up under <code>webhooks</code> in config.yaml: <code>hermes config edit</code>
          </Empty>
        )}
      </section>
    </>
  );
}

function HookState({ hook: { problem, disabled, last, events } }: { hook: ShownHook }) {
  if (disabled) return <Badge tone="bad">off until the next start</Badge>;
  if (problem)
    return (
      <Badge tone={events.length > 0 ? "wait" : "bad"}>{events.length > 0 ? "warning" : "not loaded"}</Badge>
    );
  if (last && last.outcome !== "ok") return <Badge tone="bad">{last.outcome}</Badge>;
  return <Badge tone={last ? "good" : "quiet"}>{last ? "ok" : "not called yet"}</Badge>;
}

function HookRow({ hook }: { hook: ShownHook }) {
  const { name, description, events, where, problem, disabled, calls, last, lastError } = hook;
  const failures = calls.failed + calls.timeout;
  return (
    <li class="hook" data-hook={name}>
      <p class="hook-head">
        <b>{name}</b>
        <HookState hook={hook} />
      </p>
      {description ? <p>{description}</p> : null}
      <p class="mono quiet wrapped">{where}</p>
      <p class="session-facts">
        {events.length > 0 ? <span>{events.join(", ")}</span> : null}
        <span>{counted(calls.ok, "call")} succeeded</span>
        {failures > 0 ? <span>{counted(failures, "call")} failed</span> : null}
        {calls.dropped > 0 ? <span>{calls.dropped} dropped</span> : null}
        {last ? (
          <span>
            last <Ago at={last.at} />
          </span>
        ) : null}
      </p>
      {problem ? <p class="setting-fault">{problem}</p> : null}
      {disabled ? <p class="setting-fault">{disabled}</p> : null}
      {lastError ? (
        <p class="setting-fault">
          {lastError.event}: {lastError.message} (<Ago at={lastError.at} />)
        </p>
      ) : null}
    </li>
  );
}

function WebhookRow({
  webhook: { name, path, signature, events, deliver, last },
}: {
  webhook: ShownWebhook;
}) {
  return (
    <li class="hook" data-hook={name}>
      <p class="hook-head">
        <b>{name}</b>
        {last ? (
          <Badge tone={last.state === "dead" ? "bad" : last.state === "done" ? "good" : "wait"}>
            {last.state}
          </Badge>
        ) : (
          <Badge>not called recently</Badge>
        )}
      </p>
      <p class="mono quiet wrapped">POST {path}</p>
      <p class="session-facts">
        <span>signature: {signature}</span>
        <span>{events.length > 0 ? events.join(", ") : "every event"}</span>
        <span>answers go to {deliver}</span>
        {last ? (
          <a href={href(`/messages/in:${last.id}`)}>
            last call <Ago at={last.at} />
          </a>
        ) : null}
      </p>
      {last?.error ? <p class="setting-fault">{last.error}</p> : null}
    </li>
  );
}
