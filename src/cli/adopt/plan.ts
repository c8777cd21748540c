/** A survey of a home → findings, changes, and whether it may be adopted. Pure. */
import { isBuiltIn } from "../../adapters/chat-ids.js";
import type { Config } from "../../config/schema.js";
import { HermesError } from "../../errors.js";
import { type Finding, found } from "../../finding.js";
import { isolationOf } from "../../rules.js";
import type { IndexEntry } from "../../sessions/index-file.js";
import { type Isolation, sessionKey } from "../../sessions/key.js";
import type { Survey } from "../../store/files.js";
import { describeLock } from "../doctor/gateway.js";
import { type Check, named } from "../doctor/report.js";
import { counted, dataSize } from "../numbers.js";
import type { HomeLook } from "./look.js";

export interface Change {
  what: "database" | "chats" | "people" | "permissions" | "platforms";
  message: string;
}

export interface Plan {
  checks: Check[];
  changes: Change[];
  /** Blocked: a finding says fail, and nothing may be done. */
  verdict: "blocked" | "ready" | "nothing to do";
}

export function planOf(look: HomeLook): Plan {
  const { database } = look;
  const survey = database instanceof HermesError ? undefined : database;
  const areas = [
    ...look.settings.checks,
    ...named("gateway", judgeLock(look)),
    ...named("state.db", judgeDatabase(look)),
    ...named("disk", judgeDisk(look.freeBytes, survey)),
    ...named("sessions.json", judgeChats(look, survey)),
    ...named("transcripts", judgeTranscripts(look, survey)),
    ...named("pairing", judgePeople(look, survey)),
  ];
  const changes = [
    ...(survey ? databaseChanges(survey) : []),
    ...chatChanges(look, survey),
    ...peopleChanges(look, survey),
    ...permissionChanges(look.exposed, look.home),
    ...(survey && !survey.complete ? platformChanges(look.settings.config) : []),
  ];
  const blocked = areas.some(({ state }) => state === "fail");
  const verdict = blocked ? "blocked" : changes.length > 0 ? "ready" : "nothing to do";
  return { checks: areas, changes, verdict };
}

function judgeLock({ lock }: HomeLook): Finding[] {
  if (lock.running)
    return [
      found.fail("a gateway is running here", "It has already adopted this home; stop it to check further."),
    ];
  return [describeLock(lock)];
}

// --- the database -------------------------------------------------------------------------------------------------

function judgeDatabase({ database, users }: HomeLook): Finding[] {
  if (database === undefined) return [found.ok("doesn't exist yet: the gateway creates it")];
  if (database instanceof HermesError) return [found.fail(database.message, database.hint)];
  return [describeFile(database), judgePages(database), ...judgeUsers(database, users)];
}

function describeFile(survey: Survey): Finding {
  const { kind, version, sessions, messages, bytes, journalMode } = survey;
  if (kind === "new") return found.ok("is empty: the gateway fills it");
  const contents = `${counted(sessions, "session")}, ${counted(messages, "message")}, ${dataSize(bytes)}`;
  const newer = (version ?? 0) > survey.wanted ? ", newer than the gateway: used as it is" : "";
  return found.ok(`schema ${version}${newer}: ${contents}; journal ${journalMode}${fullText(survey)}`);
}

function fullText({ kind, layout }: Survey): string {
  if (kind === "older") return "";
  return layout === "inline"
    ? ", full text inline (`hermes sessions optimize` makes it compact: half the size)"
    : `, full text ${layout}`;
}

const FULL_TEXT = /messages_fts/;

function judgePages({ kind, problems, bytes }: Survey): Finding {
  if (problems === null) return found.ok(`${dataSize(bytes)} were not checked completely; --deep does that`);
  const damage = problems.filter((line) => !FULL_TEXT.test(line));
  // The full-text index of an older file is rebuilt anyway.
  if (damage.length === 0 && (problems.length === 0 || kind === "older"))
    return found.ok("every page is intact");
  if (damage.length === 0)
    return found.warn(
      problems.join("\n"),
      "The full-text index is damaged: `hermes sessions repair` rebuilds it.",
    );
  return found.fail(damage.join("\n"), "Run `hermes sessions repair` first; it keeps a copy.");
}

