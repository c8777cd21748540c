/** Finds the messages of a conversation's shown branch that have other versions. Pure. */
import type { Fork } from "../../adapters/web/api.js";
import type { SessionId } from "../../session.js";
import type { Lineage, LineageNode } from "../../store/store.js";

/** A fork that replaces one message of its parent. */
interface ForkPoint {
  parent: SessionId;
  /** The message's index in the parent. */
  index: number;
}

type Nodes = ReadonlyMap<SessionId, LineageNode>;

/** All nodes of a tree, from the lineage of its first session. */
export function nodesOf({ session, ancestors, descendants }: Lineage): Nodes {
  return new Map([...ancestors, session, ...descendants].map((node) => [node.id, node]));
}

/**
 * Where a new version of a message branches off. If the message was copied from the parent, or is itself a
 * new version, it branches off from the parent. So all versions of a message are forks of the same session.
 */
export function forkFrom(nodes: Nodes, sessionId: SessionId, index: number): ForkPoint {
  let parent = sessionId;
  for (
    let node = nodes.get(parent);
    node?.fork && node.parent_session_id !== null;
    node = nodes.get(parent)
  ) {
    if (index > node.fork.messages) break;
    parent = node.parent_session_id;
  }
  return { parent, index };
}

/** `messages`: the ids of the shown session's messages, in order. */
export function forksOf(nodes: Nodes, sessionId: SessionId, messages: readonly string[]): Fork[] {
  return pathOf(nodes, sessionId)
    .flatMap(({ id, until, child }) => groupsAt(nodes, id, until, child))
    .flatMap(({ index, branches, current }) => {
      const messageId = messages[index];
      return messageId === undefined ? [] : [{ messageId, branches, current }];
    });
}

interface PathNode {
  id: SessionId;
  /** The index of the message where the shown branch leaves this session. */
  until: number;
  child: SessionId | null;
}

/** The session and its ancestors by forks. */
function pathOf(nodes: Nodes, sessionId: SessionId): PathNode[] {
  const path: PathNode[] = [{ id: sessionId, until: Number.POSITIVE_INFINITY, child: null }];
  for (let node = nodes.get(sessionId); node?.fork && node.parent_session_id !== null; ) {
    path.push({ id: node.parent_session_id, until: node.fork.messages, child: node.id });
    node = path.length > nodes.size ? undefined : nodes.get(node.parent_session_id);
  }
  return path;
}

function groupsAt(nodes: Nodes, parent: SessionId, until: number, child: SessionId | null) {
  const forks = [...nodes.values()].filter((node) => node.parent_session_id === parent && node.fork);
  const indexes = [...new Set(forks.map(({ fork }) => fork!.messages))].filter((index) => index <= until);
  return indexes.map((index) => {
    const versions = forks.filter(({ fork }) => fork!.messages === index);
    const ordered = versions.toSorted((a, b) => a.started_at - b.started_at);
    const branches = [nodes.get(parent), ...ordered].flatMap((node) =>
      node ? [{ id: node.id, createdAt: node.started_at }] : [],
    );
    const shown = index === until ? branches.findIndex(({ id }) => id === child) : 0;
    return { index, branches, current: Math.max(0, shown) };
  });
}
