import type { Source } from "../../../../src/adapters/web/api.js";
import { Icon } from "../../parts/icons.js";

/** Further sources are collapsed. */
const SHOWN = 4;

/** The web pages that an answer is based on. Their titles can't be trusted, so the host is shown as well. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  if (sources.length === 0) return null;
  const rest = sources.slice(SHOWN);
  return (
    <section class="sources" aria-label="Sources">
      <List sources={sources.slice(0, SHOWN)} />
      {rest.length > 0 ? (
        <details>
          <summary>{rest.length} more</summary>
          <List sources={rest} />
        </details>
      ) : null}
    </section>
  );
}

function List({ sources }: { sources: readonly Source[] }) {
  return (
    <ul>
      {sources.map(({ url, title, host }) => (
        <li key={url}>
          <a href={url} target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">
            <Icon name="globe" small />
            <span class="source-title">{title}</span>
            {title === host ? null : <span class="quiet">{host}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}
