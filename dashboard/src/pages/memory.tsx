/** The notes that everyone shares, and the people the agent has notes about. */
import type { PeopleAnswer, ShownPerson } from "../../../src/http/dashboard/people-types.js";
import { Platform } from "../parts/badges.js";
import { Notes } from "../parts/notes.js";
import { Page } from "../parts/page.js";
import { PagedRows } from "../parts/paged-rows.js";
import { Empty } from "../parts/states.js";
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
        <PagedRows
          list={list}
          what="people"
          loadingRows={2}
          empty={<Empty title="None yet">The agent takes notes about people with its memory tool.</Empty>}
        >
          {(person) => (
            <li key={person.person} class="person">
              <a class="row-link" href={href(personPath(person))} title={person.person}>
                {person.names[0] ?? person.userId}
              </a>
              <Platform name={person.platform} />
            </li>
          )}
        </PagedRows>
      </section>
    </Page>
  );
}
