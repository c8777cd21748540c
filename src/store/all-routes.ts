import type { RoutePage, RouteRow } from "./queues.js";
import type { Store } from "./store.js";

export async function allRoutes(store: Pick<Store, "listRoutes">): Promise<RouteRow[]> {
  const all: RouteRow[] = [];
  let after: RoutePage["next"] = null;
  do {
    const page: RoutePage = await store.listRoutes({ after });
    all.push(...page.routes);
    after = page.next;
  } while (after !== null);
  return all;
}
