/** All slash commands, in the order of help, menus and completion: the most useful first. */
import { agent } from "./agent.js";
import { approve, deny } from "./approve.js";
import { background } from "./background.js";
import { branch } from "./branch.js";
import type { Command } from "./command.js";
import { commandList } from "./commands.js";
import { compress } from "./compress.js";
import { cron } from "./cron.js";
import { help } from "./help.js";
import { insights } from "./insights.js";
import { login } from "./login.js";
import { model } from "./model.js";
import { newSession } from "./new.js";
import { queue } from "./queue.js";
import { reloadMcp } from "./reload-mcp.js";
import { resume } from "./resume.js";
import { retry } from "./retry.js";
import { sessions } from "./sessions.js";
import { start } from "./start.js";
import { status } from "./status.js";
import { steer } from "./steer.js";
import { stop } from "./stop.js";
import { title } from "./title.js";
import { undo } from "./undo.js";
import { usage } from "./usage.js";
import { whoami } from "./whoami.js";
import { yolo } from "./yolo.js";

export const commands: readonly Command[] = [
  newSession,
  stop,
  status,
  resume,
  sessions,
  title,
  retry,
  undo,
  branch,
  compress,
  queue,
  steer,
  background,
  approve,
  deny,
  yolo,
  reloadMcp,
  cron,
  usage,
  model,
  agent,
  insights,
  whoami,
  login,
  help,
  commandList,
  start,
];

const byName = new Map(
  commands.flatMap((command) =>
    [command.name, ...(command.aliases ?? [])].map((name) => [name, command] as const),
  ),
);

/** By name or alias, in lower case. */
export function findCommand(name: string): Command | undefined {
  return byName.get(name);
}
