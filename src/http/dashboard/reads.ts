/** Read-only routes: sessions, search, queues and configuration. Lists are paged. */
import type { Hono } from "hono";
import PQueue from "p-queue";
import { z } from "zod";
import { nowSeconds } from "../../clock.js";
import { maskSecrets } from "../../config/mask.js";
import { leaves } from "../../config/tree.js";
import { HermesError } from "../../errors.js";
import { PAIRING_TTL_SECONDS } from "../../policies/pairing.js";
import type { SearchOptions } from "../../store/store.js";
import { fromCursor, limit, paramsOf, seconds, text, toCursor, whole, withoutUndefined } from "../params.js";
import { systemTimeZone } from "./day.js";
import type { DashboardOptions } from "./options.js";
import { asTyped, withNames } from "./search.js";
import { stateOf } from "./session-actions.js";
import type {
  ConfigAnswer,
  DeadAnswer,
  LineageAnswer,
  MessagesAnswer,
  PairingAnswer,
  SearchAnswer,
  SessionDetail,
  SessionsAnswer,
  TraceAnswer,
  UsageAnswer,
} from "./types.js";
import { UsageSource } from "./usage.js";

const MAX_LINEAGE = 500;
const MAX_TITLES = 5;
const HITS_PER_PAGE = 20;
const MAX_OFFSET = 1000;
const MAX_SEARCHES_WAITING = 50;
const MAX_DAYS = 400;
const STATES = ["waiting", "running", "done", "refused", "cancelled", "dead"] as const;

export function readRoutes(api: Hono, options: DashboardOptions): void {
  sessionRoutes(api, options);
  searchRoutes(api, options);
  queueRoutes(api, options);
  const config = configAnswer(options);
  api.get("/config", (c) => c.json(config));
}

function sessionRoutes(api: Hono, options: DashboardOptions): void {
  const { reports, store, loaded } = options;
  api.get("/sources", async (c) => c.json({ sources: (await reports.browseSessions({ limit: 1 })).sources }));

  api.get("/sessions", async (c) => {
    const { before, source, user, state, since, until, ...rest } = paramsOf(c, {
      source: text(100),
      user: text(200),
      state: z.enum(["active", "ended", "archived"]).optional(),
      since: seconds,
      until: seconds,
      before: text(400),
      limit,
    });
    const filter = {
      source,
      userId: user,
      state,
      since,
      until,
      before: fromCursor(before),
      limit: rest.limit,
    };
    const { sessions, next } = await reports.browseSessions(withoutUndefined(filter));
    return c.json({ sessions, next: toCursor(next) } satisfies SessionsAnswer);
  });

  api.get("/sessions/:id", async (c) => {
    const id = c.req.param("id");
    const [found] = (await reports.browseSessions({ id })).sessions;
    if (!found?.detail) throw new HermesError("not_found", `Session '${id}' doesn't exist (any more).`);
    const { detail, ...session } = found;
    const state = await stateOf(options, { id, session_key: detail.session_key });
    return c.json({ session: { ...session, ...detail, ...state } satisfies SessionDetail });
  });

  api.get("/sessions/:id/transcript", async (c) => {
    const query = paramsOf(c, { before: whole, after: whole, around: whole, limit });
    return c.json(await reports.readTranscript(c.req.param("id"), withoutUndefined(query)));
  });

  api.get("/sessions/:id/lineage", async (c) => {
    const { ancestors, session } = await store.getLineage(c.req.param("id"));
    const tree = await store.getLineage((ancestors[0] ?? session).id);
    const nodes = [tree.session, ...tree.descendants];
    const answer = { tip: tree.tip, nodes: nodes.slice(0, MAX_LINEAGE), cut: nodes.length > MAX_LINEAGE };
    return c.json(answer satisfies LineageAnswer);
  });

  api.get("/messages/:id{[0-9]+}", async (c) => {
    const messageId = Number(c.req.param("id"));
    const [message] = (await reports.readTranscript({ messageId })).messages;
    if (!message) throw new HermesError("not_found", "That message doesn't exist (any more).");
    return c.json({ message });
  });

  const usage = new UsageSource(reports, loaded.config.timezone ?? systemTimeZone());
  api.get("/usage", async (c) => {
    const { days, by, ...only } = paramsOf(c, {
      days: z.coerce.number().int().min(1).max(MAX_DAYS).default(30),
      by: z.enum(["platform", "model"]).default("platform"),
      source: text(100),
      model: text(300),
    });
    return c.json((await usage.read(days, by, withoutUndefined(only))) satisfies UsageAnswer);
  });
}

