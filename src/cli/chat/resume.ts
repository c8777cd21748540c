import { TERMINAL, terminalOrigin } from "../../adapters/cli/index.js";
import { nowSeconds } from "../../clock.js";
import { HermesError } from "../../errors.js";
import type { SessionKey, SessionRow } from "../../session.js";
import { type Isolation, originTuple } from "../../sessions/key.js";
import type { Store } from "../../store/store.js";
import { requireSession } from "../sessions/reference.js";

/** `true`: the latest conversation of a terminal; otherwise by id, by the beginning of one, or by title. */
export async function findEarlier(store: Store, reference: string | true): Promise<SessionRow> {
  const found = reference === true ? await latest(store) : await requireSession(store, reference);
  const { tip } = await store.getLineage(found.id);
  return (await store.getSession(tip)) ?? found;
}

async function latest(store: Store): Promise<SessionRow> {
  const [session] = await store.listSessions({ source: TERMINAL, order: "active", limit: 1 });
  if (session) return session;
  throw new HermesError("not_found", "There is no terminal conversation yet.", {
    hint: "`hermes chat` starts one; `hermes -r ID|TITLE` continues one from another chat.",
  });
}

interface EnteredSession {
  platform: string;
  id: string;
  key: SessionKey;
  sessionId: string;
  isolation: Isolation;
}

/** Moves the session to this terminal or editor: another chat that used it starts a new one, and work of a dead terminal continues here. */
export async function enterSession(
  store: Store,
  { platform, id, key, sessionId, isolation }: EnteredSession,
): Promise<void> {
  const { routes } = await store.listRoutes({ sessionId });
  const left = routes.filter(({ origin }) => origin.platform === platform);
  const origin = terminalOrigin({ platform, id });
  const now = nowSeconds();
  const route = {
    ...{ sessionKey: key, sessionId, origin, tuple: originTuple(origin, isolation) },
    ...{ createdAt: now, updatedAt: now, lastPromptTokens: 0, flags: {} },
  };
  await store.adopt({ routes: [route] });
  await store.switchRoute({ sessionKey: key, sessionId, endReason: "resumed_other" });
  for (const { origin: from } of left)
    if (from.chatId) await store.moveChat(platform, from.chatId, { id, sessionKey: key });
}
