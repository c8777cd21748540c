/** Does the configuration load? */
import { ConfigError, faultLine } from "../../config/faults.js";
import { loadConfig } from "../../config/load.js";
import type { Config } from "../../config/schema.js";
import { type Finding, found } from "../../finding.js";
import { counted } from "../numbers.js";

/** Without a configuration the other checks go on as far as they can. */
export function checkConfig(home: string): { finding: Finding; config: Config | undefined } {
  try {
    const { config, ignored } = loadConfig({ home, env: process.env });
    const unused =
      ignored.length === 0 ? "" : ` (${counted(ignored.length, "key")} of Hermes Agent not used)`;
    return { finding: found.ok(`loads${unused}`), config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map(faultLine).join("\n");
    return {
      finding: found.fail(faults, "Mend these; `hermes config check` looks again."),
      config: undefined,
    };
  }
}
