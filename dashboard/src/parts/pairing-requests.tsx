/** Pairing requests that wait for a decision. */
import { useState } from "preact/hooks";
import type { PairingAnswer } from "../../../src/http/dashboard/types.js";
import { duration } from "../format.js";
import { act } from "../state/act.js";
import { withQuery } from "../state/api.js";
import { now } from "../state/clock.js";
import { useFetched } from "../state/fetched.js";
import { pairingCount } from "../state/live.js";
import { Platform } from "./badges.js";
import { Empty, LoadingOrFailed } from "./states.js";
import { Ago } from "./time.js";

type Request = PairingAnswer["pending"][number];

/** `settled` is called after an approval or a denial. */
export function PairingRequests({ settled }: { settled(): void }) {
  const requests = useFetched<PairingAnswer>(withQuery("/pairing", { limit: 1 }), pairingCount.value);
  const pending = requests.data?.pending;
  const decide = async (path: string, id: string, done: string) => {
    await act(path, { id }, done);
    requests.reload();
    settled();
  };
  return (
    <section aria-labelledby="requests" class="stack">
      <h2 id="requests">Pairing requests</h2>
      {pending?.map((request) => (
        <RequestCard key={request.id} request={request} decide={decide} />
      ))}
      {pending?.length === 0 ? (
        <Empty title="No pending requests">
          A stranger who writes to the bot gets a code and appears here for an hour.
        </Empty>
      ) : null}
      <LoadingOrFailed of={requests} rows={1} />
    </section>
  );
}

interface RequestProps {
  request: Request;
  decide(path: string, id: string, done: string): Promise<void>;
}

function RequestCard({ request, decide }: RequestProps) {
  const [busy, setBusy] = useState(false);
  const { id, platform, userId, userName, createdAt, expiresAt } = request;
  const name = userName ?? userId;
  const run = (path: string, done: string) => {
    setBusy(true);
    void decide(path, id, done).finally(() => setBusy(false));
  };
  return (
    <article class="card request" aria-label={name}>
      <div class="letter-main">
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
          onClick={() => run("/pairing/deny", `${name} was denied.`)}
        >
          Deny<span class="unseen"> {name}</span>
        </button>
        <button
          type="button"
          class="button primary"
          disabled={busy}
          onClick={() => run("/pairing/approve", `${name} may talk to the bot now.`)}
        >
          Approve<span class="unseen"> {name}</span>
        </button>
      </div>
    </article>
  );
}
