/** Which npm packages a process has loaded, also in its threads, by what V8 reports at its end. */
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

interface Report {
  result: { url: string }[];
}

/** `folder` was the process's `NODE_V8_COVERAGE`. */
export function loadedPackages(folder: string): string[] {
  const reports = fs.readdirSync(folder).map((name) => readJson<Report>(path.join(folder, name)));
  const urls = new Set(reports.flatMap(({ result }) => result.map(({ url }) => url)));
  const files = [...urls].filter((url) => url.startsWith("file:")).map((url) => fileURLToPath(url));
  return [...new Set(files.flatMap(modulesIn).flatMap(packageOf))].toSorted();
}

/** A bundle consists of the modules that its source map names. */
function modulesIn(file: string): string[] {
  const map = `${file}.map`;
  return fs.existsSync(map) ? readJson<{ sources: string[] }>(map).sources : [file];
}

/** `…/node_modules/@slack/bolt/dist/App.js` → `@slack/bolt`; nothing for our own code. */
function packageOf(module: string): string[] {
  const name = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1];
  return name === undefined ? [] : [name];
}

function readJson<T>(file: string): T {
  return JSON.parse(fs.readFileSync(file, "utf8")) as T;
}
