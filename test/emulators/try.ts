/**
 * `npm run emulators`: the platforms on this machine, and a page to type in as a person. Whoever has no account can try
 * the whole gateway so. See `--help`.
 */
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { stringify } from "yaml";
import { EMULATED_NAMES, startEmulated } from "./all.js";
import type { Emulated } from "./emulated.js";
import { page, take } from "./page.js";

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
  await run(positionals.length === 0 ? EMULATED_NAMES : positionals);
}

async function run(names: readonly string[]): Promise<void> {
  const emulated = await startEmulated([...new Set(names)]);
  for (const { gatewayAt } of emulated) gatewayAt?.(GATEWAY);
  const platforms = Object.fromEntries(emulated.map(({ name, settings }) => [name, settings]));
  const config = stringify({ allow_all: true, platforms });
  if (CONFIG) fs.writeFileSync(CONFIG, config, { mode: 0o600 });
  const server = http.createServer((request, response) => void serve(emulated, request, response));
  server.listen(PORT, HOST);
  await once(server, "listening");
  console.log(`Write as Ann on http://127.0.0.1:${(server.address() as AddressInfo).port}

${CONFIG ? `Start a gateway with ${CONFIG}` : "Start a gateway on them with this config.yaml"}:

${config}`);
}

async function serve(
  emulated: readonly Emulated[],
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  if (request.method !== "POST") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page(emulated));
    return;
  }
  const form = new URLSearchParams(await text(request));
  const chosen = emulated.find(({ name }) => request.url === `/${name}`);
  if (chosen) take(form, chosen);
  response.writeHead(303, { location: "/" }).end();
}
