/** `npm run demo`: the gateway, emulated platforms and one page with four chat clients. See `--help`. */
import { spawn } from "node:child_process";
import net from "node:net";
import { parseArgs } from "node:util";
import { servePage } from "../test/emulators/clients/server.js";
import { atEnd, endAll } from "../test/support/at-end.js";
import { Acting } from "./tour/acting.js";
import { startStage } from "./tour/stage.js";
import { tourOf } from "./tour/steps.js";
import { Tour } from "./tour/tour.js";

const READ_MS = 4000;

const HELP = `npm run demo -- [options]

Runs the gateway with emulated platforms and a scripted model on this machine, and a page with four chat clients. It needs
no account, no key and no network, and keeps its files in a temporary folder. Ctrl-C ends everything.

  --port N          port of the page (8790)
  --gateway-port N  port of the gateway (8791)
  --open            opens the page in the browser
  --no-tour         only the clients
  --speed N         the tour N times as fast (1)
  --json            prints the addresses as one line of JSON
  --help            shows this text`;

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8790" },
    "gateway-port": { type: "string", default: "8791" },
    "no-tour": { type: "boolean", default: false },
    speed: { type: "string", default: "1" },
    open: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

let ending: Promise<void> | undefined;

if (values.help) {
  console.log(HELP);
} else {
  // Not `once`: npm and the terminal both pass a Ctrl-C on, and the second would end this before its files are gone.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end(0));
  await run().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return end(1);
  });
}

async function run(): Promise<void> {
  const port = await freePort(values.port, "port");
  const gatewayPort = await freePort(values["gateway-port"], "gateway-port");
  const speed = speedOf(values.speed);
  const stage = await startStage({ port: gatewayPort, speed });
  const acting = new Acting(stage.clients);
  const tour = new Tour(tourOf(stage, acting, speed), READ_MS / speed);
  const page = await servePage({
    clients: stage.clients,
    title: "Hermes Gateway: one agent on every chat",
    port,
    extra: () => ({
      gateway: stage.gateway(),
      ...(values["no-tour"] ? {} : { tour: { mode: tour.mode, steps: tour.steps, focus: acting.focus } }),
    }),
    actions: values["no-tour"]
      ? {}
      : { play: () => tour.play(), pause: () => tour.pause(), next: () => void tour.next() },
  });
  atEnd(() => page.close());
  const addresses = { page: page.url, gateway: stage.daemon.url, home: stage.daemon.home };
  if (values.json) console.log(JSON.stringify(addresses));
  else
    console.log(`The demo is at ${page.url}
The gateway is at ${addresses.gateway} (dashboard: ${addresses.gateway}/dashboard)
Its home is ${addresses.home}
Ctrl-C ends everything.`);
  if (values.open) openPage(page.url);
}

async function freePort(given: string, flag: string): Promise<number> {
  const port = Number(given);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--${flag}: '${given}' is no port.`);
  if (!(await isFree(port)))
    throw new Error(`Port ${port} is taken: end the program that uses it, or choose another with --${flag}.`);
  return port;
}

function speedOf(given: string): number {
  const speed = Number(given);
  if (!(speed >= 0.1 && speed <= 1000)) throw new Error(`--speed: '${given}' is not between 0.1 and 1000.`);
  return speed;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

function openPage(url: string): void {
  const opener = { darwin: "open", win32: "explorer" }[process.platform as string] ?? "xdg-open";
  const child = spawn(opener, [url], { stdio: "ignore", detached: true });
  child.once("error", () => console.error(`No program to open pages: go to ${url}`));
  child.unref();
}

/** Once: a start that fails because of a Ctrl-C must not end this before the folder is gone. */
function end(code: number): Promise<void> {
  ending ??= endAll()
    .catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    })
    .then(() => process.exit(code));
  return ending;
}
