/** `hermes send`: a message to any chat that the bot is in, through the outbox. */

import { text as readAll } from "node:stream/consumers";
import { Command, InvalidArgumentError } from "commander";
import { isReachable } from "../adapters/chat-ids.js";
import { exampleTargets } from "../adapters/platforms.js";
import { nowSeconds } from "../clock.js";
import { loadConfig } from "../config/load.js";
import { MEDIA_FOLDERS, resolveHome } from "../config/paths.js";
import type { Config } from "../config/schema.js";
import { HermesError } from "../errors.js";
import { takeFiles } from "../media/outgoing.js";
import { formatTarget } from "../message.js";
import { knownTargetsOf } from "../rules.js";
import { SecretRedactor } from "../secrets/redactor.js";
import { homeSecrets } from "../startup/secrets.js";
import { membershipOf } from "../store/open.js";
import type { DeliveryRow, KnownChat } from "../store/queues.js";
import type { Store } from "../store/store.js";
import { awaitDelivery, describeSend, queueSend } from "../targets/send.js";
import { nameOf } from "../targets/target.js";
import { drawColumns } from "./columns.js";
import { Misuse } from "./failure.js";
import { fromCwd, io } from "./io.js";
import { SHORT, withNewStore, withStore } from "./open.js";
import { collect, jsonOption } from "./options.js";
import { print, printError, printJson } from "./output.js";
import { relativeTime } from "./times.js";

interface SendOptions {
  wait?: number | true;
  key?: string;
  file?: string[];
  list?: boolean;
  json?: boolean;
}

const WAIT_SECONDS = 60;
const LISTED = 100;

const { platform: PLATFORM, chatId: CHAT, byName: BY_NAME } = exampleTargets();
const HELP = `
The target is platform:chat or platform:chat:thread, with the chat's id or its name, or "home" for the home channel
(platforms.<name>.home_channel). The message is stored first. A running gateway sends it within a second;
if none is running, the next one does.

  hermes send ${PLATFORM}:${CHAT} "The backup is done"
  df -h | hermes send home -
  hermes send ${BY_NAME.at(-1)} --wait "Deployed"
  hermes send ${BY_NAME[0]} "Look!" --file cat.jpg
  hermes send --list`;

export function sendCommand(): Command {
  return new Command("send")
    .argument("[target]", "the target chat")
    .argument("[text]", "the message, as Markdown; - or missing: standard input, as one message")
    .option("--wait [seconds]", `wait for delivery (at most ${WAIT_SECONDS} s)`, seconds)
    .option("--key <key>", "idempotency key: calls with the same key send once")
    .option("--file <path>", "attach a file; may be repeated, ten at most", collect)
    .option("--list", "list the known chats")
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(send);
}

function seconds(text: string): number {
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError("Give a number of seconds.");
}

async function send(to: string | undefined, text: string | undefined, options: SendOptions): Promise<void> {
  if (options.list) return list(options);
  if (to === undefined)
    throw new Misuse("No chat was given.", "Write `hermes send platform:chat TEXT`; --list shows the chats.");
  const fromPipe = text === "-" || (text === undefined && options.file === undefined);
  const said = fromPipe ? await fromStdin() : (text ?? "");
  const home = resolveHome(io().env);
  const { config } = loadConfig({ home, env: io().env });
  await withNewStore(async (store) => {
    const targets = knownTargetsOf(config);
    const { id, target } = await queueSend(
      store,
      { to, text: said, key: options.key, files: filesOf(options, config, home) },
      targets,
    );
    const { running } = await membershipOf(home).state();
    if (options.wait !== undefined && running) return report(await waited(store, id, options), options);
    if (options.json) printJson({ ...describeSend((await store.getDelivery(id))!), gateway: running });
    else if (running) print(`Queued for ${formatTarget(target)} as out:${id}.`);
    else
      print(`Queued for ${formatTarget(target)} as out:${id}: no gateway is running, the next one sends it.`);
    if (options.wait !== undefined)
      throw new HermesError("unavailable", "No gateway is running to wait for.");
  }, SHORT);
}

/** Any readable file may be sent, except those whose names mark them as secret. */
function filesOf({ file: paths }: SendOptions, config: Config, home: string) {
  if (!paths) return undefined;
  const rules = {
    home,
    folder: MEDIA_FOLDERS.sent,
    allowedFolders: ["/"],
    keptFolders: [],
    maxBytes: config.media.max_upload_bytes,
    secrets: new SecretRedactor(homeSecrets(home, config, io().env)),
  };
  return () =>
    takeFiles(
      paths.map((file) => ({ path: fromCwd(file) })),
      rules,
    );
}

/** One message per run, without the trailing newline. */
async function fromStdin(): Promise<string> {
  if (io().stdin.isTTY) printError("Type the message, then press Ctrl-D.");
  return (await readAll(io().stdin)).replace(/\r?\n$/, "");
}

function waited(store: Store, id: number, { wait }: SendOptions): Promise<DeliveryRow> {
  return awaitDelivery(store, id, (typeof wait === "number" ? wait : WAIT_SECONDS) * 1000);
}

function report(row: DeliveryRow, { json }: SendOptions): void {
  const where = formatTarget(row.target);
  if (json) printJson({ ...describeSend(row), gateway: true });
  else if (row.state === "sent") print(`Sent to ${where}: message ${row.messageIds.join(", ")}.`);
  if (row.state === "sent") return;
  const reason = row.error ? `: ${row.error}` : "";
  if (row.state === "dead") throw new HermesError("refused", `Not sent to ${where}${reason}`);
  if (row.state === "unknown")
    throw new HermesError("unavailable", `It is unknown whether out:${row.id} arrived at ${where}${reason}`);
  throw new HermesError("unavailable", `out:${row.id} is still waiting for ${where}${reason}`, {
    hint: "It stays queued and is sent when that is possible.",
  });
}

async function list({ json }: SendOptions): Promise<void> {
  const chats = await withStore<KnownChat[]>(
    (store) => store.knownChats({ limit: LISTED }),
    () => [],
    SHORT,
  );
  const rows = chats
    .filter(({ platform }) => isReachable(platform))
    .map((chat) => ({ ...chat, to: formatTarget(chat) }));
  if (json) return printJson(rows);
  if (rows.length === 0)
    return print("No chat is known yet. A chat is listed after its first message to the bot.");
  const columns = [
    { header: "Target", width: 34, whole: true },
    { header: "Name", width: 24, cut: 22, min: 8 },
    { header: "Kind", width: 8 },
    { header: "Active", width: 12 },
  ];
  const now = nowSeconds();
  const cells = rows.map((chat) => [
    chat.to,
    nameOf(chat) ?? "—",
    chat.chatType,
    relativeTime(chat.lastActivity, now),
  ]);
  print(drawColumns(columns, cells, 80));
}
