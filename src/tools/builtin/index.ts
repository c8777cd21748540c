/** The built-in tools. None of them runs programs or reads files of this machine. */
import type { MemoryFiles } from "../memory-files.js";
import type { SessionReader } from "../session-reader.js";
import type { ToolDefinition } from "../tool.js";
import type { WebNetwork } from "../web/fetch-page.js";
import type { SearchSettings } from "../web/search.js";
import { clarifyTool } from "./clarify.js";
import { type CronDeps, cronjobTool } from "./cronjob.js";
import { delegateTaskTool, type RunTask } from "./delegate-task.js";
import { memoryTool } from "./memory.js";
import { type SendDeps, sendMessageTool } from "./send-message.js";
import { sessionSearchTool } from "./session-search.js";
import { todoTool } from "./todo.js";
import { webExtractTool } from "./web-extract.js";
import { webSearchTool } from "./web-search.js";

export interface BuiltinDeps {
  sessions: SessionReader;
  memory: MemoryFiles;
  store: SendDeps["store"] & CronDeps["store"];
  targets: SendDeps["targets"];
  cron: Pick<CronDeps, "timeZone" | "maxJobs" | "enabled">;
  search: SearchSettings;
  /** Default: the public internet. */
  network?: WebNetwork | undefined;
  /** Without it there is no `delegate_task`. */
  runTask?: RunTask | undefined;
}

export function builtinTools(deps: BuiltinDeps): ToolDefinition[] {
  const { sessions, memory, store, targets, cron, search, network, runTask } = deps;
  return [
    clarifyTool(),
    cronjobTool({ store, targets, ...cron }),
    ...(runTask ? [delegateTaskTool(runTask)] : []),
    memoryTool(memory),
    sendMessageTool({ store, targets }),
    sessionSearchTool(sessions),
    todoTool(sessions),
    webExtractTool(network),
    webSearchTool(search),
  ];
}
