import type { Platform } from "../../src/adapters/platform.js";
import { BUILT_IN } from "../../src/adapters/platforms.js";

/** The chats that people use: all built-in platforms with a page of their own in `docs/platforms`. */
export const CHATS: readonly string[] = (BUILT_IN as readonly Platform[])
  .filter(({ docs }) => docs?.page?.startsWith("docs/platforms/"))
  .map(({ name }) => name);

/** Of its folders and files: `api_server` is in `api-server`. */
export const fileNameOf = (platform: string) => platform.replaceAll("_", "-");
