/** Who may use a tool: tool + person + room + rules → allowed or not, when to ask first, and why. Pure. */
import type { Principal, Room } from "../message.js";
import type { AskMode, ToolDefinition } from "../tools/tool.js";

/** One entry of `tools` in the configuration. Missing keys come from a less specific entry or the default. */
export interface ToolRule {
  /** `owner`, `paired`, `everyone`, or `platform:user id`. An empty list denies, whatever other entries say. */
  allow?: readonly string[] | undefined;
  rooms?: ToolRooms | undefined;
  ask?: AskMode | undefined;
}

/** `dm`: only in direct chats. */
export type ToolRooms = "dm" | "all";

/** By a tool's name, a toolset's name, or `*`. */
export type ToolRules = Readonly<Record<string, ToolRule>>;

/** A later rule (an MCP server's trust, a client's permissions). It can only narrow. */
export interface ToolRestriction extends ToolRule {
  /** For the reason: "the trust of the server files". */
  name: string;
}

/** A tool, and what decides about it besides the configured rules. */
export interface AskedTool {
  tool: Pick<ToolDefinition, "name" | "aliases" | "effect" | "allow" | "ask" | "restrictions">;
  /** Every toolset that contains the tool. */
  sets: readonly string[];
  restrictions?: readonly ToolRestriction[] | undefined;
}

/** Who asks for tools and where, with the configured rules. */
export interface ToolAsker {
  principal: Principal;
  /** Undefined: a direct chat. */
  room: Room | undefined;
  rules: ToolRules;
}

export interface ToolAccessQuestion extends AskedTool, ToolAsker {}

export interface ToolAccess {
  allowed: boolean;
  ask: AskMode;
  reason: string;
}

/** From lax to strict. */
const ASK_MODES: readonly AskMode[] = ["never", "once", "session", "always"];

/** A rule and a description of its source. */
export type RuleAbout = ToolRule & { source: string };

type AboutTool = ToolAccessQuestion["tool"];

/** The access to each of these tools, in their order. */
export function accessToTools(tools: readonly AskedTool[], asker: ToolAsker): ToolAccess[] {
  return tools.map((asked) => toolAccess({ ...asked, ...asker }));
}

/**
 * For each key, the tool's own entry beats its toolsets' entries, which beat `*`. Several toolsets and
 * restrictions apply together: all must allow it, and the strictest approval mode wins.
 */
export function toolAccess(question: ToolAccessQuestion): ToolAccess {
  const { tool, principal, room, restrictions = [] } = question;
  const levels = levelsOf(question);
  const later = [...(tool.restrictions ?? []), ...restrictions].map((rule) => ({
    ...rule,
    source: rule.name,
  }));
  const asking = [...settingAt(levels, "ask"), ...later].flatMap(({ ask }) => ask ?? []);
  const ask = strictest(asking.length === 0 ? ["never"] : asking);
  const deny = (reason: string): ToolAccess => ({ allowed: false, ask, reason });

  const emptyList = [...levels.flat(), ...later].find(({ allow }) => allow?.length === 0);
  if (emptyList) return deny(`${emptyList.source} denies it to everyone`);

  const deciding = settingAt(levels, "allow");
  const standing = standingOf(principal);
  for (const { allow, source } of [...deciding, ...later])
    if (allow && !isAmong(allow, principal, standing))
      return deny(`${source} allows ${listed(allow)}, and this is ${STANDINGS[standing]}`);

  const inDirectChats = [...settingAt(levels, "rooms"), ...later].find(({ rooms }) => rooms === "dm");
  if (room && inDirectChats) return deny(`${inDirectChats.source} allows it in direct chats only`);
  const [first] = deciding;
  return { allowed: true, ask, reason: `${first?.source ?? tool.name} allows ${listed(first?.allow ?? [])}` };
}

/** From the most specific to the least; the last is the default, which has a list of people. */
function levelsOf({ tool, sets, rules }: ToolAccessQuestion): RuleAbout[][] {
  return [...configuredLevels(tool, sets, rules), [defaultRule(tool)]];
}

function configuredLevels(tool: AboutTool, sets: readonly string[], rules: ToolRules): RuleAbout[][] {
  const entry = (name: string): RuleAbout[] => {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    return rule ? [{ ...rule, source: `tools.${name}` }] : [];
  };
  const own = [tool.name, ...(tool.aliases ?? [])];
  const others = sets.filter((set) => !own.includes(set) && set !== "*");
  return [own.flatMap(entry), others.flatMap(entry), entry("*")];
}

/** The configured entries about a tool, the most specific first. */
export function rulesAbout(tool: AboutTool, sets: readonly string[], rules: ToolRules): RuleAbout[] {
  return configuredLevels(tool, sets, rules).flat();
}

/** What applies where the configuration says nothing. */
export function defaultRule({ effect, allow, ask }: AboutTool): RuleAbout {
  const why = allow
    ? ""
    : effect === "read"
      ? " for tools that only read"
      : " for tools that change something";
  return {
    allow: allow ?? (effect === "read" ? ["paired"] : ["owner"]),
    ...(ask ? { ask } : {}),
    source: `the default${why}`,
  };
}

/** The rules of the first level that sets the key. */
function settingAt(levels: readonly RuleAbout[][], key: keyof ToolRule): RuleAbout[] {
  const level = levels.find((rules) => rules.some((rule) => rule[key] !== undefined)) ?? [];
  return level.filter((rule) => rule[key] !== undefined);
}

function strictest(modes: readonly AskMode[]): AskMode {
  return modes.reduce((a, b) => (ASK_MODES.indexOf(b) > ASK_MODES.indexOf(a) ? b : a));
}

// --- people -------------------------------------------------------------------------------------------------------

type Standing = "owner" | "paired" | "unknown";

const STANDINGS: Readonly<Record<Standing, string>> = {
  owner: "an owner",
  paired: "a paired person",
  unknown: "a person without an id",
};

/**
 * Only people who may talk to the bot get this far, so they are `paired`. If a platform doesn't identify the
 * sender in a room, the principal has the room's id.
 */
function standingOf({ owner, userId, room }: Principal): Standing {
  if (owner) return "owner";
  return userId === "" || userId === room?.chatId ? "unknown" : "paired";
}

/** Whether a list of people contains this one. */
export function isListed(allow: readonly string[], principal: Principal): boolean {
  return isAmong(allow, principal, standingOf(principal));
}

function isAmong(allow: readonly string[], { platform, userId }: Principal, standing: Standing): boolean {
  if (allow.includes("everyone")) return true;
  if (standing === "unknown") return false;
  if (allow.includes("paired") || allow.includes(`${platform}:${userId}`)) return true;
  return standing === "owner" && allow.includes("owner");
}

const PEOPLE: Readonly<Record<string, string>> = {
  owner: "owners",
  paired: "paired people",
  everyone: "everyone",
};

function listed(allow: readonly string[]): string {
  return allow.map((word) => PEOPLE[word] ?? word).join(", ");
}
