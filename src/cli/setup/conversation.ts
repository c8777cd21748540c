/** The interview from start to end. Nothing is written before the last confirmation. */
import { membershipOf } from "../../store/open.js";
import { changedFiles, drawChanges, shadowWarning, write } from "./changes.js";
import { type Current, draft } from "./draft.js";
import { interview } from "./interview.js";
import { agree, Cancelled, intro, log, outro } from "./prompts.js";

export async function setUpByInterview(current: Current, dryRun: boolean): Promise<void> {
  intro(`Hermes Gateway, at ${current.home}`);
  try {
    outro(await converse(current, dryRun));
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    outro("Cancelled: nothing was changed.");
  }
}

async function converse(current: Current, dryRun: boolean): Promise<string> {
  const drafted = draft(current, await interview(current));
  const changes = drawChanges(changedFiles(current.texts, drafted.texts));
  if (changes.length === 0) return "Everything is as it was: nothing to write.";
  log.message(changes.join("\n"));
  for (const name of drafted.shadowed) log.warn(shadowWarning(name));
  if (dryRun) return "Nothing was written (--dry-run).";
  if (!(await agree("Write this?"))) throw new Cancelled();
  await write(current.home, current.texts, drafted.texts);
  const { running } = await membershipOf(current.home).state();
  return running
    ? "Written. Restart the gateway so that it takes effect."
    : "Written. `hermes gateway` starts it, `hermes doctor` checks everything.";
}
