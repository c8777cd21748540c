import { mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { packageFile } from "../package-files.js";

const NAME = "hermes-gateway";

/**
 * Lets plugins import `hermes-gateway/plugin`: Node looks for packages in `node_modules` of the folders above a module, so
 * `plugins/node_modules/hermes-gateway` links to the gateway that loads them.
 */
export function linkLibrary(pluginsDir: string): void {
  const target = fileURLToPath(packageFile("."));
  const folder = path.join(pluginsDir, "node_modules");
  const link = path.join(folder, NAME);
  if (isLinkTo(link, target)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = path.join(folder, `.${NAME}-${process.pid}`);
  rmSync(temporary, { force: true });
  symlinkSync(target, temporary, "junction");
  renameSync(temporary, link);
}

function isLinkTo(link: string, target: string): boolean {
  try {
    return path.resolve(path.dirname(link), readlinkSync(link)) === path.resolve(target);
  } catch {
    return false;
  }
}
