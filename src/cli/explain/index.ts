/** `hermes explain`: session keys, resets, access and tools, decided by the daemon's own rules. */

import { Command, InvalidArgumentError } from "commander";
import { chatPlatformNames, exampleTargets } from "../../adapters/platforms.js";
import { nowSeconds } from "../../clock.js";
import { loadConfig } from "../../config/load.js";
import { resolveHome } from "../../config/paths.js";
import type { Config } from "../../config/schema.js";
import { HermesError } from "../../errors.js";
import { ACCESS_RULES } from "../../people/rights.js";
import { accessDecision } from "../../policies/access.js";
import {
  type NaiveResetQuestion,
  nextReset,
  type ResetPolicy,
  type ResetReason,
  resetPolicyFor,
  resetReason,
  resetReasonNaive,
} from "../../policies/reset.js";
import { accessListsOf, isolationOf, resetSettingsOf } from "../../rules.js";
import {
  type Isolation,
  isolationFromConfig,
  isShared,
  originFromSource,
  originTuple,
  type SourceRecord,
  sessionKey,
} from "../../sessions/key.js";
import { readAliasFrom } from "../../sessions/whatsapp-identity.js";
import { Misuse } from "../failure.js";
import { io } from "../io.js";
import { SHORT, withStore } from "../open.js";
import { jsonOption } from "../options.js";
import { allPairings } from "../pairing-list.js";
import { localMinute, parseTime } from "../times.js";
import { type Answer, type Ask, answer, answerLines, type Question, record, show } from "./answers.js";
import { toolsCommand } from "./tools.js";

interface SourceOptions {
  platform?: string;
  chatType: string;
  chat?: string;
  thread?: string;
  user?: string;
  userAlt?: string;
  json?: boolean;
}

const { platform: PLATFORM, chatId: CHAT } = exampleTargets();
const EXAMPLES = `
Examples:
  hermes explain key --platform ${PLATFORM} --chat-type group --chat ${CHAT} --user 111
  hermes explain reset agent:main:${PLATFORM}:dm:111
  hermes explain reset --platform ${PLATFORM} --last 26h
  hermes explain access --platform ${PLATFORM} --chat 111 --user 111
  hermes explain tools ${PLATFORM}:111 ${PLATFORM}:${CHAT}
  hermes explain key - < questions.jsonl      one JSON question a line, one answer a line`;

export function explainCommand(): Command {
  return new Command("explain")
    .description("Explain session keys, resets, access and who may use which tool")
    .addHelpText("after", EXAMPLES)
    .addCommand(keyCommand())
    .addCommand(resetCommand())
    .addCommand(accessCommand())
    .addCommand(toolsCommand(knownPairs));
}

function sourceOptions(command: Command): Command {
  return command
    .option("--platform <name>", chatPlatformNames())
    .option("--chat-type <type>", "dm, group, channel, thread, …", "dm")
    .option("--chat <id>", "the chat")
    .option("--thread <id>", "the thread or topic")
    .option("--user <id>", "who writes")
    .option("--user-alt <id>", "their second, stable id");
}

function sourceFrom(options: SourceOptions): SourceRecord {
  if (!options.platform) {
    throw new Misuse("Which platform?", "Pass --platform NAME, or - to read JSON lines.");
  }
  const { platform, chatType, chat, thread, user, userAlt } = options;
  return {
    platform,
    chat_type: chatType,
    chat_id: chat,
    thread_id: thread,
    user_id: user,
    user_id_alt: userAlt,
  };
}

// --- key ----------------------------------------------------------------------------------------------------------

interface KeyOptions extends SourceOptions {
  groupSessionsPerUser?: boolean;
  threadSessionsPerUser?: boolean;
}

function keyCommand(): Command {
  return sourceOptions(new Command("key"))
    .description("Which session key a message gets")
    .argument("[questions]", "- reads {source, config} as JSON lines")
    .option("--group-sessions-per-user <yes>", "true or false, instead of the configured value", yesOrNo)
    .option("--thread-sessions-per-user <yes>", "true or false, instead of the configured value", yesOrNo)
    .addOption(jsonOption())
    .action(async (questions: string | undefined, options: KeyOptions) => {
      const readAlias = readAliasFrom(resolveHome(io().env));
      const ask: Ask = (question) => explainKey(question, { readAlias });
      await answer(questions, options, ask, () => ({
        source: sourceFrom(options),
        config: isolation(options),
      }));
    });
}

