/** The notes that everyone shares, and the people the agent has notes about. */
import type { PeopleAnswer, ShownPerson } from "../../../src/http/dashboard/people-types.js";
import { Platform } from "../parts/badges.js";
import { More } from "../parts/more.js";
import { Notes } from "../parts/notes.js";
import { Page } from "../parts/page.js";
import { Empty, Loading } from "../parts/states.js";
import { withQuery } from "../state/api.js";
import { usePaged } from "../state/paged.js";
import { href } from "../state/router.js";
import { personPath } from "./people.js";

export function MemoryPage() {
  const list = usePaged<PeopleAnswer, ShownPerson>({
    path: (offset) => withQuery("/people", { notes: "yes", offset }),
    rowsOf: ({ people, next }) => ({ rows: people, next }),
    idOf: ({ person }) => person,
  });
  return (
    <Page title="Memory">
      <Notes title="Shared by everyone" />
      <section class="stack" aria-labelledby="about">
        <h2 id="about">People with notes</h2>
        {list.rows.length > 0 ? (
          <ul class="list">
            {list.rows.map((person) => (
              <li key={person.person} class="person">
                <a class="row-link" href={href(personPath(person))} title={person.person}>
                  {person.names[0] ?? person.userId}
                </a>
                <Platform name={person.platform} />
              </li>
            ))}
          </ul>
        ) : null}
        {list.rows.length === 0 && list.loading ? <Loading rows={2} /> : null}
        {list.rows.length === 0 && !list.loading && !list.error ? (
          <Empty title="None yet">The agent takes notes about people with its memory tool.</Empty>
        ) : null}
        <More list={list} what="people" />
      </section>
    </Page>
  );
}
