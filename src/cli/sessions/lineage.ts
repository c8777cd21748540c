import { Command } from "commander";
import { nowSeconds } from "../../clock.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { withSession } from "./reference.js";
import { drawLineage } from "./tree.js";

export function lineageCommand(): Command {
  return new Command("lineage")
    .description("Draw a session's ancestors and descendants")
    .argument("<session>", "id, id prefix or title")
    .addOption(jsonOption())
    .action((reference: string, { json }: { json?: boolean }) =>
      withSession(reference, async (store, { id }) => {
        const { room: _, ...lineage } = await store.getLineage(id);
        json ? printJson(lineage) : print(drawLineage(lineage, nowSeconds()));
      }),
    );
}
