import { loadConfig } from "../../config/load.js";
import { resolveHome } from "../../config/paths.js";
import { connect, messageOf } from "../../mcp/connected-server.js";
import { ownerMark } from "../../mcp/environment.js";
import { isWanted } from "../../mcp/filter.js";
import { toolName } from "../../mcp/names.js";
import { drawColumns } from "../columns.js";
import { io } from "../io.js";
import { print, printError, printJson } from "../output.js";
import { serverNamed } from "./named.js";

/** Connects independently of a running gateway, lists the tools, and ends the server again. */
export async function test(name: string, { json }: { json?: boolean }): Promise<void> {
  const home = resolveHome(io().env);
  const { config } = loadConfig({ home, env: io().env });
  const settings = serverNamed(name, config.mcp_servers);
  const stop = new AbortController();
  const onSignal = () => stop.abort(new Error("interrupted"));
  io().signals.once("SIGINT", onSignal);
  io().signals.once("SIGTERM", onSignal);
  try {
    const parts = {
      ...{ name, settings, home, env: io().env, mark: ownerMark(home) },
      onTools: () => undefined,
      onError: () => undefined,
    };
    const server = await connect(parts, stop.signal);
    await server.close();
    const tools = server.tools.map((tool) => ({
      name: toolName(name, tool.name),
      offered: isWanted(tool.name, settings.tools),
      only_reads: tool.annotations?.readOnlyHint === true,
      description: (tool.description ?? "").split("\n", 1)[0]!,
    }));
    const { resources, prompts } = server.has;
    if (json) return printJson({ ok: true, name, resources, prompts, tools });
    print(draw(tools));
    const more = [resources && "resources", prompts && "prompts"].filter(Boolean).join(" and ");
    print(`\n${name} works: ${tools.length} tools${more ? `, and it has ${more}` : ""}.`);
  } catch (error) {
    io().exitCode = 1;
    if (json) printJson({ ok: false, name, error: messageOf(error) });
    else printError(`error: ${name} can't be reached: ${messageOf(error)}`);
  } finally {
    io().signals.off("SIGINT", onSignal);
    io().signals.off("SIGTERM", onSignal);
  }
}

function draw(
  tools: readonly { name: string; offered: boolean; only_reads: boolean; description: string }[],
) {
  const columns = [
    { header: "Tool", width: 36 },
    { header: "Offered", width: 8 },
    { header: "Reads", width: 6 },
    { header: "", width: 0, min: 12 },
  ];
  const word = (is: boolean) => (is ? "yes" : "no");
  const rows = tools.map(({ name, offered, only_reads, description }) => [
    name,
    word(offered),
    only_reads ? "only" : "—",
    description,
  ]);
  return drawColumns(columns, rows, 80);
}
