/** Where the shown branch of a conversation has alternatives. Pure. */
import type { Fork } from "../../adapters/web/api.js";
import type { SessionId } from "../../session.js";
import type { Lineage, LineageNode } from "../../store/store.js";

/** A fork that was made by editing the message at this place of its parent. */
interface Leaf {
  parent: SessionId;
  /** How many messages come before it. */
  place: number;
}

type Nodes = ReadonlyMap<SessionId, LineageNode>;

/** Of the whole tree: read from its first session. */
export function nodesOf({ session, ancestors, descendants }: Lineage): Nodes {
  return new Map([...ancestors, session, ...descendants].map((node) => [node.id, node]));
}

/**
 * Where a new version of a message belongs. A message that was copied from the parent, or is itself a new version, is a version of the
 * parent's message: so all versions of a message are forks of the same session.
 */
export function forkFrom(nodes: Nodes, sessionId: SessionId, place: number): Leaf {
  let parent = sessionId;
  for (
    let node = nodes.get(parent);
    node?.fork && node.parent_session_id !== null;
    node = nodes.get(parent)
  ) {
    if (place > node.fork.messages) break;
    parent = node.parent_session_id;
  }
  return { parent, place };
}

/** `messages`: the ids of the shown session's messages, in order. */
export function forksOf(nodes: Nodes, sessionId: SessionId, messages: readonly string[]): Fork[] {
  return pathOf(nodes, sessionId)
    .flatMap(({ id, until, child }) => groupsAt(nodes, id, until, child))
    .flatMap(({ place, branches, current }) => {
      const messageId = messages[place];
      return messageId === undefined ? [] : [{ messageId, branches, current }];
    });
}

interface OnPath {
  id: SessionId;
  /** The shown branch left it here. */
  until: number;
  child: SessionId | null;
}

/** The session and those that it was forked from. */
function pathOf(nodes: Nodes, sessionId: SessionId): OnPath[] {
  const path: OnPath[] = [{ id: sessionId, until: Number.POSITIVE_INFINITY, child: null }];
  for (let node = nodes.get(sessionId); node?.fork && node.parent_session_id !== null; ) {
    path.push({ id: node.parent_session_id, until: node.fork.messages, child: node.id });
    node = path.length > nodes.size ? undefined : nodes.get(node.parent_session_id);
  }
  return path;
}

function groupsAt(nodes: Nodes, parent: SessionId, until: number, child: SessionId | null) {
  const forks = [...nodes.values()].filter((node) => node.parent_session_id === parent && node.fork);
  const places = [...new Set(forks.map(({ fork }) => fork!.messages))].filter((place) => place <= until);
  return places.map((place) => {
    const versions = forks.filter(({ fork }) => fork!.messages === place);
    const ordered = versions.toSorted((a, b) => a.started_at - b.started_at);
    const branches = [nodes.get(parent), ...ordered].flatMap((node) =>
      node ? [{ id: node.id, createdAt: node.started_at }] : [],
    );
    const shown = place === until ? branches.findIndex(({ id }) => id === child) : 0;
    return { place, branches, current: Math.max(0, shown) };
  });
}
