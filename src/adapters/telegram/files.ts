/** The files of a message, as Telegram describes them. Pure; `media.ts` locates them. */
import type { Message } from "grammy/types";
import { displayName } from "../../media/names.js";
import { kindOf } from "../../media/sniff.js";
import type { Attachment } from "../../message.js";

export interface TelegramFile {
  fileId: string;
  attachment: Attachment;
}

interface Described {
  file_id: string;
  file_size?: number;
  mime_type?: string;
  file_name?: string;
}

export function telegramFilesOf(message: Message): TelegramFile[] {
  const { photo, voice, audio, video, video_note, animation, document, live_photo } = message;
  // Sizes of one picture, smallest first.
  if (photo?.length) return [remote("image", photo.at(-1)!, "image/jpeg")];
  if (voice) return [remote("audio", voice)];
  if (audio) return [remote("audio", audio)];
  if (video) return [remote("video", video)];
  if (video_note) return [remote("video", video_note, "video/mp4")];
  // An animation is in `document` too.
  if (animation) return [remote("video", animation)];
  if (live_photo) return [remote("image", live_photo)];
  return document ? [remote(kindOf(document.mime_type), document)] : [];
}

function remote(kind: Attachment["kind"], file: Described, mimeType = file.mime_type): TelegramFile {
  const name = file.file_name && displayName(file.file_name);
  return {
    fileId: file.file_id,
    attachment: {
      kind,
      ...(name && { name }),
      ...(mimeType !== undefined && { mimeType }),
      ...(file.file_size !== undefined && { bytes: file.file_size }),
    },
  };
}
