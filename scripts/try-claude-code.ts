/** `npm run try-claude-code`: installs Claude Code into the user's cache, once, and tries it as the agent of a chat, on loopback. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { CLAUDE_CODE, installPackage } from "../test/support/cached-package.js";

installPackage(...CLAUDE_CODE);
const vitest = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));
const args = [vitest, "run", "--project", "e2e", "test/e2e/claude-code.test.ts"];
const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
process.exitCode = status ?? 1;
