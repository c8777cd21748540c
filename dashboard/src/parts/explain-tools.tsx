/** Which tools a person may use in a chat and why, like `hermes explain tools`. */
import { useEffect, useState } from "preact/hooks";
import type { PeopleAnswer } from "../../../src/http/dashboard/people-types.js";
import type { ExplainAnswer } from "../../../src/http/dashboard/tools-types.js";
import { withQuery } from "../state/api.js";
import { useFetched } from "../state/fetched.js";
import { place, setQuery } from "../state/router.js";
import { Badge } from "./badges.js";
import { Failed, Loading } from "./states.js";

const ASKS = {
  never: "Never",
  once: "Once per person",
  session: "Once per session",
  always: "Every time",
} as const;

export function ExplainTools() {
  const { query } = place.value;
  const person = query.get("person") ?? "";
  const room = query.get("room") ?? "";
  const colon = person.indexOf(":");
  const who = { platform: person.slice(0, colon), userId: person.slice(colon + 1) };
  const isComplete = colon > 0 && who.userId !== "";
  const { data, error, reload } = useFetched<ExplainAnswer>(
    isComplete ? withQuery("/tools/explain", { ...who, room }) : undefined,
  );
  return (
    <section class="card" aria-labelledby="explain">
      <h2 id="explain">Which tools may a person use?</h2>
      <Form person={person} room={room} />
      {person !== "" && !isComplete ? (
        <p class="warn">Write a platform and an id, as in telegram:111.</p>
      ) : null}
      {error ? <Failed error={error} retry={reload} /> : null}
      {isComplete && !data && !error ? <Loading rows={2} /> : null}
      {data ? <Answer answer={data} /> : null}
    </section>
  );
}

function Form({ person, room }: { person: string; room: string }) {
  const [typed, setTyped] = useState({ person, room });
  useEffect(() => setTyped({ person, room }), [person, room]);
  const known = useFetched<PeopleAnswer>("/people").data?.people ?? [];
  return (
    <form
      class="action-buttons"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ person: typed.person.trim(), room: typed.room.trim() });
      }}
    >
      <label class="labelled">
        <span>Person, such as telegram:111</span>
        <input
          class="field"
          list="known-people"
          required
          maxLength={600}
          autocomplete="off"
          spellcheck={false}
          value={typed.person}
          onInput={(event) => setTyped({ ...typed, person: event.currentTarget.value })}
        />
      </label>
      <datalist id="known-people">
        {known.map((one) => (
          <option key={one.person} value={one.person}>
            {one.names[0] ?? one.userId}
          </option>
        ))}
      </datalist>
      <label class="labelled">
        <span>Room, such as telegram:-100123 (empty: direct chat)</span>
        <input
          class="field"
          maxLength={500}
          autocomplete="off"
          spellcheck={false}
          value={typed.room}
          onInput={(event) => setTyped({ ...typed, room: event.currentTarget.value })}
        />
      </label>
      <button type="submit" class="button primary">
        Explain
      </button>
    </form>
  );
}

function Answer({ answer }: { answer: ExplainAnswer }) {
  const { name, person, room, owner, may_talk: mayTalk, because, tools } = answer;
  return (
    <>
      <p class="tool-text">
        <b>{name ?? person}</b> in {room === null ? "a direct chat" : `the room ${room}`}{" "}
        {mayTalk ? (owner ? "is an owner" : "may talk to the bot") : "may not talk to the bot"}: {because}.
      </p>
      <ul class="rows explained">
        {tools.map(({ name: tool, offered, ask, because: reason }) => (
          <li key={tool} data-tool={tool}>
            <span class="mono">{tool}</span>
            <span>
              <Badge tone={offered ? "good" : "quiet"}>{offered ? "Offered" : "Not offered"}</Badge>
              {offered ? <span class="quiet"> Asks: {ASKS[ask]}</span> : null}
            </span>
            <span class="quiet tool-text">{reason}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