function judgeUsers({ kind, version, wanted }: Survey, users: HomeLook["users"]): Finding[] {
  if (users.length === 0) return [];
  const who = users.map(({ pid, name }) => `${name} (pid ${pid})`).join(", ");
  if (kind !== "older") return [found.ok(`${who} also has it open, and may keep running`)];
  return [
    found.fail(
      `${who} has it open`,
      `Stop it first: it uses schema ${version}, and the file is migrated to ${wanted}.`,
    ),
  ];
}

function databaseChanges({
  kind,
  version,
  wanted,
  layout,
  journalMode,
  complete,
  messages,
  bytes,
}: Survey): Change[] {
  const change = (message: string): Change => ({ what: "database", message });
  const rebuilt = `the full-text index is rebuilt over ${counted(messages, "message")}, compact`;
  if (kind === "new") return [change("state.db gets its tables")];
  if (kind === "older")
    return [
      change(`a copy is kept as state.db.v${version}-… (at most ${dataSize(bytes)})`),
      change(`state.db goes from schema ${version} to ${wanted}; ${rebuilt}`),
      ...(journalMode === "wal" ? [] : [change(`its journal becomes wal (now ${journalMode})`)]),
    ];
  return [
    ...(complete ? [] : [change("state.db gets the gateway's tables (gw_…) and indexes")]),
    ...(layout === "none" && version === wanted ? [change(`${rebuilt}: it is missing`)] : []),
    ...(journalMode === "wal" ? [] : [change(`its journal becomes wal (now ${journalMode})`)]),
  ];
}

const SPARE_BYTES = 100 * 1024 * 1024;

/** Besides the copy, the WAL holds the migration's transaction until it commits. */
function judgeDisk(freeBytes: number, survey: Survey | undefined): Finding[] {
  const needed = SPARE_BYTES + (survey?.kind === "older" ? 2 * survey.bytes : 0);
  const free = `${dataSize(freeBytes)} free, ${dataSize(needed)} needed`;
  return [freeBytes < needed ? found.fail(free, "Free some space on this disk first.") : found.ok(free)];
}

// --- chats --------------------------------------------------------------------------------------------------------

const MAX_SHOWN = 10;

function judgeChats({ index, settings, database }: HomeLook, survey: Survey | undefined): Finding[] {
  if (index === "missing") return [found.ok("doesn't exist: every chat starts a new session")];
  if (survey && survey.routes > 0)
    return [found.ok(`is no longer read: state.db has ${counted(survey.routes, "chat")}`)];
  const aside =
    "Restore it from a backup, or continue: it is kept aside, and every chat starts a new session.";
  if ("corrupt" in index) return [found.warn(`can't be read: ${index.corrupt}`, aside)];
  const { entries, problems } = index;
  const findings = [
    found.ok(`${counted(entries.length, "chat")} with ${entries.length === 1 ? "its" : "their"} sessions`),
  ];
  if (problems.length > 0)
    findings.push(
      found.warn(`left out:\n${shown(problems)}`, "These chats start new sessions; the file is kept."),
    );
  if (database instanceof HermesError) return findings;
  const orphans = new Set(survey?.absent ?? entries.map(({ sessionId }) => sessionId));
  const lost = entries.filter(({ sessionId }) => orphans.has(sessionId)).map(nameOf);
  if (lost.length > 0)
    findings.push(
      found.warn(
        `sessions that state.db doesn't have:\n${shown(lost)}`,
        "These chats continue without a history.",
      ),
    );
  return [
    ...findings,
    ...judgePlatforms(entries),
    ...(settings.config ? judgeKeys(entries, isolationOf(settings.config)) : []),
  ];
}

function judgePlatforms(entries: readonly IndexEntry[]): Finding[] {
  const others = entries.filter(({ origin }) => !isBuiltIn(origin.platform));
  if (others.length === 0) return [];
  const names = [...new Set(others.map(({ origin }) => origin.platform))].toSorted();
  return [
    found.warn(
      `${counted(others.length, "chat")} on platforms that the gateway doesn't support: ${names.join(", ")}`,
      "They are adopted, but need an adapter: docs/adding-a-platform.md.",
    ),
  ];
}

