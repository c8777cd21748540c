import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { Command, Option } from "commander";
import { nearest } from "../config/nearest.js";
import { resolveHome } from "../config/paths.js";
import { describeError } from "../errors.js";
import { isLoopback } from "../http/bind.js";
import { LEVELS } from "../log-lines.js";
import type { RunningGateway } from "../main.js";
import { RESTART_EXIT_CODE, type Restart, restartCommand, supervisorOf } from "../restart.js";
import { repeatsOnly } from "../rules.js";
import { adoptBeforeStart, wantsAdoption } from "./adopt/first-start.js";
import { io } from "./io.js";
import { openInBrowser } from "./open-browser.js";
import { jsonOption, sinceOption, wholeNumber } from "./options.js";
import { colors, print, printError } from "./output.js";
import { ownName } from "./own-name.js";
import { withProgress } from "./progress.js";
import { installCommand, uninstallCommand } from "./service/install.js";
import { systemdNotifier } from "./service/notify.js";

/** `hermes gateway`: runs the daemon in the foreground, shows its status, installs it. */
export function gatewayCommand(): Command {
  const gateway = new Command("gateway")
    .option("--host <address>", "listen there instead of http.host")
    .option("--port <number>", "listen on this port instead of http.port (0: any free one)")
    .option("--adopt", "adopt a home that another Hermes program has used (or HERMES_ADOPT=1)")
    .option("--open", "open the web chat in the browser, signed in as the operator")
    .addHelpText("after", HELP)
    .action((options: RunOptions, command: Command) => {
      refuseOthers(command);
      return run(options);
    });
  gateway
    .command("status")
    .description("Show whether it is running, its address and its platforms")
    .option("--json", "for scripts")
    .action(async (options) => (await import("./status.js")).showStatus(options));
  gateway
    .command("stop")
    .description("Stop the gateway of this home; running turns get time to finish")
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./control.js")).stop(options));
  gateway
    .command("restart")
    .description("Restart the service, or explain what to do if it isn't installed as one")
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./control.js")).restart(options));
  gateway
    .command("logs")
    .description("Show the gateway's log")
    .option("-n, --lines <n>", "number of lines, from the end", wholeNumber(1), 100)
    .option("-f, --follow", "follow until Ctrl-C")
    .addOption(new Option("--level <level>", "minimum level").choices([...LEVELS]))
    .option("--platform <name>", "only this platform")
    .option("--grep <text>", "only lines that contain the text")
    .addOption(sinceOption())
    .option("--json", "raw JSON lines")
    .action(async (options) => (await import("./logs.js")).showLogs(options));
  gateway.addCommand(installCommand());
  gateway.addCommand(uninstallCommand());
  return gateway;
}

/** A word that isn't one of its commands: someone wants something else than a gateway that starts. */
function refuseOthers(gateway: Command): void {
  const [word] = gateway.args;
  if (word === undefined) return;
  const near = nearest(
    word,
    gateway.commands.map((one) => one.name()),
  );
  const isStart = ["start", "run", "up"].includes(word);
  const hint = isStart
    ? "\n(`hermes gateway` alone starts it.)"
    : near === undefined
      ? ""
      : `\n(Did you mean ${near}?)`;
  gateway.error(`error: unknown command '${word}'${hint}`, { exitCode: 2, code: "commander.unknownCommand" });
}

function timeoutOption(): Option {
  return new Option("--timeout <seconds>", "how long to wait for it").argParser(wholeNumber(1)).default(60);
}

const HELP = `
Runs until Ctrl-C or SIGTERM. Messages that are pending then are answered after the next start. Without a configuration it
offers the web chat with a built-in echo agent. A home that Hermes Agent has used is left untouched until you adopt it: see \`hermes adopt --check\`.`;

interface RunOptions {
  host?: string;
  port?: string;
  adopt?: boolean;
  open?: boolean;
}

async function run(options: RunOptions): Promise<void> {
  await adoptBeforeStart(resolveHome(io().env), wantsAdoption(options, io().env));
  const { startGateway } = await import("../main.js");
  const flags = {
    ...(options.host === undefined ? {} : { "http.host": options.host }),
    ...(options.port === undefined ? {} : { "http.port": options.port }),
  };
  // Registered first, because a signal may arrive as soon as the start is announced.
  const asked = untilSignal();
  const restart = newRestart();
  const running = await withProgress((onProgress) => startGateway({ flags, onProgress, restart }));
  // Print the link only on a terminal, where the reader is the operator: in a log it would let others in.
  const link =
    io().stdout.isTTY && isLoopback(running.config.http.host) ? await running.operatorLink() : undefined;
  if (io().stdout.isTTY) welcome(running, link);
  else print(`Hermes Gateway is running: ${running.url}`);
  if (options.open) openInBrowser((await running.operatorLink()) ?? running.url ?? "");
  const systemd = systemdNotifier({
    env: io().env,
    // Healthy if the database threads answer. A platform that is down doesn't justify a restart.
    isWell: async () => (await running.store.maintenance.writerStats()) !== undefined,
    onError: (error) => printError(`systemd could not be notified: ${describeError(error).message}`),
  });
  await systemd.ready();
  await Promise.race([asked, restart.asked]);
  await systemd.stopping();
  await running.stop();
  if (restart.isAsked) io().exitCode = RESTART_EXIT_CODE;
}

function newRestart(): Restart & { asked: Promise<void>; isAsked: boolean } {
  const { env } = io();
  const container = existsSync("/.dockerenv") ? hostname() : undefined;
  let settle = () => {};
  const asked = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const restart = {
    ...{ asked, isAsked: false },
    supervisor: supervisorOf({ env, pid: process.pid }),
    command: restartCommand({ container }),
    ask: () => {
      restart.isAsked = true;
      settle();
    },
  };
  return restart;
}

function welcome({ url, config, home }: RunningGateway, link: string | undefined): void {
  const echo = repeatsOnly(config);
  print("");
  print(`${colors.bold("Hermes Gateway")} is running.`);
  if (url) print(`  Web chat    ${colors.cyan(url)}`);
  if (url) print(`  Dashboard   ${colors.cyan(`${url}/dashboard`)}`);
  if (link) {
    print(`  Sign in     ${colors.cyan(link)}`);
    print(colors.dim("              as the operator; the link works once, for ten minutes"));
  }
  print(`  Home        ${home}`);
  if (echo) {
    print(`  ${colors.yellow("No model is configured:")} the echo agent repeats your messages.`);
    print(`  Choose a model with \`${ownName()} setup\`.`);
  }
  print(`  ${colors.dim("Press Ctrl-C to stop. No messages are lost.")}`);
  print("");
}

/** The first signal stops gracefully, the second one immediately. */
function untilSignal(): Promise<void> {
  const { signals, exit } = io();
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = () => {
      if (asked) exit(130);
      asked = true;
      resolve();
    };
    signals.on("SIGINT", onSignal);
    signals.on("SIGTERM", onSignal);
  });
}
