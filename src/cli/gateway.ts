import { Command } from "commander";
import { resolveHome } from "../config/paths.js";
import { describeError } from "../errors.js";
import { isLoopback } from "../http/bind.js";
import type { RunningGateway } from "../main.js";
import { adoptBeforeStart, wantsAdoption } from "./adopt/first-start.js";
import { io } from "./io.js";
import { openInBrowser } from "./open-browser.js";
import { colors, print, printError } from "./output.js";
import { withProgress } from "./progress.js";
import { installCommand, uninstallCommand } from "./service/install.js";
import { systemdNotifier } from "./service/notify.js";

/** `hermes gateway`: runs the daemon in the foreground, shows its status, installs it. */
export function gatewayCommand(): Command {
  const gateway = new Command("gateway")
    .option("--host <address>", "listen there instead of http.host")
    .option("--port <number>", "listen on this port instead of http.port (0: any free one)")
    .option("--adopt", "take over a home that another Hermes program has used (or HERMES_ADOPT=1)")
    .option("--open", "open the web chat in the browser, signed in as the operator")
    .addHelpText("after", HELP)
    .action(run);
  gateway
    .command("status")
    .description("Show whether it runs, its address and its platforms")
    .option("--json", "for scripts")
    .action(async (options) => (await import("./status.js")).showStatus(options));
  gateway.addCommand(installCommand());
  gateway.addCommand(uninstallCommand());
  return gateway;
}

const HELP = `
Runs until Ctrl-C or SIGTERM. Messages that are pending then are answered after the next start. Without a configuration it offers the web chat with a built-in echo agent. A home that Hermes Agent has used is left
untouched until you adopt it: see \`hermes adopt --check\`.`;

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
  // First: a signal may arrive as soon as the start is announced.
  const asked = untilSignal();
  const running = await withProgress((onProgress) => startGateway({ flags, onProgress }));
  // A link that ends up in a log must not let others in; the person at this terminal is the operator.
  const link =
    io().stdout.isTTY && isLoopback(running.config.http.host) ? await running.operatorLink() : undefined;
  if (io().stdout.isTTY) welcome(running, link);
  else print(`Hermes Gateway is running: ${running.url}`);
  if (options.open) openInBrowser((await running.operatorLink()) ?? running.url ?? "");
  const systemd = systemdNotifier({
    env: io().env,
    // The database threads answer. A platform that is down is no reason to restart.
    isWell: async () => (await running.store.maintenance.writerStats()) !== undefined,
    onError: (error) => printError(`systemd could not be notified: ${describeError(error).message}`),
  });
  await systemd.ready();
  await asked;
  await systemd.stopping();
  await running.stop();
}

function welcome({ url, config, home }: RunningGateway, link: string | undefined): void {
  const echo = config.model.provider === "echo";
  print("");
  print(`${colors.bold("Hermes Gateway")} is running.`);
  if (url) print(`  Web chat    ${colors.cyan(url)}`);
  if (url) print(`  Dashboard   ${colors.cyan(`${url}/dashboard`)}`);
  if (link)
    print(`  Sign in     ${colors.cyan(link)} ${colors.dim("(as the operator, once, within ten minutes)")}`);
  print(`  Home        ${home}`);
  if (echo)
    print(
      `  ${colors.yellow("No model is configured:")} the echo agent repeats your messages. Run \`hermes setup\` to choose one.`,
    );
  print(`  ${colors.dim("Press Ctrl-C to stop. No messages are lost.")}`);
  print("");
}

/** The first signal stops gracefully, the second one at once. */
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
