import type { Database } from "better-sqlite3";
import { ROUTES_CHANGED, type RouteRow } from "../queues.js";
import { type StoredRoute, toRoute } from "../shared/rows.js";
import { connect } from "./connect.js";
import { getMeta } from "./meta.js";
import { countRoutes } from "./queues/list-routes.js";
import { readRows } from "./statements.js";

export interface RouteSnapshot {
  /** In the order in which chats were first seen. Can be iterated once. */
  routes: Iterable<RouteRow>;
  /** Total count, including skipped ones. */
  count: number;
  /** When another process last changed routes. */
  changedAt: string | undefined;
}

/**
 * A consistent snapshot of all routes except one platform's, read row by row, for a thread that may block on
 * disk. The connection closes with `use`, so that others can get exclusive access to the file.
 */
export async function withRoutes<T>(
  { path, except }: { path: string; except: string },
  use: (snapshot: RouteSnapshot) => Promise<T>,
): Promise<T> {
  const db = connect(path, { readonly: true });
  try {
    db.exec("BEGIN");
    return await use({
      count: countRoutes(db),
      changedAt: getMeta(db, ROUTES_CHANGED),
      routes: routesIn(db, except),
    });
  } finally {
    db.close();
  }
}

function* routesIn(db: Database, except: string): Generator<RouteRow> {
  for (const row of readRows<StoredRoute>(db, "SELECT * FROM gw_routes ORDER BY rowid")) {
    const route = toRoute(row);
    if (route.origin.platform !== except) yield route;
  }
}
