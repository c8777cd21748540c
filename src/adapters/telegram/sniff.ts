/** A file's first bytes → what it is. Names and claims from outside decide nothing. Pure. */

export interface FileType {
  mimeType: string;
  extension: string;
}

/** So many bytes are looked at. */
export const SNIFFED_BYTES = 16;

const SIGNATURES: readonly [offset: number, bytes: string, mimeType: string, extension: string][] = [
  [0, "\x89PNG\r\n\x1a\n", "image/png", "png"],
  [0, "\xff\xd8\xff", "image/jpeg", "jpg"],
  [0, "GIF8", "image/gif", "gif"],
  [8, "WEBP", "image/webp", "webp"],
  [8, "WAVE", "audio/wav", "wav"],
  [4, "ftypM4A", "audio/mp4", "m4a"],
  [4, "ftypqt", "video/quicktime", "mov"],
  [4, "ftyphei", "image/heic", "heic"],
  [4, "ftyp", "video/mp4", "mp4"],
  [0, "\x1aE\xdf\xa3", "video/webm", "webm"],
  [0, "OggS", "audio/ogg", "ogg"],
  [0, "ID3", "audio/mpeg", "mp3"],
  [0, "\xff\xfb", "audio/mpeg", "mp3"],
  [0, "\xff\xf3", "audio/mpeg", "mp3"],
  [0, "fLaC", "audio/flac", "flac"],
  [0, "%PDF-", "application/pdf", "pdf"],
  [0, "PK\x03\x04", "application/zip", "zip"],
  [0, "\x1f\x8b", "application/gzip", "gz"],
];

export function sniff(head: Buffer): FileType | undefined {
  const text = head.subarray(0, SNIFFED_BYTES).toString("latin1");
  const found = SIGNATURES.find(([offset, bytes]) => text.startsWith(bytes, offset));
  return found && { mimeType: found[2], extension: found[3] };
}

/** The kind of attachment that a type is. */
export function kindOf(mimeType: string | undefined): "image" | "audio" | "video" | "file" {
  const family = mimeType?.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}
