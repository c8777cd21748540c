/** `hermes setup`: asks, tries, shows what it would write, and writes it when told to. */
import { Command, InvalidArgumentError, Option } from "commander";
import { resolveHome } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { Misuse } from "../failure.js";
import { collect, jsonOption, wholeNumber } from "../options.js";
import { print, printError, printJson } from "../output.js";
import { type Answers, PLATFORM_NAMES } from "./answers.js";
import { changedFiles, drawChanges, shadowWarning, write } from "./changes.js";
import { type Current, type Draft, draft, readCurrent } from "./draft.js";
import { answersFrom, type SetupFlags } from "./flags.js";
import { GUIDES } from "./guides.js";
import { tryModel, tryPlatform } from "./trying.js";

interface SetupOptions extends SetupFlags {
  nonInteractive?: boolean;
  check: boolean;
  dryRun?: boolean;
  slackManifest?: boolean;
  json?: boolean;
}

export function setupCommand(): Command {
  const platformTokens = ["telegram", "discord", "slack"].map(
    (name) => new Option(`--${name}-token <token>`, `the bot's token on ${name}`),
  );
  const command = new Command("setup")
    .description("Set up a model and the chats, step by step; can be run again at any time")
    .option("--non-interactive", "ask nothing: take flags and the environment")
    .addOption(
      new Option("--provider <name>", "who serves the model").choices([
        "openai-compatible",
        "openai",
        "anthropic",
        "echo",
      ]),
    )
    .option("--base-url <address>", "address of the model's API")
    .option("--model <name>", "the model's name")
    .option("--api-key <key>", "the model's key");
  for (const option of platformTokens) command.addOption(option);
  return command
    .option("--slack-app-token <token>", "the app-level token, for Socket Mode")
    .option("--slack-signing-secret <secret>", "for events over HTTP instead")
    .option("--access <platform=who>", "pair, everyone, or ids with commas; may be given again", collect)
    .option("--timezone <zone>", "such as Europe/Berlin")
    .addOption(
      new Option("--reset <mode>", "when sessions begin anew").choices(["both", "daily", "idle", "none"]),
    )
    .option("--reset-hour <hour>", "hour of the daily reset", hour)
    .option("--idle-minutes <minutes>", "silence until the idle reset", wholeNumber(1))
    .option("--no-check", "don't try the key and the tokens")
    .option("--dry-run", "show what would be written, and write nothing")
    .option("--slack-manifest", "print the manifest for a Slack app, and nothing else")
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(setup);
}

const HELP = `
Settings go to config.yaml, secrets to .env, both for their owner alone; comments stay. With --non-interactive, secrets are
better given in the environment, under the names that .env uses (TELEGRAM_BOT_TOKEN, DISCORD_BOT_TOKEN, SLACK_BOT_TOKEN,
SLACK_APP_TOKEN): a command line can be read by others.

  TELEGRAM_BOT_TOKEN=… hermes setup --non-interactive --provider openai-compatible \\
    --base-url http://127.0.0.1:11434/v1 --model llama3.3 --access telegram=pair --timezone Europe/Berlin`;

function hour(text: string): number {
  const number = wholeNumber(0)(text);
  if (number <= 23) return number;
  throw new InvalidArgumentError("Give an hour from 0 to 23.");
}

async function setup(options: SetupOptions): Promise<void> {
  if (options.slackManifest) {
    const { slackManifest } = await import("../../adapters/slack/manifest.js");
    return printJson(slackManifest());
  }
  const home = resolveHome(process.env);
  const current = readCurrent(home, process.env);
  if (options.nonInteractive) return setUpFromFlags(current, options);
  if (options.json) throw new Misuse("An interview prints no JSON.", "Pass --non-interactive, too.");
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new HermesError("refused", "Setup asks questions, and there is no terminal to ask on.", {
      hint: "Pass --non-interactive and what it should be told: `hermes setup --help`.",
    });
  const { setUpByInterview } = await import("./conversation.js");
  await setUpByInterview(current, options.dryRun ?? false);
}

// --- without a person ---------------------------------------------------------------------------------------------

async function setUpFromFlags(current: Current, options: SetupOptions): Promise<void> {
  const answers = answersFrom(options, current);
  const drafted = draft(current, answers);
  if (options.check) await tryAll(answers, drafted);
  const changes = changedFiles(current.texts, drafted.texts);
  const written = changes.length > 0 && !options.dryRun;
  if (!options.json) print(changes.length > 0 ? drawChanges(changes).join("\n") : "Nothing to change.");
  for (const name of drafted.shadowed) printError(shadowWarning(name));
  if (written) await write(current.home, current.texts, drafted.texts);
  if (options.json) printJson({ changes, shadowed: drafted.shadowed, written });
}

/** Nothing is written with a key or a token that doesn't work. */
async function tryAll(answers: Answers, { tried }: Draft): Promise<void> {
  const faults: string[] = [];
  if (answers.model) {
    const finding = await tryModel(tried);
    if (finding.state === "fail") faults.push(faultLine("model", finding));
  }
  for (const name of PLATFORM_NAMES) {
    const answer = answers.platforms[name];
    const findings = answer ? await tryPlatform(tried, name) : [];
    for (const finding of findings)
      if (finding.state === "fail") faults.push(faultLine(GUIDES[name].title, finding));
  }
  if (faults.length === 0) return;
  throw new HermesError("refused", ["Not everything works, so nothing was written:", ...faults].join("\n"), {
    hint: "--no-check writes it all the same.",
  });
}

function faultLine(
  what: string,
  { message, fix, page }: { message: string; fix?: string; page?: string },
): string {
  return `  ${what}: ${[message, fix, page].filter((part) => part !== undefined).join(" → ")}`;
}