function yesOrNo(text: string): boolean {
  if (/^(true|yes|on|1)$/i.test(text)) return true;
  if (/^(false|no|off|0)$/i.test(text)) return false;
  throw new InvalidArgumentError("Give true or false.");
}

function isolation(options: KeyOptions): SourceRecord {
  const configured = isolationOf(configInForce());
  return {
    group_sessions_per_user: options.groupSessionsPerUser ?? configured.groupSessionsPerUser,
    thread_sessions_per_user: options.threadSessionsPerUser ?? configured.threadSessionsPerUser,
  };
}

function explainKey({ source, config }: Question, options: Parameters<typeof sessionKey>[2]): Answer {
  const origin = originFromSource(record(source, "source"));
  const settings = isolationFromConfig(config === undefined ? {} : record(config, "config"));
  const key = sessionKey(origin, settings, options);
  const shared = isShared(origin, settings, options);
  const because = keyReason(origin.chatType === "dm", shared, Boolean(origin.threadId), settings);
  return { line: key, because, facts: { key, shared, tuple: originTuple(origin, settings, options) } };
}

function keyReason(isDm: boolean, shared: boolean, inThread: boolean, settings: Isolation): string {
  if (isDm)
    return inThread
      ? "a direct message: each thread is a session"
      : "a direct message: the chat is a session";
  if (!shared) return "everyone has their own session here";
  if (!settings.groupSessionsPerUser) return "group_sessions_per_user is off: the room shares one session";
  if (inThread && !settings.threadSessionsPerUser)
    return "thread_sessions_per_user is off: the thread shares one session";
  return "the message has no user id, so it belongs to the room's shared session";
}

// --- reset --------------------------------------------------------------------------------------------------------

interface ResetOptions {
  platform?: string;
  chatType: string;
  last?: string;
  now?: string;
  busy?: boolean;
  json?: boolean;
}

function resetCommand(): Command {
  return new Command("reset")
    .description("Whether a session resets now, and when it will")
    .argument(
      "[session-key]",
      "a session key, or - to read {policy, updated_at, now, has_active_processes} as JSON lines",
    )
    .option("--platform <name>", "whose policy", "")
    .option("--chat-type <type>", "dm, group, channel, thread, …", "dm")
    .option("--last <when>", "the last message: a moment, or an age (26h)", aTime)
    .option("--now <when>", "use this time instead of now", aTime)
    .option("--busy", "as if background work were running")
    .addOption(jsonOption())
    .action(async (key: string | undefined, options: ResetOptions) => {
      if (key === "-") await answerLines(explainNaiveReset, options.json);
      else show(key === undefined ? resetByFlags(options) : await resetOfRoute(key, options), options.json);
    });
}

/** Checked while parsing, so that a bad value is misuse; its meaning depends on `--now`. */
function aTime(text: string): string {
  parseTime(text, nowSeconds());
  return text;
}

function explainNaiveReset(question: Question): Answer {
  const { policy } = question;
  const asked = {
    ...question,
    policy: { mode: "both", at_hour: 4, idle_minutes: 1440, ...record(policy, "policy") },
  };
  const naive = asked as unknown as NaiveResetQuestion;
  const reason = resetReasonNaive(naive);
  const { mode, at_hour: atHour, idle_minutes: idleMinutes } = naive.policy;
  const because = resetBecause({ mode, atHour, idleMinutes }, reason, naive.has_active_processes === true);
  return { line: reason ?? "none", because, facts: { reset: reason ?? "none" } };
}

function resetByFlags(options: ResetOptions): Answer {
  if (options.last === undefined) {
    throw new Misuse(
      "When was the last message?",
      "Name a session key, pass --last WHEN, or - to read JSON lines.",
    );
  }
  const now = askedNow(options);
  const chat = { platform: options.platform ?? "", chatType: options.chatType };
  return explainReset(chat, parseTime(options.last, now), now, options.busy ?? false);
}

