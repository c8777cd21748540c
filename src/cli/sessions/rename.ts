import { Command } from "commander";
import { sanitizeTitle } from "../../title.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { requireExact, withSession } from "./reference.js";

export function renameCommand(): Command {
  return new Command("rename")
    .description("Give a session another title; an empty one takes the title away")
    .argument("<session>", "id, beginning of an id, or title")
    .argument("<title...>", "the new title; quotes aren't needed")
    .addOption(jsonOption())
    .action((reference: string, words: string[], options: { json?: boolean }) =>
      rename(reference, sanitizeTitle(words.join(" ")), options),
    );
}

async function rename(reference: string, title: string | null, { json }: { json?: boolean }): Promise<void> {
  const id = await withSession(reference, async (store, session) => {
    requireExact(reference, session);
    await store.setTitle(session.id, title);
    return session.id;
  });
  if (json) printJson({ id, title });
  else print(title === null ? `Session '${id}' has no title now.` : `Session '${id}' renamed to: ${title}`);
}
