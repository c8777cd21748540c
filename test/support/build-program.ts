import { bundleProgram, compile, isOlder, runNode, sourceChangedAt } from "./program-files.js";

/** Compiles `dist/` for tests that start the program, unless it is up to date. The pages are built when they changed. */
export default function buildProgram(): void {
  if (isOlder("dist/index.d.ts", sourceChangedAt("src"))) compile();
  bundleProgram();
  if (isOlder("dist/dashboard/index.html", sourceChangedAt("dashboard")))
    runNode("node_modules/vite/bin/vite.js", "build", "dashboard");
  if (isOlder("dist/docs/index.html", sourceChangedAt("docs", "scripts/docs")))
    runNode("--import", "tsx", "scripts/docs.ts", "--build");
  if (isOlder("dist/chat/chat.html", sourceChangedAt("dashboard")))
    runNode(
      "node_modules/vite/bin/vite.js",
      "build",
      "dashboard",
      "--config",
      "dashboard/vite.chat.config.ts",
    );
}
