import type { History } from "./history.js";
import type { Maintenance } from "./maintenance.js";
import type { People } from "./people.js";
import type { Queues } from "./queues.js";
import type { Reports } from "./reports.js";
import type { Schedules } from "./schedules.js";

export type * from "./common.js";
export type * from "./history.js";
export type * from "./maintenance.js";
export type { Insights, InsightsQuery, Stats } from "./reports.js";

/**
 * Everything that is stored, in families that an engine implements. Each verb is one transaction. No verb relies on this being
 * the only process. Times are epoch seconds and come from the store unless given.
 *
 * Ids are opaque and never used twice. Of two rows of a chat, the one whose call began after the other call had returned has the
 * higher id; rows of calls that overlap have any order, and may become visible in another one. So rows of a chat can be put in order,
 * but no id means "everything up to here": lists continue at a `Position`, and an id in `before` or `after` names a row.
 */
export interface Store extends History, Queues, Schedules, People {
  /** What operators read: dashboard and command line. Slow reports never delay a chat. */
  readonly reports: Reports;
  readonly maintenance: Maintenance;
  close(): Promise<void>;
}