async function resetOfRoute(key: string, options: ResetOptions): Promise<Answer> {
  const route = await withStore(
    (store) => store.getRoute(key),
    () => undefined,
    SHORT,
  );
  if (!route) {
    throw new HermesError("not_found", `No chat has the session key '${key}'.`, {
      hint: "`hermes explain key` says which key a message gets.",
    });
  }
  const now = askedNow(options);
  if (route.expiredReason) {
    const because = "it was due and has ended";
    return { line: route.expiredReason, because, facts: { reset: route.expiredReason } };
  }
  if (route.suspended)
    return { line: "suspended", because: "it was suspended", facts: { reset: "suspended" } };
  return explainReset(route.origin, route.lastUserActivity, now, options.busy ?? false);
}

function askedNow({ now }: ResetOptions): number {
  return now === undefined ? nowSeconds() : parseTime(now, nowSeconds());
}

function explainReset(
  chat: { platform: string; chatType: string },
  lastUserActivity: number,
  now: number,
  hasBackgroundWork: boolean,
): Answer {
  const config = configInForce();
  const policy = resetPolicyFor(chat, resetSettingsOf(config));
  const timeZone = config.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const clock = { lastUserActivity, now, timeZone, hasBackgroundWork };
  const reason = resetReason(policy, clock);
  const next = reason === undefined ? nextReset(policy, clock) : undefined;
  const when = next ? `; next: ${next.reason} at ${localMinute(next.at)}` : "";
  return {
    line: reason ?? "none",
    because: resetBecause(policy, reason, hasBackgroundWork) + when,
    facts: { reset: reason ?? "none", policy, timeZone, lastUserActivity, now, next: next ?? null },
  };
}

function resetBecause(policy: ResetPolicy, reason: ResetReason | undefined, busy: boolean): string {
  if (reason === "idle") return `no message for more than ${policy.idleMinutes} minutes`;
  if (reason === "daily")
    return `${String(policy.atHour).padStart(2, "0")}:00 has passed since the last message`;
  if (busy) return "background work is running";
  return ["idle", "daily", "both"].includes(policy.mode) ? "it is not due yet" : "its policy never resets";
}

// --- access -------------------------------------------------------------------------------------------------------

interface AccessOptions extends SourceOptions {
  bot?: boolean;
  paired?: boolean;
  authenticated?: boolean;
}

function accessCommand(): Command {
  return sourceOptions(new Command("access"))
    .description("Whether a person may talk to the bot, by the lists in force")
    .argument("[questions]", "- reads {source, is_bot, paired, authenticated} as JSON lines")
    .option("--bot", "as if a bot wrote")
    .option("--paired", "as if paired (default: look it up in the database)")
    .option("--authenticated", "as if the adapter had authenticated the sender")
    .addOption(jsonOption())
    .action(async (questions: string | undefined, options: AccessOptions) => {
      const config = configInForce();
      const paired = await knownPairs();
      const ask: Ask = (question) => explainAccess(question, config, paired);
      await answer(questions, options, ask, () => ({
        source: sourceFrom(options),
        is_bot: options.bot,
        paired: options.paired,
        authenticated: options.authenticated,
      }));
    });
}

/** `platform:user id` of every approved person. */
async function knownPairs(): Promise<ReadonlySet<string>> {
  const approved = await withStore(
    async (store) => (await allPairings(store.reports)).approved,
    () => [],
    SHORT,
  );
  return new Set(approved.map(({ platform, userId }) => `${platform}:${userId}`));
}

function explainAccess(question: Question, config: Config, pairs: ReadonlySet<string>): Answer {
  const origin = originFromSource(record(question.source, "source"));
  const ids = [origin.userId, origin.userIdAlt].filter((id) => !!id);
  const decision = accessDecision({
    origin,
    isBot: question.is_bot === true,
    authenticated: question.authenticated === true,
    paired: (question.paired ?? ids.some((id) => pairs.has(`${origin.platform}:${id}`))) === true,
    lists: accessListsOf(config, origin.platform),
  });
  const rule = decision.allow ? decision.because : decision.reason;
  const line = `${decision.allow ? "allow" : "refuse"} ${rule}`;
  return { line, because: ACCESS_RULES[rule], facts: { allow: decision.allow, rule } };
}

function configInForce(): Config {
  return loadConfig({ home: resolveHome(io().env), env: io().env }).config;
}
