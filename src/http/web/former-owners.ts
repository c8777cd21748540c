/** Removes the owner's rights from signed-in people who are no longer in `owners`. */
import { PLATFORM } from "../../adapters/web/normalise.js";
import { isWebOwner } from "../../policies/web-person.js";
import type { WebChat } from "./chat.js";
import { PERSON, type PersonValue } from "./visitor.js";

const SEEN = { platform: PLATFORM, kind: "owners", owner: "gateway", id: "owners" };
const PAGE = 500;

export async function dropFormerOwners({ store, config }: Pick<WebChat, "store" | "config">): Promise<void> {
  const { owners } = config;
  const [seen] = await store.listRecords(SEEN);
  // The list can't confirm owners who are listed by a second id, so they stay owners until it changes.
  if (JSON.stringify(seen?.value) === JSON.stringify(owners)) return;
  for (let before: string | undefined; ; ) {
    const people = await store.listRecords({
      ...{ platform: PLATFORM, kind: PERSON },
      newest: { limit: PAGE, before },
    });
    for (const { id, value, owner: person } of people) {
      const was = value as PersonValue;
      if (!was.owner || isWebOwner({ platform: PLATFORM, userId: id }, owners)) continue;
      const now: PersonValue = { ...was, owner: false };
      await store.saveRecord({ platform: PLATFORM, kind: PERSON, owner: person, id, value: now });
    }
    if (people.length < PAGE) break;
    before = people.at(-1)!.position;
  }
  await store.saveRecord({ ...SEEN, value: [...owners] });
}
