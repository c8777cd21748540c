import type { Method } from "./methods.js";
import { ApiError } from "./types.js";
import { wireFile } from "./wire.js";

export const fileMethods: Record<string, Method> = {
  "files.getUploadURLExternal": ({ filename, length }, { workspace, baseUrl }) => {
    if (!filename || !length) throw new ApiError("invalid_arguments");
    const file = workspace.addFile(filename, Buffer.alloc(0), "application/octet-stream", true);
    return { upload_url: `${baseUrl}/upload/v1/${file.id}`, file_id: file.id };
  },

  "files.completeUploadExternal": (args, { workspace, baseUrl }) => {
    const asked = JSON.parse(args.files ?? "[]") as { id: string; title?: string }[];
    const files = asked.map(({ id }) => workspace.files.get(id) ?? missing());
    if (files.some((file) => file.pending && file.content.length === 0)) throw new ApiError("file_not_found");
    for (const file of files) file.pending = false;
    if (!args.channel_id) return { files: files.map((file) => wireFile(file, baseUrl)) };
    const room = workspace.conversation(args.channel_id);
    const message = workspace.add({
      channel: room.id,
      user: workspace.botUser,
      botId: workspace.botId,
      text: args.initial_comment ?? "",
      files,
      ...(args.thread_ts ? { threadTs: args.thread_ts } : {}),
    });
    const shares = { private: { [room.id]: [{ ts: message.ts }] } };
    return { files: files.map((file) => ({ ...wireFile(file, baseUrl), shares })) };
  },

  "files.info": ({ file }, { workspace, baseUrl }) => {
    const found = (file === undefined ? undefined : workspace.files.get(file)) ?? missing();
    return { file: wireFile(found, baseUrl) };
  },
};

function missing(): never {
  throw new ApiError("file_not_found");
}
