import type { Attempts } from "./queues/attempts.js";
import type { Conversations } from "./queues/conversations.js";
import type { Inbox } from "./queues/inbox.js";
import type { Outbox } from "./queues/outbox.js";
import type { Pairing } from "./queues/pairing.js";
import type { Previews } from "./queues/previews.js";
import type { Questions } from "./queues/questions.js";
import type { Records } from "./queues/records.js";
import type { Routes } from "./queues/routes.js";
import type { Steps } from "./queues/steps.js";
import type { Turns } from "./queues/turns.js";
import type { Values } from "./queues/values.js";

export type * from "./queues/attempts.js";
export type * from "./queues/conversations.js";
export type * from "./queues/inbox.js";
export * from "./queues/outbox.js";
export type * from "./queues/owners.js";
export type * from "./queues/pairing.js";
export type * from "./queues/previews.js";
export type * from "./queues/questions.js";
export * from "./queues/records.js";
export * from "./queues/routes.js";
export type * from "./queues/steps.js";
export type * from "./queues/turns.js";
export * from "./queues/values.js";

/** The gateway's own data: inbox, running turns, outbox, and which chat uses which session. */
export interface Queues
  extends Inbox,
    Routes,
    Conversations,
    Turns,
    Steps,
    Attempts,
    Questions,
    Outbox,
    Previews,
    Values,
    Records,
    Pairing {}
