/** Remembered approvals, for a person everywhere or for one session. */
import type { GrantsAnswer, ShownGrant } from "../../../src/http/dashboard/tools-types.js";
import { personPath } from "../pages/people.js";
import { act } from "../state/act.js";
import { useFetched } from "../state/fetched.js";
import { queuesMark } from "../state/live.js";
import { href } from "../state/router.js";
import { useThrottled } from "../state/throttle.js";
import { Badge } from "./badges.js";
import { Confirm } from "./confirm.js";
import { LoadingOrFailed } from "./states.js";
import { Ago } from "./time.js";
import { Who } from "./who.js";

export function Grants() {
  const fetched = useFetched<GrantsAnswer>("/tools/grants", useThrottled(queuesMark.value, 2000));
  const { data, reload } = fetched;
  return (
    <section class="stack" aria-labelledby="grants">
      <h2 id="grants">Remembered approvals</h2>
      {data && data.grants.length > 0 ? (
        <ul class="list">
          {data.grants.map((grant) => (
            <GrantRow key={keyOf(grant)} grant={grant} reload={reload} />
          ))}
        </ul>
      ) : null}
      {data?.grants.length === 0 ? (
        <p class="quiet">None. “Allow in this session”, “Always allow” and /yolo are remembered here.</p>
      ) : null}
      <LoadingOrFailed of={fetched} rows={1} />
    </section>
  );
}

const keyOf = ({ tool, person, session }: ShownGrant) =>
  JSON.stringify([tool, person?.platform, person?.userId, session?.id]);

function GrantRow({ grant, reload }: { grant: ShownGrant; reload(): void }) {
  const { tool, person, session, by, at } = grant;
  const what = tool === "*" ? "every tool" : tool;
  const revoke = () => {
    const to = person
      ? { person: { platform: person.platform, userId: person.userId } }
      : { sessionId: session?.id };
    return act("/tools/grants/revoke", { tool, ...to }, `${what} asks again from the next turn on.`).finally(
      reload,
    );
  };
  return (
    <li class="person">
      <div class="letter-main">
        <b class="mono">{what}</b>
        <p class="session-facts">
          <Badge tone={tool === "*" ? "wait" : "quiet"}>{person ? "Always" : "In a session"}</Badge>
          {person ? <Who name={person.name} id={person.userId} to={personPath(person)} /> : null}
          {session ? (
            <a href={href(`/sessions/${encodeURIComponent(session.id)}`)}>
              {session.title ?? "Untitled session"}
            </a>
          ) : null}
          <span>
            allowed by <Who name={by.name} id={by.id} /> <Ago at={at} />
          </span>
        </p>
      </div>
      <Confirm what="Revoke" of={what} question="It has to be approved again." danger act={revoke} />
    </li>
  );
}
