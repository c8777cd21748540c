/** `hermes dashboard`: where it is, and a link that signs the operator in. */
import { Command } from "commander";
import { loadConfig } from "../config/load.js";
import { homePaths, resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import { platformConfig } from "../rules.js";
import { operatorLink } from "../sessions/web-login.js";
import { membershipOf } from "../store/open.js";
import { WEB } from "../web-person.js";
import { io } from "./io.js";
import { noDatabase, SHORT, withStore } from "./open.js";
import { openInBrowser } from "./open-browser.js";
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
The link works once, within ten minutes, for whoever opens it: as the operator, who sees every session. It is valid where the gateway's own address is, so open it on this machine.`;

async function show({ open, json }: { open?: boolean; json?: boolean }): Promise<void> {
  const url = await runningUrl();
  const address = `${url}/dashboard`;
  const link = await linkTo(url);
  if (open) openInBrowser(link ?? address);
  if (json) return printJson({ url: address, link: link ?? null });
  print(`Dashboard   ${colors.cyan(address)}`);
  if (link)
    print(`Sign in     ${colors.cyan(link)} ${colors.dim("(as the operator, once, within ten minutes)")}`);
  else
    print(`Sign in     with http.token, or the token in ${homePaths(resolveHome(io().env)).dashboardToken}`);
}

/** The address of the gateway that runs on this home. */
export async function runningUrl(): Promise<string> {
  const home = resolveHome(io().env);
  const { running, info } = await membershipOf(home).state();
  if (!running)
    throw new HermesError("unavailable", `No gateway is running on ${home}.`, {
      hint: "Start it with `hermes gateway` (`--open` opens the web chat), or name another home with --home DIR.",
    });
  if (!info?.url)
    throw new HermesError("unavailable", `The gateway of ${home} is starting or stopping.`, {
      hint: "Try again in a moment; `hermes gateway status` shows its state.",
    });
  return info.url;
}

/** Undefined: links belong to the web chat, and that is off. */
async function linkTo(url: string): Promise<string | undefined> {
  const { config } = loadConfig({ home: resolveHome(io().env), env: io().env });
  if (!platformConfig(config, WEB)?.enabled) return undefined;
  return withStore((store) => operatorLink(store, url, "/dashboard"), noDatabase, SHORT);
}
