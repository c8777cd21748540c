/** `hermes dashboard`: where it is, and a link that signs the operator in. */
import { Command } from "commander";
import { homePaths, resolveHome } from "../config/paths.js";
import { io } from "./io.js";
import { openInBrowser } from "./open-browser.js";
import { newOperatorLink, runningUrl } from "./operator-link.js";
import { jsonOption } from "./options.js";
import { colors, print, printJson } from "./output.js";

export function dashboardCommand(): Command {
  return new Command("dashboard")
    .option("--open", "open it in the browser, signed in as the operator")
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(show);
}

const HELP = `
The link works once, within ten minutes, and signs in as the operator, who sees every session: don't pass it on. Open it on this machine.`;

async function show({ open, json }: { open?: boolean; json?: boolean }): Promise<void> {
  const url = await runningUrl();
  const address = `${url}/dashboard`;
  const link = await newOperatorLink(url, "/dashboard");
  if (open) openInBrowser(link ?? address);
  if (json) return printJson({ url: address, link: link ?? null });
  print(`Dashboard   ${colors.cyan(address)}`);
  if (link)
    print(
      `Sign in     ${colors.cyan(link)}\n            ${colors.dim("as the operator; the link works once, for ten minutes")}`,
    );
  else
    print(`Sign in     with http.token, or the token in ${homePaths(resolveHome(io().env)).dashboardToken}`);
}
