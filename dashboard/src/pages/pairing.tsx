import { useState } from "preact/hooks";
import type { PairingAnswer } from "../../../src/http/dashboard/types.js";
import { duration, platformName } from "../format.js";
import { Platform } from "../parts/badges.js";
import { More } from "../parts/more.js";
import { say } from "../parts/notices.js";
import { Page } from "../parts/page.js";
import { Empty, Failed, Loading } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { post, withQuery } from "../state/api.js";
import { now } from "../state/clock.js";
import { useFetched } from "../state/fetched.js";
import { pairingCount } from "../state/live.js";
import { usePaged } from "../state/paged.js";

type Request = PairingAnswer["pending"][number];
type Person = PairingAnswer["approved"][number];

export function PairingPage() {
  const requests = useFetched<PairingAnswer>(withQuery("/pairing", { limit: 1 }), pairingCount.value);
  const people = usePaged<PairingAnswer, Person>(
    {
      path: (before) => withQuery("/pairing", { before }),
      rowsOf: ({ approved, next }) => ({ rows: approved, next }),
      idOf: ({ platform, userId }) => `${platform} ${userId}`,
    },
    pairingCount.value,
  );
  const act = async (path: string, body: object, done: string) => {
    try {
      await post(path, body);
      say(done);
    } catch (error) {
      say((error as Error).message, "failed");
    }
    requests.reload();
    people.refresh();
  };
  const pending = requests.data?.pending;
  return (
    <Page title="Pairing">
      <section aria-labelledby="requests" class="stack">
        <h2 id="requests">Who asks to be let in</h2>
        {pending?.map((request) => (
          <RequestCard key={request.id} request={request} act={act} />
        ))}
        {pending?.length === 0 ? (
          <Empty title="No pending requests">
            A stranger who writes to the bot gets a code and appears here for an hour.
          </Empty>
        ) : null}
        {!pending && requests.error ? <Failed error={requests.error} again={requests.reload} /> : null}
        {!pending && !requests.error ? <Loading rows={2} /> : null}
      </section>
      <section aria-labelledby="approved" class="stack">
        <h2 id="approved">Who was let in</h2>
        {people.rows.length > 0 ? (
          <ul class="list">
            {people.rows.map((person) => (
              <PersonRow key={`${person.platform} ${person.userId}`} person={person} act={act} />
            ))}
          </ul>
        ) : null}
        {people.rows.length === 0 && people.loading ? <Loading rows={3} /> : null}
        {people.rows.length === 0 && !people.loading && !people.error ? <Empty title="No one yet" /> : null}
        <More list={people} what="people" />
      </section>
    </Page>
  );
}

type Act = (path: string, body: object, done: string) => Promise<void>;

function RequestCard({ request, act }: { request: Request; act: Act }) {
  const [busy, setBusy] = useState(false);
  const { id, platform, userId, userName, createdAt, expiresAt } = request;
  const name = userName ?? userId;
  const decide = (path: string, done: string) => {
    setBusy(true);
    void act(path, { id }, done).finally(() => setBusy(false));
  };
  return (
    <article class="card request" aria-label={name}>
      <div>
        <p class="request-name">{name}</p>
        <p class="session-facts">
          <Platform name={platform} />
          <span class="mono">{userId}</span>
          <span>
            asked <Ago at={createdAt} />
          </span>
          <span>{duration(Math.max(1, Math.round((expiresAt - now.value) / 60) * 60))} left</span>
        </p>
      </div>
      <div class="request-buttons">
        <button
          type="button"
          class="button"
          disabled={busy}
          onClick={() => decide("/pairing/deny", `${name} was denied.`)}
        >
          Deny<span class="unseen"> {name}</span>
        </button>
        <button
          type="button"
          class="button primary"
          disabled={busy}
          onClick={() => decide("/pairing/approve", `${name} may talk to the bot now.`)}
        >
          Approve<span class="unseen"> {name}</span>
        </button>
      </div>
    </article>
  );
}

/** Asks for confirmation before a person is shut out. */
function PersonRow({ person, act }: { person: Person; act: Act }) {
  const [asking, setAsking] = useState(false);
  const { platform, userId, userName, approvedAt } = person;
  const name = userName ?? userId;
  const revoke = () =>
    act("/pairing/revoke", { platform, userId }, `${name} is shut out on ${platformName(platform)}.`);
  return (
    <li class="person">
      <div>
        <p class="person-name">{name}</p>
        <p class="session-facts">
          <Platform name={platform} />
          <span class="mono">{userId}</span>
          <span>
            let in <Ago at={approvedAt} />
          </span>
        </p>
      </div>
      {asking ? (
        <div class="request-buttons">
          <button type="button" class="button" onClick={() => setAsking(false)}>
            Keep
          </button>
          <button type="button" class="button danger" onClick={() => void revoke()}>
            Shut out<span class="unseen"> {name}</span>
          </button>
        </div>
      ) : (
        <button type="button" class="button" onClick={() => setAsking(true)}>
          Revoke<span class="unseen"> {name}</span>
        </button>
      )}
    </li>
  );
}
