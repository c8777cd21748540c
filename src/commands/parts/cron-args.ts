/** The text after `/cron add` → options, time and prompt. Phones replace quotes and dashes by typographic ones. */
import { HermesError } from "../../errors.js";
import { parseWhen } from "../../policies/when.js";

export interface AddArgs {
  when: string;
  prompt: string;
  name?: string;
  to?: string;
  timeZone?: string;
  missed?: "run" | "skip";
}

const OPTIONS: Readonly<Record<string, keyof AddArgs>> = {
  to: "to",
  name: "name",
  timezone: "timeZone",
  missed: "missed",
};
const QUOTED = /^["'“”„‘’`]([^"“”„‘’`']+)["'“”‘’`]\s*/u;
const OPTION = /^(?:--|—|–)(\w+)[ =]\s*/u;
/** Five fields before six: a prompt that starts with a number is more common than a schedule with seconds. */
const LENGTHS = [5, 3, 2, 1, 6];

export function parseAdd(text: string, clock: { now: number; timeZone: string }): AddArgs {
  const { options, rest } = takeOptions(text.trim());
  const timeZone = options.timeZone ?? clock.timeZone;
  const quoted = QUOTED.exec(rest);
  if (quoted) return { ...options, when: quoted[1]!, prompt: rest.slice(quoted[0].length) };
  const words = rest.split(/\s+/);
  const length = LENGTHS.find(
    (count) => words.length > count && isTime(words.slice(0, count).join(" "), { ...clock, timeZone }),
  );
  if (length === undefined) throw noTime(rest);
  const beginning = (rest.match(/\S+\s*/g) ?? []).slice(0, length).join("");
  return { ...options, when: beginning.trim(), prompt: rest.slice(beginning.length) };
}

function takeOptions(text: string): { options: Partial<AddArgs>; rest: string } {
  const [head, name = ""] = OPTION.exec(text) ?? [];
  if (head === undefined) return { options: {}, rest: text };
  const key = OPTIONS[name.toLowerCase()];
  if (!key)
    throw new HermesError(
      "invalid",
      `Unknown option --${name}. Options: --to, --name, --timezone, --missed.`,
    );
  const after = text.slice(head.length);
  const [taken, quoted, bare] = /^(?:["“„]([^"“”]+)["”]|(\S+))\s*/u.exec(after) ?? [""];
  const value = quoted ?? bare ?? "";
  if (key === "missed" && value !== "run" && value !== "skip")
    throw new HermesError("invalid", "--missed must be run or skip.");
  const { options, rest } = takeOptions(after.slice(taken!.length));
  return { options: { [key]: value, ...options }, rest };
}

function isTime(text: string, clock: { now: number; timeZone: string }): boolean {
  try {
    parseWhen(text, clock);
    return true;
  } catch {
    // The caller tries other lengths and reports an error if none is a time.
    return false;
  }
}

function noTime(text: string): HermesError {
  const example = '`/cron add "0 9 * * 1-5" What is on today?` or `/cron add every 30m Look at the queue`';
  return new HermesError(
    "invalid",
    `"${text.slice(0, 60)}" doesn't start with a time. For example ${example}.`,
  );
}
