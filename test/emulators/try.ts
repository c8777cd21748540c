/**
 * `npm run emulators`: the platforms on this machine, and a page to type in as a person. Whoever has no account can try
 * the whole gateway so. See `--help`.
 */
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { EMULATED_NAMES, startEmulated } from "./all.js";
import { clientOf } from "./clients/client.js";
import { servePage } from "./clients/server.js";

const PORT = Number(process.env.EMULATORS_PORT ?? 8788);
const HOST = process.env.EMULATORS_HOST ?? "127.0.0.1";
const CONFIG = process.env.EMULATORS_CONFIG;
const GATEWAY = process.env.EMULATORS_GATEWAY ?? "http://127.0.0.1:8787";

const HELP = `npm run emulators -- [platform...]

Runs emulated platforms on this machine, with a page to type in as Ann, and prints the config.yaml of a gateway on them.
Platforms: ${EMULATED_NAMES.join(", ")}. Without a name: all of them.

EMULATORS_PORT     port of the page (8788)
EMULATORS_HOST     address of the page (127.0.0.1)
EMULATORS_CONFIG   writes the config.yaml into this file
EMULATORS_GATEWAY  address of the gateway, for platforms that call it (http://127.0.0.1:8787)`;

const START = `Save this as config.yaml in an empty folder, then start a gateway there in another terminal:
  HERMES_HOME=/path/to/the/folder npm start`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", short: "h", default: false } },
});
const unknown = positionals.find((name) => !EMULATED_NAMES.includes(name));

if (values.help) {
  console.log(HELP);
} else if (unknown !== undefined) {
  console.error(`There is no emulator of '${unknown}'.\n\n${HELP}`);
  process.exitCode = 2;
} else {
  await run(positionals.length === 0 ? EMULATED_NAMES : positionals).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    console.error("EMULATORS_PORT chooses the port of the page, --help shows all settings.");
    process.exit(1);
  });
}

async function run(names: readonly string[]): Promise<void> {
  const emulated = await startEmulated([...new Set(names)]);
  for (const { gatewayAt } of emulated) gatewayAt?.(GATEWAY);
  const platforms = Object.fromEntries(emulated.map(({ name, settings }) => [name, settings]));
  const config = stringify({ allow_all: true, platforms });
  if (CONFIG) {
    fs.mkdirSync(path.dirname(CONFIG), { recursive: true, mode: 0o700 });
    fs.writeFileSync(CONFIG, config, { mode: 0o600 });
  }
  const { url } = await servePage({
    clients: emulated.map(clientOf),
    title: "Emulated platforms",
    port: PORT,
    host: HOST,
  });
  console.log(`Write as Ann on ${url}

${CONFIG ? `Start a gateway with ${CONFIG}:` : START}

${config}`);
}
