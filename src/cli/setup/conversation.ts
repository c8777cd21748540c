/** The interview from start to end. Nothing is written before the last confirmation. */
import { writeTexts } from "../../config/files.js";
import { membershipOf } from "../../store/open.js";
import { ownName } from "../own-name.js";
import { type Ask, askWithBack } from "./asking.js";
import { changedFiles, drawChanges, shadowWarning } from "./changes.js";
import { type Current, draft } from "./draft.js";
import { interview } from "./interview.js";
import { Cancelled, intro, outro, say } from "./prompts.js";

const HELP =
  "Enter accepts the grey value, Esc goes back one question, Ctrl-C quits. Nothing is written before the end.";

export async function setUpByInterview(current: Current, dryRun: boolean): Promise<void> {
  intro(`Hermes Gateway, at ${current.home}`);
  try {
    say(HELP);
    outro(await askWithBack((ask) => converse(ask, current, dryRun)));
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    outro("Cancelled: nothing was changed.");
  }
}

async function converse(ask: Ask, current: Current, dryRun: boolean): Promise<string> {
  const drafted = draft(current, await interview(ask, current));
  const changes = drawChanges(changedFiles(current.texts, drafted.texts));
  if (changes.length === 0) return "Nothing has changed, so nothing is written.";
  ask.lines(changes);
  for (const name of drafted.shadowed) ask.warn(shadowWarning(name));
  if (dryRun) return "Nothing was written (--dry-run).";
  if (!(await ask.agree("Write this?"))) throw new Cancelled();
  await writeTexts(current.home, current.texts, drafted.texts);
  const { running } = await membershipOf(current.home).state();
  return running
    ? `Written. Restart the gateway to apply it.`
    : `Written. \`${ownName()} gateway\` starts it, \`${ownName()} doctor\` checks everything.`;
}
