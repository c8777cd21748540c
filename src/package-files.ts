import { existsSync } from "node:fs";

/** The package's root, found from src/, dist/ and the bundled program. */
const ROOT = rootAbove(new URL(".", import.meta.url));

/** The URL of a file in the package, such as `dist/store/sqlite/worker.js`. */
export function packageFile(name: string): URL {
  return new URL(name, ROOT);
}

function rootAbove(folder: URL): URL {
  if (existsSync(new URL("package.json", folder))) return folder;
  const parent = new URL("..", folder);
  if (parent.href === folder.href) throw new Error("The gateway's package.json is missing");
  return rootAbove(parent);
}
