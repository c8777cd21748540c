import { Command } from "commander";
import { resolveHome } from "../config/paths.js";
import { describeError } from "../errors.js";
import { adoptBeforeStart, wantsAdoption } from "./adopt/first-start.js";
import { colors, print, printError } from "./output.js";
import { withProgress } from "./progress.js";
import { installCommand, uninstallCommand } from "./service/install.js";
import { systemdNotifier } from "./service/notify.js";

/** `hermes gateway`: the daemon in the foreground, and how it is doing. */
export function gatewayCommand(): Command {
  const gateway = new Command("gateway")
    .option("--host <address>", "listen there instead of http.host")
    .option("--port <number>", "listen on this port instead of http.port (0: any free one)")
    .option("--adopt", "take over a home that another Hermes program has used (or HERMES_ADOPT=1)")
    .addHelpText("after", HELP)
    .action(run);
  gateway
    .command("status")
    .description("Is it running, since when, where, and how are its platforms?")
    .option("--json", "for scripts")
    .action(async (options) => (await import("./status.js")).showStatus(options));
  gateway.addCommand(installCommand());
  gateway.addCommand(uninstallCommand());
  return gateway;
}

const HELP = `
Runs until Ctrl-C or SIGTERM. Messages that arrive or are being answered then are kept and answered after the next
start. Without a configuration it offers the web chat with a built-in echo agent. A home that Hermes Agent has used is left
untouched until you adopt it: see \`hermes adopt --check\`.`;

async function run(options: { host?: string; port?: string; adopt?: boolean }): Promise<void> {
  await adoptBeforeStart(resolveHome(process.env), wantsAdoption(options, process.env));
  const { startGateway } = await import("../main.js");
  const flags = {
    ...(options.host === undefined ? {} : { "http.host": options.host }),
    ...(options.port === undefined ? {} : { "http.port": options.port }),
  };
  // Before anything else: whoever reads that it runs may end it at once.
  const asked = untilSignal();
  const running = await withProgress((onProgress) => startGateway({ flags, onProgress }));
  if (process.stdout.isTTY) welcome(running.url, running.config.model.provider === "echo", running.home);
  else print(`Hermes Gateway is running: ${running.url}`);
  const systemd = systemdNotifier({
    env: process.env,
    // Both threads answer; a platform that is down is no reason to start again.
    isWell: async () => (await running.store.writerStats()) !== undefined,
    onError: (error) => printError(`systemd was not told: ${describeError(error).message}`),
  });
  await systemd.ready();
  await asked;
  await systemd.stopping();
  await running.stop();
}

function welcome(url: string | undefined, echo: boolean, home: string): void {
  print("");
  print(`${colors.bold("Hermes Gateway")} is running.`);
  if (url) print(`  Talk to it   ${colors.cyan(url)}`);
  if (url) print(`  Look at it   ${colors.cyan(`${url}/dashboard`)}`);
  print(`  Its home     ${home}`);
  if (echo)
    print(
      `  ${colors.yellow("No model yet:")} the echo agent repeats what you say. \`hermes setup\` puts one in its place`,
    );
  print(`  ${colors.dim("Ctrl-C stops it; nothing is lost.")}`);
  print("");
}

/** The first signal asks for a calm end, the second one for an immediate one. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = () => {
      if (asked) process.exit(130);
      asked = true;
      resolve();
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}
