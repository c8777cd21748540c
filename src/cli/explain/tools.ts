/** `hermes explain tools`: which tools a person can use in a chat, and why. */

import { Command } from "commander";
import { exampleTargets } from "../../adapters/platforms.js";
import { loadConfig } from "../../config/load.js";
import { homePaths, resolveHome } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import type { Person } from "../../message.js";
import { NO_TALK, type PersonIn, personIn, talkAccess, toolFacts } from "../../people/rights.js";
import type { AccessDecision } from "../../policies/access.js";
import { toolRegistry } from "../../startup/parts.js";
import type { Store } from "../../store/store.js";
import { memoryFiles } from "../../tools/memory-files.js";
import type { ExplainedTool, ToolRegistry } from "../../tools/registry.js";
import { oneLine } from "../cells.js";
import { drawColumns } from "../columns.js";
import { Misuse } from "../failure.js";
import { hanging } from "../fit.js";
import { io } from "../io.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { type ExplainedServer, withServers } from "./servers.js";

const { platform: PLATFORM, chatId: CHAT } = exampleTargets();

export function toolsCommand(knownPairs: () => Promise<ReadonlySet<string>>): Command {
  return new Command("tools")
    .description("Show which tools a person can use in a chat, and why")
    .argument("<person>", `platform:user id, as in ${PLATFORM}:111`)
    .argument("[room]", `${PLATFORM}:${CHAT}, or dm for a direct chat`, "dm")
    .addOption(jsonOption())
    .action(async (person: string, room: string, options: { json?: boolean }) => {
      const config = loadConfig({ home: resolveHome(io().env), env: io().env }).config;
      const question = personIn(personOf(person), room, config);
      const access = talkAccess(question, config, (await knownPairs()).has(person));
      const registry = registryOf(config);
      await withServers(config, registry, async (servers) => {
        const tools = await explained(question, registry);
        const problems = registry.problems();
        if (options.json)
          return printJson({ ...toolFacts(question, access, tools), mcp_servers: servers, problems });
        const notes = problems.map((problem) => `Note: ${problem}.`);
        print([drawn(question, access, tools), ...drawnServers(servers), ...notes].join("\n"));
      });
    });
}

function personOf(text: string): Person {
  const colon = text.indexOf(":");
  const [platform, userId] = [text.slice(0, colon), text.slice(colon + 1)];
  if (colon < 1 || userId === "")
    throw new Misuse(`'${text}' isn't a person.`, `Use platform:user id, as in ${PLATFORM}:111.`);
  return { platform, userId };
}

function registryOf(config: Config): ToolRegistry {
  const memory = memoryFiles(homePaths(resolveHome(io().env)).memoriesDir);
  const runTask = () => Promise.reject(new Error("explain runs no tool"));
  return toolRegistry({ store: UNUSED_STORE, config, memory, runTask });
}

function explained({ principal, chatId }: PersonIn, registry: ToolRegistry): Promise<ExplainedTool[]> {
  const { platform } = principal;
  const room = chatId === null ? undefined : { platform, chatId };
  return registry.explained({ principal, platform, room });
}

/** No tool runs here. */
const UNUSED_STORE = new Proxy({} as Store, {
  get: () => () => Promise.reject(new Error("explain runs no tool")),
});

/** The state of each server, as this command found it. */
function drawnServers(servers: readonly ExplainedServer[]): string[] {
  if (servers.length === 0) return [];
  const lines = servers.map(({ name, state, tools, trust, detail }) => {
    const found = state === "ready" ? `ready, ${tools} tools` : `${state}${detail ? `: ${detail}` : ""}`;
    return `  ${hanging(oneLine(`${name}: ${found}, trust: ${trust}`), 4, 2)}`;
  });
  return ["", "MCP servers, connected for this answer:", ...lines, ""];
}

function drawn(question: PersonIn, access: AccessDecision, tools: readonly ExplainedTool[]): string {
  const { platform, userId, owner } = question.principal;
  const where = question.chatId === null ? "a direct chat" : `the room ${platform}:${question.chatId}`;
  const who = owner ? "an owner" : access.allow ? "a paired person" : "a stranger";
  const columns = [
    { header: "Tool", width: Math.max(16, ...tools.map(({ tool }) => tool.name.length)) },
    { header: "Offered", width: 9 },
    { header: "Asks", width: 9 },
    { header: "Because", width: 60, min: 20 },
  ];
  const rows = toolFacts(question, access, tools).tools.map((tool) => [
    tool.name,
    tool.offered ? "yes" : "no",
    tool.offered ? tool.ask : "—",
    tool.because,
  ]);
  const head = `${platform}:${userId} in ${where} is ${who}${access.allow ? "" : `: ${NO_TALK}`}.`;
  return `${hanging(oneLine(head), 2, 0)}\n\n${drawColumns(columns, rows, 80)}`;
}
