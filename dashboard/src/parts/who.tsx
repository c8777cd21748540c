/** People and chats by name, with the id for operators who need it. */
import type { BrowsedSession } from "../../../src/http/dashboard/types.js";
import { withQuery } from "../state/api.js";
import { href } from "../state/router.js";

interface WhoProps {
  name: string | null | undefined;
  id: string | null | undefined;
  /** Path of their page. */
  to?: string | undefined;
  /** Shows the id as a second line instead of a tooltip. */
  withId?: boolean | undefined;
  /** Text if neither is known. */
  unknown?: string | undefined;
}

export function Who({ name, id, to, withId = false, unknown = "Unknown" }: WhoProps) {
  const shown = name || id || unknown;
  const isNamed = shown !== id && Boolean(id);
  const title = isNamed && !withId ? (id ?? undefined) : undefined;
  return (
    <span class="who">
      {to === undefined ? (
        <span title={title}>{shown}</span>
      ) : (
        <a class="above quiet-link" href={href(to)} title={title}>
          {shown}
        </a>
      )}
      {withId && isNamed ? <span class="who-id mono">{id}</span> : null}
    </span>
  );
}

/** The person of a session, or the room that shares it. */
export function WhoOfSession({
  session: { user_id: user, source, place },
  linked = false,
  withId,
}: {
  session: Pick<BrowsedSession, "user_id" | "source" | "place">;
  /** Links to this person's sessions. */
  linked?: boolean;
  withId?: boolean;
}) {
  if (user === null) return <Who name={place?.chatName} id={null} unknown="A shared room" />;
  const to = linked ? withQuery("/sessions", { user, source }) : undefined;
  return <Who name={place?.userName} id={user} to={to} withId={withId} />;
}
