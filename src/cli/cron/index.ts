/** `hermes cron`: scheduled prompts, and where the answers go. */

import { Command, Option } from "commander";
import { exampleTargets } from "../../adapters/platforms.js";
import { jsonOption, yesOption } from "../options.js";
import { add, edit, pause, remove, resume, runNow } from "./change.js";
import { list, show } from "./show.js";

const { platform: PLATFORM, chatId: CHAT, byName: BY_NAME } = exampleTargets();
const HELP = `
A time is a cron expression, an interval, or one moment, in --timezone or the configured one:

  hermes cron add "0 9 * * 1-5" "What is on today?" --to ${PLATFORM}:${CHAT}
  hermes cron add "every 30m" "Look at the queue. [SILENT] if all is well." --to home --name queue
  hermes cron add "in 2h" "Remind me to call Ada" --to ${BY_NAME.at(-1)}
  hermes cron add 2026-06-17T09:00 "Wish Ann a happy birthday" --to ${BY_NAME[0]}

Each run is its own session (source cron). An answer that contains [SILENT] is stored, but not sent.`;

export function cronCommand(): Command {
  const command = new Command("cron").addHelpText("after", HELP);
  const to = () => new Option("--to <target>", "where answers go: platform:chat[:thread], home, or local");
  const zone = () => new Option("--timezone <name>", "IANA name (default: the configured one)");
  const missed = () =>
    new Option("--missed <policy>", "what to do with a missed run").choices(["run", "skip"]);
  command
    .command("add")
    .description("Make a schedule")
    .argument("<when>", "a cron expression, every 30m, in 2h, or a moment")
    .argument("<prompt>", "the prompt; - reads standard input")
    .option("--name <name>", "its name (default: the beginning of the prompt)")
    .addOption(to().default("local"))
    .addOption(zone())
    .addOption(missed().default("run"))
    .addOption(jsonOption())
    .action(add);
  command
    .command("list")
    .description("Show the schedules with their next and last runs")
    .option("--all", "include finished ones")
    .addOption(jsonOption())
    .action(list);
  command
    .command("show")
    .description("Show a schedule and its last runs")
    .argument("<schedule>", "its name or id")
    .addOption(jsonOption())
    .action(show);
  command
    .command("edit")
    .description("Change a schedule")
    .argument("<schedule>", "its name or id")
    .option("--when <when>")
    .option("--prompt <prompt>")
    .option("--name <name>")
    .addOption(to())
    .addOption(zone())
    .addOption(missed())
    .addOption(jsonOption())
    .action(edit);
  const verbs = { run: runNow, pause, resume };
  const about = {
    run: "Run a schedule now, in addition to its times",
    pause: "Pause a schedule",
    resume: "Resume a schedule from its next time on",
  };
  for (const verb of ["run", "pause", "resume"] as const)
    command
      .command(verb)
      .description(about[verb])
      .argument("<schedule>", "its name or id")
      .addOption(jsonOption())
      .action(verbs[verb]);
  command
    .command("remove")
    .description("Delete a schedule and cancel its running run")
    .argument("<schedule>", "its name or id")
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(remove);
  return command;
}
