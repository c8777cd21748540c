import type { History } from "./history.js";
import type { Maintenance } from "./maintenance.js";
import type { People } from "./people.js";
import type { Queues } from "./queues.js";
import type { Reports } from "./reports.js";
import type { Schedules } from "./schedules.js";

export type * from "./common.js";
export type * from "./history.js";
export type * from "./maintenance.js";
export type { Stats } from "./reports.js";

/**
 * All stored data, in families that an engine implements. Each verb is one transaction and safe with other
 * processes. Times are epoch seconds and come from the store unless given.
 *
 * Ids are opaque and never reused. If one call starts after another has returned, its rows of the same chat
 * have higher ids; rows of overlapping calls have any order and may become visible in a different one. So a
 * chat's rows can be sorted by id, but an id never means "everything up to here": lists continue at a
 * `Position`, and an id in `before` or `after` names a row.
 */
export interface Store extends History, Queues, Schedules, People {
  /** Reads for the dashboard and the command line. Slow reports never delay a chat. */
  readonly reports: Reports;
  readonly maintenance: Maintenance;
  close(): Promise<void>;
}
