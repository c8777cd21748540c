/** A file's first bytes → its type. What they don't tell is believed only where it does no harm. Pure. */

interface Magic {
  type: string;
  at: number;
  bytes: string;
}

const MAGIC: readonly Magic[] = [
  { type: "image/png", at: 0, bytes: "\x89PNG\r\n" },
  { type: "image/jpeg", at: 0, bytes: "\xff\xd8\xff" },
  { type: "image/gif", at: 0, bytes: "GIF8" },
  { type: "image/webp", at: 8, bytes: "WEBP" },
  { type: "application/pdf", at: 0, bytes: "%PDF-" },
  { type: "application/zip", at: 0, bytes: "PK\x03\x04" },
  { type: "audio/ogg", at: 0, bytes: "OggS" },
  { type: "audio/wav", at: 8, bytes: "WAVE" },
  { type: "audio/mpeg", at: 0, bytes: "ID3" },
  { type: "audio/mpeg", at: 0, bytes: "\xff\xfb" },
  { type: "audio/flac", at: 0, bytes: "fLaC" },
  { type: "video/webm", at: 0, bytes: "\x1a\x45\xdf\xa3" },
  { type: "audio/mp4", at: 8, bytes: "M4A" },
  { type: "video/mp4", at: 4, bytes: "ftyp" },
];

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "application/pdf": ".pdf",
  "application/zip": ".zip",
  "audio/ogg": ".ogg",
  "audio/wav": ".wav",
  "audio/mpeg": ".mp3",
  "audio/flac": ".flac",
  "audio/mp4": ".m4a",
  "video/webm": ".webm",
  "video/mp4": ".mp4",
  "text/plain": ".txt",
  "application/json": ".json",
};

export function sniff(head: Uint8Array, declared: string | undefined): string {
  const text = Buffer.from(head).toString("latin1");
  const found = MAGIC.find(({ at, bytes }) => text.startsWith(bytes, at));
  const claim = declared?.split(";", 1)[0]?.trim().toLowerCase();
  if (found) {
    // Office files are zips: there the claim says more.
    return found.type === "application/zip" && claim?.startsWith("application/") ? claim : found.type;
  }
  // An image without an image's first bytes is none.
  if (!claim || /^(image|audio|video)\//.test(claim)) return "application/octet-stream";
  return claim;
}

export function extensionOf(mimeType: string): string {
  return EXTENSIONS[mimeType] ?? ".bin";
}
