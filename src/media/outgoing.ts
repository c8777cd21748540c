/** Copies the files that an answer names into the home, or says why not. Allowed folders only. */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, type FileHandle, mkdir, open, realpath, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { OutboundFile, OutboundMessage, RefusedFile } from "../message.js";
import { isNotRegular, openRegular } from "../regular-file.js";
import type { SecretRedactor } from "../secrets/redactor.js";
import { megabytes } from "./incoming.js";
import { displayName } from "./names.js";
import { sniff } from "./sniff.js";
import type { WantedFile } from "./tags.js";

export interface OutgoingRules {
  home: string;
  /** Folder for the copies, relative to the home: the original may change before it is sent. */
  folder: string;
  /** Absolute, or under the home. */
  allowedFolders: readonly string[];
  /** Folders of the home with private data; they must be allowed by name. */
  keptFolders: readonly string[];
  /** Undefined if the chat doesn't support files. */
  maxBytes: number | undefined;
  /** A file that contains one of these isn't sent. */
  secrets?: SecretRedactor | undefined;
}

const MAX_FILES = 10;

/** Why a file isn't sent, safe to show: never contains its path. */
class Refusal extends Error {}

export async function takeFiles(
  wanted: readonly WantedFile[],
  rules: OutgoingRules,
): Promise<(OutboundFile | RefusedFile)[]> {
  const taken: (OutboundFile | RefusedFile)[] = [];
  for (const [i, file] of wanted.entries()) {
    const name = displayName(file.path) || "file";
    try {
      if (i >= MAX_FILES) throw new Refusal(`an answer can have at most ${MAX_FILES} files`);
      taken.push({ name, ...(await copyOf(file, rules)), ...(file.as ? { as: file.as } : {}) });
    } catch (error) {
      taken.push({ name, problem: error instanceof Refusal ? error.message : "it can't be read" });
    }
  }
  return taken;
}

/** The note that replaces the file. */
export function refusalText({ name, problem }: RefusedFile): string {
  return `⚠ ${name} was not sent: ${problem}`;
}

export function isRefused(file: OutboundFile | RefusedFile): file is RefusedFile {
  return "problem" in file;
}

async function copyOf({ path: wanted }: WantedFile, rules: OutgoingRules) {
  const { home, folder, maxBytes } = rules;
  if (maxBytes === undefined) throw new Refusal("this chat doesn't support files");
  const meant = path.resolve(home, wanted.replace(/^~(?=\/)/, homedir()));
  // Resolve links first: the real location counts.
  const real = await realpath(meant).catch(() => undefined);
  // Don't reveal whether a file exists outside the allowed folders.
  if (!(await isAllowed(real ?? (await wouldLie(meant)), rules)))
    throw new Refusal("the file is outside the allowed folders");
  if (real === undefined) throw new Refusal("the file doesn't exist");
  const source = await openSource(real);
  try {
    const { size, nlink } = await source.stat();
    if (size === 0) throw new Refusal(NO_CONTENT);
    // The other link may be outside the allowed folders, and can't be found.
    if (nlink > 1) throw new Refusal("the file has another hard link: send a copy of it");
    if (size > maxBytes) throw new Refusal(`the file is larger than ${megabytes(maxBytes)} MB`);
    const copy = path.posix.join(folder, `${randomUUID()}${path.extname(real).toLowerCase()}`);
    const bytes = await copyBytes(source, path.join(home, copy), size, rules.secrets);
    const { mimeType } = await sniff(path.join(home, copy));
    return { path: copy, mimeType, bytes };
  } finally {
    await source.close();
  }
}

/** For a missing file: resolved through its nearest existing folder. */
async function wouldLie(file: string): Promise<string> {
  const folder = await realpath(path.dirname(file)).catch(() => path.dirname(file));
  return path.join(folder, path.basename(file));
}

const HAS_SECRET = "it contains a token or key of this gateway";
const NO_CONTENT = "it is no file with content";

async function openSource(real: string): Promise<FileHandle> {
  try {
    return await openRegular(real, constants.O_NOFOLLOW);
  } catch (error) {
    throw isNotRegular(error) ? new Refusal(NO_CONTENT) : error;
  }
}

/** Durable when it resolves, so the answer can be committed. */
async function copyBytes(
  source: FileHandle,
  target: string,
  maxBytes: number,
  secrets: SecretRedactor | undefined,
): Promise<number> {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  const copy = await open(target, "wx", 0o600);
  const hasSecret = secrets?.finder();
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    for await (const chunk of source.createReadStream({ autoClose: false, end: maxBytes - 1 })) {
      bytes += (chunk as Buffer).length;
      if (hasSecret?.(decoder.decode(chunk as Buffer, { stream: true }))) throw new Refusal(HAS_SECRET);
      await copy.writeFile(chunk as Buffer);
    }
    await copy.sync();
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  } finally {
    await copy.close();
  }
  return bytes;
}

async function isAllowed(
  real: string,
  { home, allowedFolders, keptFolders }: OutgoingRules,
): Promise<boolean> {
  const own = await realpath(home);
  if (isSecret(real, own)) return false;
  const kept = keptFolders.map((name) => path.join(own, name)).find((folder) => isUnder(real, folder));
  for (const folder of allowedFolders) {
    const root = await realpath(path.resolve(home, folder.replace(/^~(?=\/|$)/, homedir()))).catch(
      () => undefined,
    );
    if (root !== undefined && isUnder(real, root) && (!kept || root === kept || isUnder(root, kept)))
      return true;
  }
  return false;
}

function isUnder(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);
}

const SECRET_FOLDERS = new Set([
  ...[".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".gcloud", ".git"],
  // A login that another process has just made isn't among the known secrets yet.
  "mcp-tokens",
]);
const SECRET_FILES =
  /^(\.env.*|auth\.json|dashboard\.token|chat_history|credentials.*|config\.yaml|state\.db.*|id_(rsa|ed25519|ecdsa).*)$/;

/** Never sent, even if a parent folder is allowed. */
function isSecret(real: string, home: string): boolean {
  const parts = real.split(path.sep);
  if (parts.some((part) => SECRET_FOLDERS.has(part))) return true;
  return (
    SECRET_FILES.test(parts.at(-1)!) && (path.dirname(real) === home || parts.at(-1)!.startsWith(".env"))
  );
}

// ── on the way out ──────────────────────────────────────────────────────────────────────────────────────────────────

export interface SendableFile extends OutboundFile {
  /** Path of our copy. */
  file: string;
}

/** The files an adapter sends, with a note for copies that were cleaned up meanwhile. */
export async function filesToSend(
  { text, files = [] }: Pick<OutboundMessage, "text" | "files">,
  home: string,
): Promise<{ text: string; files: SendableFile[] }> {
  const found = await Promise.all(
    files.map(async (file) => {
      const copy = path.join(home, file.path);
      const there = await access(copy).then(
        () => true,
        () => false,
      );
      return { ...file, file: copy, there };
    }),
  );
  const gone = found.filter(({ there }) => !there);
  const lines = gone.map(({ name }) =>
    refusalText({ name, problem: "it was removed before it could be sent" }),
  );
  return {
    text: [text, ...lines].filter((line) => line !== "").join("\n\n"),
    files: found.filter(({ there }) => there),
  };
}
