import { Command } from "commander";
import { sanitizeTitle } from "../../title.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { requireExact, withSession } from "./reference.js";

export function renameCommand(): Command {
  return new Command("rename")
    .description("Change a session's title; an empty one removes it")
    .argument("<session>", "id, id prefix or title")
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
  else
    print(title === null ? `Session '${id}' no longer has a title.` : `Session '${id}' renamed to: ${title}`);
}