/** A chat that gets another key under these settings doesn't find its session. */
function judgeKeys(entries: readonly IndexEntry[], isolation: Isolation): Finding[] {
  const moved = entries.flatMap(({ sessionKey: key, origin }) => {
    const now = sessionKey(origin, isolation);
    return now === key ? [] : [`${key}: is ${now} now`];
  });
  if (moved.length === 0) return [];
  return [
    found.warn(
      `session keys that change:\n${shown(moved)}`,
      "These chats start new sessions; group_sessions_per_user and thread_sessions_per_user decide.",
    ),
  ];
}

function chatChanges({ index }: HomeLook, survey: Survey | undefined): Change[] {
  if (index === "missing" || (survey && survey.routes > 0)) return [];
  if ("corrupt" in index)
    return [{ what: "chats", message: "sessions.json is kept aside as sessions.json.corrupt-…" }];
  if (index.entries.length === 0) return [];
  const message = `${counted(index.entries.length, "chat")} of sessions.json continue in their sessions; a copy is kept next to it`;
  return [{ what: "chats", message }];
}

function judgeTranscripts({ transcripts }: HomeLook, survey: Survey | undefined): Finding[] {
  if (transcripts.length === 0) return [];
  const absent = new Set(survey?.absent ?? transcripts);
  const lost = transcripts.filter((id) => absent.has(id));
  const all = found.ok(`${counted(transcripts.length, "file")}, left as they are`);
  if (lost.length === 0) return [all];
  return [
    all,
    found.warn(
      `of sessions that state.db doesn't have:\n${shown(lost)}`,
      "Move them elsewhere to keep them: `hermes sessions prune` and `delete` remove files without a session.",
    ),
  ];
}

// --- people, permissions ------------------------------------------------------------------------------------------

function judgePeople({ pairing: { people, problems } }: HomeLook, survey: Survey | undefined): Finding[] {
  const wrong = problems.map((problem) => found.warn(problem, "People listed there must ask again."));
  if (people.length === 0) return [found.ok("no one is paired"), ...wrong];
  const strangers = survey?.strangers ?? people;
  const known = people.length - strangers.length;
  const lines = strangers.map(({ platform, userId, userName }) =>
    userName === null ? `${platform}:${userId}` : `${platform}:${userId} (${userName})`,
  );
  const before = known > 0 ? `${peopleCount(known)} known already` : "";
  const now = lines.length > 0 ? `may talk from now on:\n${lines.join("\n")}` : "";
  return [found.ok([before, now].filter((part) => part !== "").join("; ")), ...wrong];
}

function peopleChanges({ pairing: { people } }: HomeLook, survey: Survey | undefined): Change[] {
  const strangers = survey?.strangers ?? people;
  if (strangers.length === 0) return [];
  return [
    {
      what: "people",
      message: `${peopleCount(strangers.length)} paired by Hermes Agent may talk to the bot`,
    },
  ];
}

export function peopleCount(count: number): string {
  return count === 1 ? "1 person" : `${count} people`;
}

function permissionChanges(exposed: readonly string[], home: string): Change[] {
  if (exposed.length === 0) return [];
  const names = exposed.map((path) => (path === home ? "the home itself" : path.slice(home.length + 1)));
  const becomes = exposed.length === 1 ? "1 path becomes its" : `${exposed.length} paths become their`;
  const message = `${becomes} owner's alone:
${shown(names)}`;
  return [{ what: "permissions", message }];
}

/** Two programs on one bot token take each other's messages. */
function platformChanges(config: Config | undefined): Change[] {
  const names = Object.entries(config?.platforms ?? {})
    .filter(([, settings]) => settings.enabled && "token" in settings && settings.token)
    .map(([name]) => name);
  if (names.length === 0) return [];
  const message = `the gateway connects to ${names.join(", ")} with the tokens that are there: stop every other program that uses them`;
  return [{ what: "platforms", message }];
}

function nameOf({ sessionKey: key, sessionId }: IndexEntry): string {
  return `${key}: ${sessionId}`;
}

function shown(lines: readonly string[]): string {
  const more = lines.length - MAX_SHOWN;
  return [...lines.slice(0, MAX_SHOWN), ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
}
