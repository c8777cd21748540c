/** Does the configuration load, and its plugins? */
import { ConfigError, faultLine } from "../../config/faults.js";
import { loadConfig } from "../../config/load.js";
import type { Config } from "../../config/schema.js";
import { type Finding, found } from "../../finding.js";
import { type Plugin, pluginsOf } from "../../plugins/index.js";
import { accessProblems, repeatsOnly } from "../../rules.js";
import { io } from "../io.js";
import { counted } from "../numbers.js";

export interface ConfigFound {
  finding: Finding;
  plugins: Finding[];
  /** Undefined if it doesn't load. The other checks continue without it. */
  config: Config | undefined;
}

export async function checkConfig(home: string): Promise<ConfigFound> {
  const options = { home, env: io().env };
  const { plugins, platforms } = await pluginsOf(options);
  const judged = plugins.map(judgePlugin);
  try {
    const { config, ignored } = loadConfig({ ...options, external: platforms });
    const unused =
      ignored.length === 0 ? "" : ` (${counted(ignored.length, "key")} of Hermes Agent not used)`;
    return { finding: found.ok(`loads${unused}`), plugins: judged, config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map(faultLine).join("\n");
    const finding = found.fail(faults, "Fix these, then run `hermes config check`.");
    return { finding, plugins: judged, config: undefined };
  }
}

/** Who can talk to the bot? */
export function checkAccess(config: Config): Finding[] {
  return accessProblems(config).map(({ level, text, fix }) =>
    level === "warn" ? found.warn(text, fix) : found.ok(`${text} ${fix}`),
  );
}

/** Others are asked: see `checkModels`. */
export function checkNoModel(config: Config): Finding[] {
  if (!repeatsOnly(config)) return [];
  return [found.warn("none is configured: the agent repeats what people write", "Run `hermes setup`.")];
}

function judgePlugin({ name, version, state, reason, fix, platforms }: Plugin): Finding {
  const label = version === "" ? name : `${name} ${version}`;
  if (state === "loaded") return found.ok(`${label}: ${platforms.join(", ") || "no platform"}`);
  if (state === "failed") return found.fail(`${label}: ${reason}`, fix);
  return found.ok(`${label} is not loaded: ${reason}`);
}
