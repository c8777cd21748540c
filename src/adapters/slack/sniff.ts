/** What a file is by its first bytes; names and headers may lie. */

export interface FileType {
  mimeType: string;
  ending: string;
}

const MAGIC: readonly [offset: number, bytes: string, mimeType: string, ending: string][] = [
  [0, "\x89PNG\r\n\x1a\n", "image/png", ".png"],
  [0, "\xff\xd8\xff", "image/jpeg", ".jpg"],
  [0, "GIF8", "image/gif", ".gif"],
  [8, "WEBP", "image/webp", ".webp"],
  [0, "%PDF-", "application/pdf", ".pdf"],
  [0, "OggS", "audio/ogg", ".ogg"],
  [0, "ID3", "audio/mpeg", ".mp3"],
  [0, "\xff\xfb", "audio/mpeg", ".mp3"],
  [0, "fLaC", "audio/flac", ".flac"],
  [8, "WAVE", "audio/wav", ".wav"],
  [4, "ftypM4A", "audio/mp4", ".m4a"],
  [4, "ftypqt", "video/quicktime", ".mov"],
  [4, "ftyp", "video/mp4", ".mp4"],
  [0, "\x1aE\xdf\xa3", "video/webm", ".webm"],
  [0, "PK\x03\x04", "application/zip", ".zip"],
  [0, "\x1f\x8b", "application/gzip", ".gz"],
];

export function sniff(bytes: Buffer): FileType | undefined {
  for (const [offset, magic, mimeType, ending] of MAGIC) {
    if (bytes.subarray(offset, offset + magic.length).toString("latin1") === magic)
      return { mimeType, ending };
  }
  return isText(bytes) ? { mimeType: "text/plain", ending: ".txt" } : undefined;
}

function isText(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 4096);
  if (head.includes(0)) return false;
  // A character may be cut at the end of the look.
  return !head
    .subarray(0, Math.max(0, head.length - 4))
    .toString("utf8")
    .includes("\ufffd");
}
