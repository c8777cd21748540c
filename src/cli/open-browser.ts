import { spawn } from "node:child_process";
import { printError } from "./output.js";

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a page in the user's browser, or prints a note if there is none. */
export function openInBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const opener = spawn(program!, [...args, url], { stdio: "ignore", detached: true });
  opener.on("error", () => printError("No browser could be opened here; open the address yourself."));
  opener.unref();
}
