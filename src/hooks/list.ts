import type { FoundHooks } from "./find.js";

/** A hook as people see it. */
export interface ListedHook {
  name: string;
  events: readonly string[];
  /** The module, or the address. */
  where: string;
  description: string;
  problem: string | null;
}

/** Those of the home, those that can't be loaded, and those of the configuration. */
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
