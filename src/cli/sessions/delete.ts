import { Command } from "commander";
import type { SessionRow } from "../../session.js";
import { confirmed } from "../ask.js";
import { oneLine } from "../cells.js";
import { transcripts } from "../open.js";
import { jsonOption, yesOption } from "../options.js";
import { print, printJson } from "../output.js";
import { requireExact, withSession } from "./reference.js";

interface DeleteOptions {
  yes?: boolean;
  json?: boolean;
}

export function deleteCommand(): Command {
  return new Command("delete")
    .description("Delete a session and its messages")
    .argument("<session>", "id, id prefix or title")
    .addOption(yesOption())
    .addOption(jsonOption())
    .action(remove);
}

async function remove(reference: string, options: DeleteOptions): Promise<void> {
  const deleted = await withSession(reference, async (store, session) => {
    requireExact(reference, session);
    if (!(await confirmed(question(session), options))) return undefined;
    await store.deleteSessions([session.id]);
    await (await transcripts()).tidy(store);
    return session.id;
  });
  if (deleted === undefined) return;
  options.json ? printJson({ deleted }) : print(`Deleted session '${deleted}'.`);
}

function question({ id, title }: SessionRow): string {
  return `Delete session '${id}'${title ? ` (${oneLine(title)})` : ""} and all its messages?`;
}
