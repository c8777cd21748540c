/** One person: facts, access, stored data and notes. */
import type { PersonAnswer, ShownPerson } from "../../../src/http/dashboard/people-types.js";
import { number, platformName } from "../format.js";
import { Platform } from "../parts/badges.js";
import { Confirm } from "../parts/confirm.js";
import { Fact } from "../parts/facts.js";
import { Icon } from "../parts/icons.js";
import { Notes } from "../parts/notes.js";
import { Page } from "../parts/page.js";
import { PersonData } from "../parts/person-data.js";
import { RoleBadge } from "../parts/role.js";
import { LoginLink } from "../parts/sign-ins.js";
import { Failed, Loading } from "../parts/states.js";
import { Ago } from "../parts/time.js";
import { act } from "../state/act.js";
import { withQuery } from "../state/api.js";
import { useFetched } from "../state/fetched.js";
import { pairingCount } from "../state/live.js";
import { href } from "../state/router.js";

export function PersonPage({ person: address }: { person: string }) {
  const colon = address.indexOf(":");
  const who = { platform: address.slice(0, colon), userId: address.slice(colon + 1) };
  const { data, error, reload } = useFetched<PersonAnswer>(withQuery("/people/one", who), pairingCount.value);
  const name = data?.person.names[0] ?? who.userId;
  return (
    <Page
      title={data ? name : "Person"}
      aside={data ? <RoleBadge role={data.person.role} /> : null}
      above={
        <a class="back" href={href("/people")}>
          <Icon name="back" small />
          People
        </a>
      }
    >
      {data ? (
        <div class="columns">
          <div class="stack">
            <Facts person={data.person} />
            <Access person={data.person} name={name} reload={reload} />
            <PersonData person={data.person} name={name} />
          </div>
          <div class="stack">
            <Notes title="What the agent remembers" person={who} />
            {data.web ? <Web web={data.web} who={who} reload={reload} /> : null}
          </div>
        </div>
      ) : error ? (
        <Failed error={error} retry={reload} />
      ) : (
        <Loading rows={6} />
      )}
    </Page>
  );
}

function Facts({ person }: { person: ShownPerson }) {
  const { platform, userId, names, sessions, messages, firstSeen, lastSeen } = person;
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">Person</h2>
      <dl class="facts">
        <Fact name="Platform">
          <Platform name={platform} />
        </Fact>
        <Fact name="Id">
          <span class="mono">{userId}</span>
        </Fact>
        {names.length > 1 ? <Fact name="Also called">{names.slice(1, 10).join(", ")}</Fact> : null}
        <Fact name="Sessions">
          <a href={href(withQuery("/sessions", { user: userId, source: platform }))}>{number(sessions)}</a>
        </Fact>
        <Fact name="Messages">{number(messages)}</Fact>
        <Fact name="First seen">{firstSeen === null ? "Never" : <Ago at={firstSeen} />}</Fact>
        <Fact name="Last seen">{lastSeen === null ? "Never" : <Ago at={lastSeen} />}</Fact>
        <Fact name="Tool calls">
          <a href={href(withQuery("/audit", { user: userId, platform }))}>Show in the audit</a>
        </Fact>
      </dl>
    </section>
  );
}

interface AccessProps {
  person: ShownPerson;
  name: string;
  reload(): void;
}

function Access({ person, name, reload }: AccessProps) {
  const { platform, userId, role, pairing } = person;
  const isConfigured = role.kind === "owner" || role.kind === "allowed";
  const revoke = () =>
    act(
      "/pairing/revoke",
      { platform, userId },
      `The pairing of ${name} on ${platformName(platform)} was revoked.`,
    ).finally(reload);
  return (
    <section class="card" aria-labelledby="access">
      <h2 id="access">Access</h2>
      <p class="session-facts">
        <RoleBadge role={role} />
        <span>Because {role.because}.</span>
      </p>
      <div class="action-buttons">
        <a class="button" href={href(withQuery("/tools", { person: person.person }))}>
          Their tools
        </a>
        {isConfigured ? (
          <a class="button" href={href("/config")}>
            Settings
          </a>
        ) : null}
        {role.kind === "waiting" ? (
          <a class="button primary" href={href("/people")}>
            Their request
          </a>
        ) : null}
        {pairing === "approved" ? (
          <Confirm
            what="Revoke"
            of={name}
            question={
              isConfigured
                ? "Their pairing ends. The configuration still lets them talk."
                : "They may not talk to the bot any more."
            }
            danger
            act={revoke}
          />
        ) : null}
      </div>
    </section>
  );
}

interface WebProps {
  web: NonNullable<PersonAnswer["web"]>;
  who: { platform: string; userId: string };
  reload(): void;
}

function Web({ web, who, reload }: WebProps) {
  return (
    <section class="card" aria-labelledby="web">
      <h2 id="web">Web chat</h2>
      {web.passwordName === null ? null : (
        <p>
          Signs in as <b>{web.passwordName}</b> with a password.
        </p>
      )}
      {web.devices.length === 0 ? <p class="quiet">No device is signed in.</p> : null}
      <ul class="rows">
        {web.devices.map(({ id, label, lastSeenAt, createdAt }) => (
          <li key={id} class="person">
            <div class="letter-main">
              <span>{label}</span>
              <p class="session-facts">
                <span>
                  seen <Ago at={lastSeenAt} />
                </span>
                <span>
                  signed in <Ago at={createdAt} />
                </span>
              </p>
            </div>
            <Confirm
              what="Sign out"
              of={label}
              question="This device has to sign in again."
              danger
              act={() =>
                act("/people/devices/revoke", { ...who, device: id }, `${label} is signed out.`).finally(
                  reload,
                )
              }
            />
          </li>
        ))}
      </ul>
      {web.canLink ? <LoginLink what="Make a login link for them" person={who} /> : null}
    </section>
  );
}
