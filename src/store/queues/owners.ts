import type { Owner } from "../shared/owner.js";

/** The owners whose rows a process handles. Several processes may share one store. */
export type Owners = readonly Owner[];
