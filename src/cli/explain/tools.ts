/** `hermes explain tools`: which tools a person has in a chat, and why. */

import { Command } from "commander";
import { exampleTargets } from "../../adapters/platforms.js";
import { loadConfig } from "../../config/load.js";
import { homePaths, resolveHome } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import type { Origin, Person, Principal } from "../../message.js";
import { type AccessDecision, accessDecision, isOwner } from "../../policies/access.js";
import { accessListsOf } from "../../rules.js";
import { toolRegistry } from "../../startup/parts.js";
import type { Store } from "../../store/store.js";
import { memoryFiles } from "../../tools/memory-files.js";
import type { ExplainedTool, ToolRegistry } from "../../tools/registry.js";
import { drawColumns } from "../columns.js";
import { Misuse } from "../failure.js";
import { io } from "../io.js";
import { jsonOption } from "../options.js";
import { print, printJson } from "../output.js";
import { type ExplainedServer, withServers } from "./servers.js";

const { platform: PLATFORM, chatId: CHAT } = exampleTargets();

export function toolsCommand(knownPairs: () => Promise<ReadonlySet<string>>): Command {
  return new Command("tools")
    .description("Which tools a person has in a chat, and why")
    .argument("<person>", `platform:user id, as in ${PLATFORM}:111`)
    .argument("[room]", `${PLATFORM}:${CHAT}, or dm for a direct chat`, "dm")
    .addOption(jsonOption())
    .action(async (person: string, room: string, options: { json?: boolean }) => {
      const config = loadConfig({ home: resolveHome(io().env), env: io().env }).config;
      const question = questionOf(person, room, config);
      const access = talkAccess(question, config, await knownPairs());
      const registry = registryOf(config);
      await withServers(config, registry, async (servers) => {
        const tools = await explained(question, registry);
        const problems = registry.problems();
        if (options.json)
          return printJson({ ...facts(question, access, tools), mcp_servers: servers, problems });
        const notes = problems.map((problem) => `Note: ${problem}.`);
        print([drawn(question, access, tools), ...drawnServers(servers), ...notes].join("\n"));
      });
    });
}

interface Question {
  principal: Principal;
  /** Null: a direct chat. */
  chatId: string | null;
}

function questionOf(person: string, room: string, config: Config): Question {
  const { platform, userId } = personOf(person);
  const owner = isOwner({ platform, userId }, config.owners);
  const chatId = room.startsWith(`${platform}:`) ? room.slice(platform.length + 1) : room;
  return { principal: { platform, userId, owner }, chatId: room === "dm" ? null : chatId };
}

function personOf(text: string): Person {
  const colon = text.indexOf(":");
  const [platform, userId] = [text.slice(0, colon), text.slice(colon + 1)];
  if (colon < 1 || userId === "")
    throw new Misuse(`'${text}' is no person.`, `Use platform:user id, as in ${PLATFORM}:111.`);
  return { platform, userId };
}

function talkAccess(
  { principal, chatId }: Question,
  config: Config,
  pairs: ReadonlySet<string>,
): AccessDecision {
  const { platform, userId } = principal;
  const origin: Origin = { platform, chatType: chatId === null ? "dm" : "group", chatId, userId };
  const facts = { isBot: false, authenticated: false, paired: pairs.has(`${platform}:${userId}`) };
  return accessDecision({ origin, ...facts, lists: accessListsOf(config, platform) });
}

function registryOf(config: Config): ToolRegistry {
  const memory = memoryFiles(homePaths(resolveHome(io().env)).memoriesDir);
  const runTask = () => Promise.reject(new Error("explain runs no tool"));
  return toolRegistry({ store: UNUSED_STORE, config, memory, runTask });
}

function explained({ principal, chatId }: Question, registry: ToolRegistry): Promise<ExplainedTool[]> {
  const { platform } = principal;
  const room = chatId === null ? undefined : { platform, chatId };
  return registry.explained({ principal, platform, room });
}

/** No tool runs here. */
const UNUSED_STORE = new Proxy({} as Store, {
  get: () => () => Promise.reject(new Error("explain runs no tool")),
});

const NO_TALK = "they may not talk to the bot";

function facts({ principal, chatId }: Question, access: AccessDecision, tools: readonly ExplainedTool[]) {
  const { platform, userId, owner } = principal;
  return {
    person: `${platform}:${userId}`,
    room: chatId === null ? null : `${platform}:${chatId}`,
    owner,
    may_talk: access.allow,
    tools: tools.map(({ tool, offered, ask, reason }) => ({
      name: tool.name,
      toolset: tool.toolset,
      effect: tool.effect,
      offered: access.allow && offered,
      ask,
      because: access.allow ? reason : NO_TALK,
    })),
  };
}

/** The state of each server, as this command found it. */
function drawnServers(servers: readonly ExplainedServer[]): string[] {
  if (servers.length === 0) return [];
  const lines = servers.map(({ name, state, tools, trust, detail }) => {
    const found = state === "ready" ? `ready, ${tools} tools` : `${state}${detail ? `: ${detail}` : ""}`;
    return `  ${name}: ${found}, trust: ${trust}`;
  });
  return ["", "MCP servers, connected for this answer:", ...lines, ""];
}

function drawn(question: Question, access: AccessDecision, tools: readonly ExplainedTool[]): string {
  const { platform, userId, owner } = question.principal;
  const where = question.chatId === null ? "a direct chat" : `the room ${platform}:${question.chatId}`;
  const who = owner ? "an owner" : access.allow ? "a paired person" : "a stranger";
  const columns = [
    { header: "Tool", width: Math.max(16, ...tools.map(({ tool }) => tool.name.length)) },
    { header: "Offered", width: 9 },
    { header: "Asks", width: 9 },
    { header: "Because", width: 60 },
  ];
  const rows = facts(question, access, tools).tools.map((tool) => [
    tool.name,
    tool.offered ? "yes" : "no",
    tool.offered ? tool.ask : "—",
    tool.because,
  ]);
  const head = `${platform}:${userId} in ${where} is ${who}${access.allow ? "" : `: ${NO_TALK}`}.`;
  return `${head}\n\n${drawColumns(columns, rows, 80)}`;
}
