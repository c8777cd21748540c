/** Fails on regular expressions that aren't linear. Part of `npm run check`. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { checkRegexes } from "./regexes/check.js";
import { BUILT, EXCEPTIONS } from "./regexes/rules.js";

const ROOT = path.resolve(import.meta.dirname, "..");
const FOLDERS = ["src", "dashboard/src"];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:ts|tsx|js)$/.test(file))
    .map((file) => path.posix.join(folder, file.split(path.sep).join("/"))),
);

const faults = await checkRegexes(ROOT, files, { built: BUILT, exceptions: EXCEPTIONS });
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`\n${faults.length} regular expressions to fix. Rewrite them to read every character once:`);
  console.error(
    "no two quantifiers over the same characters, no /x+$/, nothing that runs to the end and then fails.",
  );
}
// recheck's helper process would keep this one alive.
process.exit(faults.length > 0 ? 1 : 0);
