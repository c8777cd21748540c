import { Command } from "commander";
import { nowSeconds } from "../../clock.js";
import type { SessionRow } from "../../session.js";
import type { Store } from "../../store/store.js";
import { jsonOption, wholeNumber } from "../options.js";
import { printJson, writeOut } from "../output.js";
import { withSession } from "./reference.js";
import { drawTranscript, sessionHeader } from "./transcript.js";

interface ShowOptions {
  limit?: number;
  json?: boolean;
}

export function showCommand(): Command {
  return new Command("show")
    .description("Print a conversation, tool calls folded")
    .argument("<session>", "id, id prefix or title")
    .option("--limit <n>", "only the last n messages", wholeNumber(1))
    .addOption(jsonOption())
    .action((reference: string, options: ShowOptions) =>
      withSession(reference, (store, session) => show(store, session, options)),
    );
}

export async function show(store: Store, session: SessionRow, { limit, json }: ShowOptions): Promise<void> {
  const messages = await store.getMessages(session.id);
  if (json)
    return printJson({ ...session, messages: limit === undefined ? messages : messages.slice(-limit) });
  const header = sessionHeader(session, messages.at(-1)?.timestamp ?? session.started_at, nowSeconds());
  await writeOut(`${header}\n\n${drawTranscript(messages, limit)}\n`);
}
