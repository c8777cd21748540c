/** `hermes setup`: asks, tries the answers, shows the changes, and writes them after confirmation. */
import { Command, InvalidArgumentError, Option } from "commander";
import { BUILT_IN, exampleTargets } from "../../adapters/platforms.js";
import { writeTexts } from "../../config/files.js";
import { resolveHome } from "../../config/paths.js";
import { HermesError } from "../../errors.js";
import { pluginsOf } from "../../plugins/index.js";
import { Misuse } from "../failure.js";
import { io } from "../io.js";
import { collect, jsonOption, wholeNumber } from "../options.js";
import { print, printError, printJson } from "../output.js";
import { type Answers, guidedIn, guidedPlatforms } from "./answers.js";
import { changedFiles, drawChanges, shadowWarning } from "./changes.js";
import { type Current, type Draft, draft, readCurrent } from "./draft.js";
import { answersFrom, type SetupFlags, secretFlag } from "./flags.js";
import { tryModel, tryPlatform } from "./trying.js";

interface SetupOptions extends SetupFlags {
  nonInteractive?: boolean;
  check: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export function setupCommand(): Command {
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
    .option("--api-key <key>", "the model's key")
    .option("--no-api-key", "the model needs no key: remove the current one");
  for (const option of platformOptions()) command.addOption(option);
  return command
    .option("--access <platform=who>", "pair, everyone, or ids with commas; may be repeated", collect)
    .option("--timezone <zone>", "such as Europe/Berlin")
    .addOption(
      new Option("--reset <mode>", "when sessions are reset").choices(["both", "daily", "idle", "none"]),
    )
    .option("--reset-hour <hour>", "hour of the daily reset", hour)
    .option("--idle-minutes <minutes>", "minutes without a message until the idle reset", wholeNumber(1))
    .option("--no-check", "don't try the key and the tokens")
    .option("--dry-run", "show what would be written, and write nothing")
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(setup);
}

const GUIDED = guidedPlatforms(BUILT_IN);
const VARIABLES = GUIDED.flatMap(({ setup }) =>
  setup.secrets.filter(({ byFlagOnly }) => !byFlagOnly).map(({ variable }) => variable),
);
const EXAMPLE = GUIDED.find(({ name }) => name === exampleTargets().platform)!;

function platformOptions(): Option[] {
  return GUIDED.flatMap(({ name, setup }) => [
    ...setup.secrets.map(
      ({ key, help }) => new Option(`--${secretFlag(name, key)} <${key.split("_").at(-1)}>`, help),
    ),
    ...(setup.print ? [new Option(`--${setup.print.flag}`, setup.print.help)] : []),
  ]);
}

const HELP = `
Settings go to config.yaml, secrets to .env, both readable by their owner only; comments stay. With --non-interactive, pass
secrets in the environment, under the names that .env uses, because others can read a command line:
${VARIABLES.join(", ")}.

  ${EXAMPLE.setup.secrets[0]!.variable}=… hermes setup --non-interactive --provider openai-compatible \\
    --base-url http://127.0.0.1:11434/v1 --model llama3.3 --access ${EXAMPLE.name}=pair --timezone Europe/Berlin`;

function hour(text: string): number {
  const number = wholeNumber(0)(text);
  if (number <= 23) return number;
  throw new InvalidArgumentError("Give an hour from 0 to 23.");
}

async function setup(options: SetupOptions, command: Command): Promise<void> {
  for (const { setup: guide } of GUIDED)
    if (guide.print && command.getOptionValue(new Option(`--${guide.print.flag}`).attributeName()))
      return printJson(await guide.print.load());
  const home = resolveHome(io().env);
  const { platforms: external } = await pluginsOf({ home, env: io().env });
  const current = readCurrent(home, io().env, external);
  if (options.nonInteractive) return setUpFromFlags(current, options);
  if (options.json) throw new Misuse("The interview can't print JSON.", "Pass --non-interactive, too.");
  if (!io().stdin.isTTY || !io().stdout.isTTY)
    throw new HermesError("refused", "Setup asks questions, but there is no terminal.", {
      hint: "Pass --non-interactive and the answers: `hermes setup --help`.",
    });
  const { setUpByInterview } = await import("./conversation.js");
  await setUpByInterview(current, options.dryRun ?? false);
}

// --- without a person ---------------------------------------------------------------------------------------------

async function setUpFromFlags(current: Current, options: SetupOptions): Promise<void> {
  const answers = answersFrom(options, current);
  const drafted = draft(current, answers);
  if (options.check) await tryAll(answers, drafted, current.home);
  const changes = changedFiles(current.texts, drafted.texts);
  const written = changes.length > 0 && !options.dryRun;
  if (!options.json) print(changes.length > 0 ? drawChanges(changes).join("\n") : "Nothing to change.");
  for (const name of drafted.shadowed) printError(shadowWarning(name));
  if (written) await writeTexts(current.home, current.texts, drafted.texts);
  if (options.json) printJson({ changes, shadowed: drafted.shadowed, written });
}

/** Nothing is written with a key or a token that doesn't work. */
async function tryAll(answers: Answers, { tried }: Draft, home: string): Promise<void> {
  const faults: string[] = [];
  if (answers.model) {
    const finding = await tryModel(tried);
    if (finding.state === "fail") faults.push(faultLine("model", finding));
  }
  for (const { name, label } of guidedIn(tried)) {
    const findings = answers.platforms[name] ? await tryPlatform(tried, name, home) : [];
    for (const finding of findings) if (finding.state === "fail") faults.push(faultLine(label, finding));
  }
  if (faults.length === 0) return;
  throw new HermesError("refused", ["Some checks failed, so nothing was written:", ...faults].join("\n"), {
    hint: "--no-check writes it anyway.",
  });
}

function faultLine(
  what: string,
  { message, fix, page }: { message: string; fix?: string; page?: string },
): string {
  return `  ${what}: ${[message, fix, page].filter((part) => part !== undefined).join(" → ")}`;
}
