/** Placeholders: loading, empty, failed. */
import type { ComponentChildren } from "preact";
import type { ApiError } from "../state/api.js";
import type { Fetched } from "../state/fetched.js";
import { Icon } from "./icons.js";

export function Loading({ rows = 3, label = "Loading…" }: { rows?: number; label?: string }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">{label}</span>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} class="skeleton" aria-hidden="true" />
      ))}
    </div>
  );
}

/** Shown until the data is there: the error of the request, or placeholders. */
export function LoadingOrFailed({
  of: { data, error, reload },
  rows,
}: {
  of: Fetched<unknown>;
  rows: number;
}) {
  if (data) return null;
  return error ? <Failed error={error} retry={reload} /> : <Loading rows={rows} />;
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children ? <p>{children}</p> : null}
    </div>
  );
}

export function Failed({ error, retry }: { error: ApiError; retry?: () => void }) {
  return (
    <div class="failed" role="alert">
      <Icon name="warning" />
      <div>
        <p class="failed-title">{error.message}</p>
        {error.hint ? <p>{error.hint}</p> : null}
        {retry ? (
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        ) : null}
      </div>
    </div>
  );
}
