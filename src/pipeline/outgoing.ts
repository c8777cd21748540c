import { KEPT_FOLDERS, MEDIA_FOLDERS } from "../config/paths.js";
import type { OutgoingRules } from "../media/outgoing.js";
import type { Target } from "../message.js";
import type { Context } from "./context.js";

/** Which folders files for a chat may come from, and the size limits. */
export function outgoingRules(
  { config, homeDir, adapterFor, secrets }: Pick<Context, "config" | "homeDir" | "adapterFor" | "secrets">,
  target: Target,
): OutgoingRules {
  const maxBytes = adapterFor(target)?.files?.maxBytes;
  return {
    home: homeDir,
    folder: MEDIA_FOLDERS.sent,
    allowedFolders: [MEDIA_FOLDERS.outgoing, ...config.gateway.media_delivery_allow_dirs],
    keptFolders: KEPT_FOLDERS,
    maxBytes: maxBytes === undefined ? undefined : Math.min(maxBytes, config.media.max_upload_bytes),
    secrets: secrets.of("file", {}),
  };
}
