import { existsSync } from "node:fs";

/** The files of this package: the same from src/, from dist/ and from the bundled program, whatever folder it is in. */
const ROOT = rootAbove(new URL(".", import.meta.url));

/** `dist/store/sqlite/worker.js` → where it is. */
export function packageFile(name: string): URL {
  return new URL(name, ROOT);
}

function rootAbove(folder: URL): URL {
  if (existsSync(new URL("package.json", folder))) return folder;
  const parent = new URL("..", folder);
  if (parent.href === folder.href) throw new Error("The gateway's package.json is missing");
  return rootAbove(parent);
}
