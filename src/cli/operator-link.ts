/** A login link of the gateway that runs on this home. */
import { loadConfig } from "../config/load.js";
import { resolveHome } from "../config/paths.js";
import { HermesError } from "../errors.js";
import { WEB } from "../policies/web-person.js";
import { platformConfig } from "../rules.js";
import { operatorLink } from "../sessions/web-login.js";
import { membershipOf } from "../store/open.js";
import { io } from "./io.js";
import { noDatabase, SHORT, withStore } from "./open.js";

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

/** Undefined if the web chat, which links belong to, is off. */
export async function newOperatorLink(url: string, next?: "/dashboard"): Promise<string | undefined> {
  const { config } = loadConfig({ home: resolveHome(io().env), env: io().env });
  if (!platformConfig(config, WEB)?.enabled) return undefined;
  return withStore((store) => operatorLink(store, url, next), noDatabase, SHORT);
}
