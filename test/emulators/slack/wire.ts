/** Stored messages and files in Slack's format. */
import type { StoredFile, StoredMessage } from "./types.js";
import type { Workspace } from "./workspace.js";

export function wireFile(file: StoredFile, baseUrl: string): Record<string, unknown> {
  return {
    id: file.id,
    name: file.name,
    title: file.name,
    mimetype: file.mimetype,
    size: file.size,
    mode: "hosted",
    is_external: false,
    url_private: `${baseUrl}/files-pri/${file.id}/${encodeURIComponent(file.name)}`,
    url_private_download: `${baseUrl}/files-pri/${file.id}/download/${encodeURIComponent(file.name)}`,
  };
}

export function wireMessage(workspace: Workspace, message: StoredMessage, baseUrl: string) {
  const { ts, user, text, blocks, threadTs, botId, files, subtype, edits, attachments } = message;
  const kind = subtype ?? (files.length > 0 ? "file_share" : undefined);
  return {
    type: "message",
    ts,
    user,
    text,
    team: workspace.teamId,
    ...(kind === undefined ? {} : { subtype: kind }),
    ...(blocks === undefined ? {} : { blocks }),
    ...(botId === undefined ? {} : { bot_id: botId, app_id: workspace.appId }),
    ...(files.length > 0 ? { files: files.map((file) => wireFile(file, baseUrl)) } : {}),
    ...(attachments === undefined ? {} : { attachments }),
    ...(edits > 0 ? { edited: { user, ts: `${ts}.0` } } : {}),
    ...threadFields(workspace, message, threadTs),
  };
}

function threadFields(workspace: Workspace, message: StoredMessage, threadTs: string | undefined) {
  if (threadTs !== undefined && threadTs !== message.ts) {
    const root = workspace.all(message.channel).find((m) => m.ts === threadTs);
    return { thread_ts: threadTs, ...(root ? { parent_user_id: root.user } : {}) };
  }
  const replies = repliesOf(workspace, message);
  if (replies.length === 0) return {};
  return {
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users: [...new Set(replies.map((m) => m.user))],
    latest_reply: replies.at(-1)!.ts,
  };
}

export function repliesOf(workspace: Workspace, root: StoredMessage): StoredMessage[] {
  return workspace.all(root.channel).filter((m) => m.threadTs === root.ts && m.ts !== root.ts && !m.deleted);
}
