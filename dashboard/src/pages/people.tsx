/** Known people, pairing requests and sign-ins. */
import type { PeopleAnswer, ShownPerson } from "../../../src/http/dashboard/people-types.js";
import { counted } from "../format.js";
import { Platform } from "../parts/badges.js";
import { Confirm } from "../parts/confirm.js";
import { Icon } from "../parts/icons.js";
import { Page } from "../parts/page.js";
import { PagedRows } from "../parts/paged-rows.js";
import { PairingRequests } from "../parts/pairing-requests.js";
import { PlatformChoice } from "../parts/platform-choice.js";
import { RoleBadge } from "../parts/role.js";
import { Choice } from "../parts/segmented.js";
import { SignIns } from "../parts/sign-ins.js";
import { Empty } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { act } from "../state/act.js";
import { withQuery } from "../state/api.js";
import { messagesMark, pairingCount } from "../state/live.js";
import { usePaged } from "../state/paged.js";
import { href, place, setQuery } from "../state/router.js";
import { useDebounced, useThrottled } from "../state/throttle.js";

const ROLES = [
  { value: "", label: "Any role" },
  { value: "owner", label: "Owners" },
  { value: "paired", label: "Paired" },
  { value: "allowed", label: "Allowed by configuration" },
  { value: "waiting", label: "Waiting" },
  { value: "stranger", label: "May not talk" },
] as const;

export const personPath = ({ platform, userId }: { platform: string; userId: string }) =>
  `/people/${encodeURIComponent(`${platform}:${userId}`)}`;

export function PeoplePage() {
  const { query } = place.value;
  const q = useDebounced(query.get("q") ?? "", 180);
  const filters = { q, platform: query.get("platform"), role: query.get("role") };
  const list = usePaged<PeopleAnswer, ShownPerson>(
    {
      path: (offset) => withQuery("/people", { ...filters, offset }),
      rowsOf: ({ people, next }) => ({ rows: people, next }),
      idOf: ({ person }) => person,
    },
    useThrottled(`${pairingCount.value} ${messagesMark.value}`, 1500),
  );
  return (
    <Page title="People">
      <PairingRequests settled={() => list.refresh()} />
      <section aria-labelledby="known" class="stack">
        <h2 id="known">Known people</h2>
        <Filters />
        <PagedRows
          list={list}
          label="People, most recently seen first"
          what="people"
          loadingRows={5}
          empty={<Empty title="No person matches">People who write to the bot appear here.</Empty>}
        >
          {(person) => <PersonRow key={person.person} person={person} refresh={() => list.refresh()} />}
        </PagedRows>
      </section>
      <SignIns />
    </Page>
  );
}

function Filters() {
  const { query } = place.value;
  return (
    <div class="filters">
      <search class="search grow">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Find a person by name or id"
          placeholder="Name or id"
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          value={query.get("q") ?? ""}
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
      </search>
      <Choice
        label="Role"
        value={query.get("role") ?? ""}
        options={ROLES}
        onChange={(role) => setQuery({ role })}
      />
      <PlatformChoice />
    </div>
  );
}

function PersonRow({ person, refresh }: { person: ShownPerson; refresh(): void }) {
  const { platform, userId, names, role, sessions, lastSeen, memory } = person;
  const name = names[0] ?? userId;
  const revoke = () =>
    act("/pairing/revoke", { platform, userId }, `The pairing of ${name} was revoked.`).finally(refresh);
  return (
    <li class="person">
      <div class="letter-main">
        <a class="row-link" href={href(personPath(person))} title={person.person}>
          {name}
        </a>
        <p class="session-facts">
          <RoleBadge role={role} />
          <Platform name={platform} />
          <span>{counted(sessions, "session")}</span>
          {memory ? <span>Has notes</span> : null}
          {lastSeen === null ? null : (
            <span>
              seen <Ago at={lastSeen} />
            </span>
          )}
        </p>
      </div>
      {person.pairing === "approved" ? (
        <div class="above">
          <Confirm
            what="Revoke"
            of={name}
            question="They may not talk to the bot any more."
            danger
            act={revoke}
          />
        </div>
      ) : null}
    </li>
  );
}