function searchRoutes(api: Hono, { store, reports }: DashboardOptions): void {
  /** One search at a time. Abandoned ones are skipped, because people type faster than searches run. */
  const searches = new PQueue({ concurrency: 1 });

  api.get("/search", async (c) => {
    const {
      q,
      source,
      since,
      until,
      sort,
      offset = 0,
      ...rest
    } = paramsOf(c, {
      q: z.string().min(1).max(500),
      source: text(100),
      since: seconds,
      until: seconds,
      sort: z.enum(["newest", "oldest", "rank"]).default("newest"),
      offset: whole,
      limit,
    });
    if (offset > MAX_OFFSET)
      throw new HermesError("invalid", `offset: at most ${MAX_OFFSET}; narrow the search instead`);
    const count = rest.limit ?? HITS_PER_PAGE;
    const query: SearchOptions = {
      sort,
      offset,
      limit: count,
      ...withoutUndefined({ since, until }),
      ...(source === undefined ? {} : { sources: [source] }),
    };
    if (searches.size >= MAX_SEARCHES_WAITING)
      throw new HermesError("unavailable", "Too many searches are waiting");
    const { signal } = c.req.raw;
    const answer = await searches.add(async (): Promise<SearchAnswer | undefined> => {
      if (signal.aborted) return undefined;
      const containing = q.trim();
      const named = offset === 0 && containing.length > 1;
      const { hits, titles = [] } = await store.searchMessages(asTyped(q), {
        ...query,
        ...(named ? { titles: { containing, limit: MAX_TITLES } } : {}),
      });
      return {
        titles,
        hits: await withNames(reports, hits),
        next: hits.length === count && offset + count <= MAX_OFFSET ? offset + count : null,
      };
    });
    return answer ? c.json(answer) : c.body(null, 204);
  });
}

function queueRoutes(api: Hono, { reports }: DashboardOptions): void {
  api.get("/messages", async (c) => {
    const query = paramsOf(c, {
      platform: text(100),
      state: z.enum(STATES).optional(),
      before: text(400),
      limit,
    });
    const filter = withoutUndefined({ ...query, before: fromCursor(query.before) });
    const { messages, next } = await reports.recentMessages(filter);
    return c.json({ messages, next: toCursor(next) } satisfies MessagesAnswer);
  });

  api.get("/trace/:reference", async (c) => {
    const reference = c.req.param("reference");
    const traces = await reports.traceMessage(reference);
    if (traces.length === 0) {
      throw new HermesError("not_found", `No message '${reference}' found.`, {
        hint: "Finished messages are deleted after a while, and a message that never arrived has no trace.",
      });
    }
    return c.json({ traces } satisfies TraceAnswer);
  });

  api.get("/dead", async (c) => {
    const query = paramsOf(c, { before: text(400), limit });
    const before = fromCursor(query.before);
    const { letters, next } = await reports.deadPage(withoutUndefined({ before, limit: query.limit }));
    return c.json({ letters, next: toCursor(next) } satisfies DeadAnswer);
  });

  api.get("/pairing", async (c) => {
    const query = paramsOf(c, { before: text(400), limit });
    const since = nowSeconds() - PAIRING_TTL_SECONDS;
    const page = withoutUndefined({ ...query, before: fromCursor(query.before) });
    const { pending, approved, next } = await reports.pairingPage({ since, ...page });
    const waiting = pending.map((row) => ({ ...row, expiresAt: row.createdAt + PAIRING_TTL_SECONDS }));
    return c.json({ pending: waiting, approved, next: toCursor(next) } satisfies PairingAnswer);
  });
}

/** The loaded configuration doesn't change while the gateway runs. */
function configAnswer({ loaded }: DashboardOptions): ConfigAnswer {
  const values = [...leaves(maskSecrets(loaded.config))].map(([names, value]) => {
    const path = names.join(".");
    return { path, value: value ?? null, source: loaded.sources[path] ?? "default" };
  });
  return {
    values,
    ignored: [...loaded.ignored],
  };
}
