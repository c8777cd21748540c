import type { FoundHooks } from "./find.js";

/** A hook in lists for people. */
export interface ListedHook {
  name: string;
  events: readonly string[];
  /** The module's path, or the URL. */
  where: string;
  description: string;
  problem: string | null;
}

/** The home's modules, including those that can't be loaded, and the configured webhooks. */
export function listHooks(
  dir: string,
  { modules, problems }: FoundHooks,
  webhooks: Readonly<Record<string, { url: string; events: readonly string[] }>>,
): ListedHook[] {
  return [
    ...modules.map(({ name, events, file, description, warning }) => ({
      ...{ name, events, where: file, description, problem: warning ?? null },
    })),
    ...problems.map(({ name, problem }) => ({
      ...{ name, events: [], where: `${dir}/${name}`, description: "", problem },
    })),
    ...Object.entries(webhooks).map(([name, { url, events }]) => ({
      ...{ name: `webhook:${name}`, events, where: url, description: "" },
      problem: events.length === 0 ? "lists no events" : null,
    })),
  ];
}
